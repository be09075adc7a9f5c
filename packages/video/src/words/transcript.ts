import { type Cue, formatCue, vttHeader } from "./vtt.ts";

/** A cue with more is split. */
const maxCueLength = 500;
/** Texts that are open at the same time. */
const maxOpen = 32;
/** Ended cues that wait for one that began before them. */
const maxWaiting = 256;
/** A cue shows for so long at least; and, without another after it, for as long as it takes to read it. */
const minLengthMs = 1000;
const maxLengthMs = 3500;
const msPerCharacter = 45;
/** Characters of a transcript. A video of five minutes needs no book beside it. */
const maxLength = 1_000_000;

interface OpenCue extends Cue {
  isOpen: boolean;
}

/** Writes who said or did what. Cues appear in the order of their beginnings, once those before them have ended. */
export class Transcript {
  #written = vttHeader;
  #length = 0;
  #queue: OpenCue[] = [];
  readonly #open = new Map<string, OpenCue>();

  /** Something that happens at once. */
  say(videoMs: number, voice: string, text: string): void {
    for (const part of partsOf(text))
      this.#queue.push({ startMs: videoMs, endMs: videoMs, voice, text: part, isOpen: false });
    if (this.#queue.length > maxWaiting) this.endAll(videoMs);
    this.#flush();
  }

  /** Adds to the text with this id, and begins it if there is none. */
  append(id: string, videoMs: number, voice: string, text: string): void {
    for (const part of partsOf(text)) {
      const cue = this.#open.get(id) ?? this.#begin(id, videoMs, voice);
      cue.text += part;
      if (cue.text.length >= maxCueLength) this.end(id, videoMs);
    }
  }

  end(id: string, videoMs: number): void {
    const cue = this.#open.get(id);
    if (cue === undefined) return;
    this.#open.delete(id);
    cue.isOpen = false;
    cue.endMs = videoMs;
    this.#flush();
  }

  endAll(videoMs: number): void {
    for (const id of [...this.#open.keys()]) this.end(id, videoMs);
    this.#flush(true);
  }

  take(): string {
    const written = this.#written;
    this.#written = "";
    return written;
  }

  #begin(id: string, videoMs: number, voice: string): OpenCue {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= maxOpen && oldest !== undefined) this.end(oldest, videoMs);
    const cue: OpenCue = { startMs: videoMs, endMs: videoMs, voice, text: "", isOpen: true };
    this.#queue.push(cue);
    this.#open.set(id, cue);
    return cue;
  }

  /** The last cue waits for the next, which ends it. */
  #flush(isLast = false): void {
    for (;;) {
      const [cue, next] = this.#queue;
      if (cue === undefined || cue.isOpen || (next === undefined && !isLast)) return;
      this.#queue.shift();
      const readMs = Math.min(Math.max(cue.text.length * msPerCharacter, minLengthMs), maxLengthMs);
      const wantedMs = Math.max(cue.startMs + readMs, cue.endMs);
      const endMs = Math.min(wantedMs, next?.startMs ?? wantedMs);
      this.#write(formatCue({ ...cue, endMs: Math.max(endMs, cue.startMs + minLengthMs) }));
    }
  }

  #write(text: string): void {
    if (this.#length > maxLength) return;
    this.#length += text.length;
    this.#written += this.#length > maxLength ? "NOTE The rest is left out.\n\n" : text;
  }
}

/** Pieces of a cue's length at most, none of which ends between the halves of a character. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length && parts.length * maxCueLength < maxLength; ) {
    const end = at + maxCueLength;
    const isSplit = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? "");
    parts.push(text.slice(at, isSplit ? end - 1 : end));
    at = isSplit ? end - 1 : end;
  }
  return parts;
}
