import { formatCue, vttHeader } from "./vtt.ts";

const maxTitleLength = 140;
/** More would not fit into any menu. */
const maxChapters = 1000;
/** A shorter chapter is part of the next one. */
const minLengthMs = 200;

/** Writes the chapters: each lasts until the next begins. */
export class Chapters {
  #written = vttHeader;
  #count = 0;
  #startMs = 0;
  #label = "";
  #title = "";

  /** A chapter begins. Its title is `label: words`, with the first words that `describe` is given. */
  begin(videoMs: number, label: string): void {
    if (this.#count >= maxChapters) return;
    this.#close(videoMs);
    this.#label = label;
    this.#title = "";
  }

  describe(words: string): void {
    if (this.#title === "") this.#title = firstWords(words);
  }

  end(videoMs: number): void {
    this.#close(videoMs);
    this.#label = "";
  }

  take(): string {
    const written = this.#written;
    this.#written = "";
    return written;
  }

  #close(videoMs: number): void {
    if (this.#label === "") {
      this.#startMs = videoMs;
      return;
    }
    if (videoMs - this.#startMs < minLengthMs) return;
    const text = this.#title === "" ? this.#label : `${this.#label}: ${this.#title}`;
    this.#written += formatCue({ startMs: this.#startMs, endMs: videoMs, text });
    this.#count++;
    this.#startMs = videoMs;
  }
}

/** The marks of Markdown: headings, code, and emphasis around words. Not `*.log`, `2 * 3` or `C#`. */
const markup =
  /^#{1,6}(?=\s)|`+|(?<![^\s(])\*{1,3}(?=[\p{L}\p{N}])|(?<=[\p{L}\p{N}.!?:,)])\*{1,3}(?![^\s.,;:!?)])/gmu;

/** The first sentence. One that is too long ends after a part of it, or else after a word. */
function firstWords(words: string): string {
  const text = words.slice(0, 400).replace(markup, "").replace(/\s+/g, " ").trim();
  const sentence = /^.*?[.!?:](?=\s|$)/.exec(text)?.[0].replace(/[.:]$/, "") ?? text;
  if (sentence.length <= maxTitleLength) return sentence;
  const beginning = sentence.slice(0, maxTitleLength);
  const [part] = /^.{40,}(?=[,;:](?=\s))/.exec(beginning) ?? [];
  return part === undefined ? `${beginning.replace(/\s+\S*$/, "")}…` : `${part} …`;
}
