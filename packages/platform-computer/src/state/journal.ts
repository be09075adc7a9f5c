import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CallId, keyOf, type Leader, type Line, lineOf, readLine } from "./journal-line.ts";
import { type Outcome, unknownOutcome } from "./outcome.ts";

export interface JournalLimits {
  /** Calls whose outcomes are kept. */
  maxOutcomes: number;
  /** Their bytes in all. */
  maxBytes: number;
  /** Calls of which at least the id is kept: when an outcome is dropped, it becomes unknown. */
  maxCalls: number;
  /** Agents whose epoch is kept. */
  maxAgents: number;
}

export const defaultJournalLimits: JournalLimits = {
  maxOutcomes: 1_000,
  maxBytes: 64 * 1024 * 1024,
  maxCalls: 10_000,
  maxAgents: 10_000,
};

interface KnownCall {
  id: CallId;
  /** The process that executes the call, until it ends. */
  leader?: Leader | undefined;
  hasEnded: boolean;
  isAcknowledged: boolean;
  /** Where the outcome is in the file; undefined: it is unknown. */
  place?: { at: number; bytes: number } | undefined;
}

/**
 * The computer's memory of calls: a file of lines that only grows, until its live lines are copied into a new one. A line
 * counts once its line break is on disk. All writes are synchronous, so that no two lines mix.
 */
export class Journal {
  readonly #path: string;
  readonly #limits: JournalLimits;
  readonly #calls = new Map<string, KnownCall>();
  readonly #epochs = new Map<string, bigint>();
  readonly #connections = new Map<string, bigint>();
  #file: number;
  #size = 0;
  #keptOutcomes = 0;
  #keptBytes = 0;

  constructor(folder: string, limits = defaultJournalLimits) {
    this.#path = join(folder, "journal");
    this.#limits = limits;
    this.#file = openSync(this.#path, "a+", 0o600);
    closeSync(this.#file);
    this.#file = openSync(this.#path, "r+");
    syncFolder(folder);
    this.#load();
    this.#compactIfDue();
  }

  find(id: CallId): { outcome: Outcome | undefined } | undefined {
    const known = this.#calls.get(keyOf(id));
    return known && { outcome: known.hasEnded ? this.#outcomeOf(known) : undefined };
  }

  /** The calls that have begun and not ended. */
  begun(): Array<{ id: CallId; leader: Leader | undefined }> {
    return [...this.#calls.values()]
      .filter(({ hasEnded }) => !hasEnded)
      .map(({ id, leader }) => ({ id, leader }));
  }

  /** The calls that have ended and whose outcome the platform may not have, oldest first. */
  unacknowledged(): CallId[] {
    return [...this.#calls.values()]
      .filter(({ hasEnded, isAcknowledged }) => hasEnded && !isAcknowledged)
      .map(({ id }) => id);
  }

  /** Stores that the call begins. On disk when it returns; throws if that is not possible. */
  begin(id: CallId, leader?: Leader): void {
    this.#append({ begin: id, ...(leader && { leader }) });
    fsyncSync(this.#file);
  }

  /** Stores the outcome. On disk when it returns; throws if that is not possible. */
  end(id: CallId, outcome: Outcome): void {
    this.#append({ end: id, outcome });
    fsyncSync(this.#file);
    this.#compactIfDue();
  }

  /** The outcome could not be stored: with nothing but its begin on disk, it is unknown after a restart, and so it is now. */
  forget(id: CallId): void {
    this.#apply({ end: id, outcome: unknownOutcome });
  }

  acknowledge(id: CallId): void {
    const known = this.#calls.get(keyOf(id));
    if (known?.hasEnded && !known.isAcknowledged) this.#append({ ack: id });
  }

  /** The highest epoch of an agent's runs. */
  epochOf(agentId: string): bigint {
    return this.#epochs.get(agentId) ?? 0n;
  }

  /** The next `begin` brings it to the disk. */
  raiseEpoch(agentId: string, epoch: bigint): void {
    if (epoch > this.epochOf(agentId)) this.#append({ agent: agentId, epoch });
  }

  /** The computer of the latest connection. */
  get latestComputer(): string | undefined {
    return [...this.#connections.keys()].at(-1);
  }

  /** The epoch of the last connection of a computer. */
  connectionEpoch(computerId: string | undefined): bigint {
    return (computerId !== undefined && this.#connections.get(computerId)) || 0n;
  }

  connected(computerId: string, epoch: bigint): void {
    this.#append({ computer: computerId, epoch });
    fsyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }

  #append(line: Line): void {
    const bytes = Buffer.from(`${JSON.stringify(lineOf(line))}\n`);
    try {
      let written = 0;
      while (written < bytes.length)
        written += writeSync(this.#file, bytes, written, bytes.length - written, this.#size + written);
    } catch (error) {
      // Half a line would damage the next one.
      ftruncateSync(this.#file, this.#size);
      throw error;
    }
    this.#apply(line, { at: this.#size, bytes: bytes.length });
    this.#size += bytes.length;
  }

  #apply(line: Line, place?: { at: number; bytes: number }): void {
    if ("begin" in line) {
      const { begin: id, leader } = line;
      this.#calls.set(keyOf(id), { id, leader, hasEnded: false, isAcknowledged: false });
    } else if ("end" in line) this.#applyEnd(line.end, line.outcome, place);
    else if ("ack" in line) {
      const known = this.#calls.get(keyOf(line.ack));
      if (known !== undefined) known.isAcknowledged = true;
    } else if ("agent" in line) setLast(this.#epochs, line.agent, line.epoch, this.#limits.maxAgents);
    else setLast(this.#connections, line.computer, line.epoch, this.#limits.maxAgents);
  }

  #applyEnd(id: CallId, outcome: Outcome, place: KnownCall["place"]): void {
    const key = keyOf(id);
    const before = this.#calls.get(key);
    if (before !== undefined) this.#drop(before);
    this.#calls.delete(key);
    const kept = "unknown" in outcome ? undefined : place;
    this.#calls.set(key, { id, hasEnded: true, isAcknowledged: false, place: kept });
    if (kept !== undefined) {
      this.#keptOutcomes++;
      this.#keptBytes += kept.bytes;
    }
    this.#keepBounds();
  }

  #keepBounds(): void {
    const { maxOutcomes, maxBytes, maxCalls } = this.#limits;
    for (const known of this.#calls.values()) {
      if (this.#keptOutcomes <= maxOutcomes && this.#keptBytes <= maxBytes) break;
      this.#drop(known);
    }
    for (const [key, { hasEnded }] of this.#calls) {
      if (this.#calls.size <= maxCalls) break;
      if (hasEnded) this.#calls.delete(key);
    }
  }

  #drop(known: KnownCall): void {
    if (known.place === undefined) return;
    this.#keptOutcomes--;
    this.#keptBytes -= known.place.bytes;
    known.place = undefined;
  }

  #outcomeOf({ place }: KnownCall): Outcome {
    const line = place && readLine(this.#read(place.at, place.bytes).toString());
    return line && "end" in line ? line.outcome : unknownOutcome;
  }

  #read(at: number, bytes: number): Buffer {
    const buffer = Buffer.alloc(bytes);
    let read = 0;
    while (read < bytes) {
      const more = readSync(this.#file, buffer, read, bytes - read, at + read);
      if (more === 0) break;
      read += more;
    }
    return buffer.subarray(0, read);
  }

  /** Applies the whole lines. A piece after the last line break is of a write that the process did not survive. */
  #load(): void {
    const chunkBytes = 1024 * 1024;
    let rest: Buffer<ArrayBufferLike> = Buffer.alloc(0);
    for (let at = 0; ; ) {
      const chunk = this.#read(at, chunkBytes);
      at += chunk.length;
      const text = Buffer.concat([rest, chunk]);
      let start = 0;
      for (let end = text.indexOf(10); end >= 0; end = text.indexOf(10, start)) {
        const line = readLine(text.toString("utf8", start, end));
        const bytes = end + 1 - start;
        if (line !== undefined) this.#apply(line, { at: this.#size, bytes });
        this.#size += bytes;
        start = end + 1;
      }
      rest = text.subarray(start);
      if (chunk.length < chunkBytes) break;
    }
    ftruncateSync(this.#file, this.#size);
  }

  #compactIfDue(): void {
    const { maxBytes, maxCalls } = this.#limits;
    // An acknowledgement and a begin have 200 bytes; ids and epochs of all calls stay below that.
    if (this.#size < 2 * (maxBytes + maxCalls * 200)) return;
    const draft = `${this.#path}.draft`;
    const [old, before] = [this.#file, [...this.#calls.values()]];
    const lines: Line[] = [];
    for (const [agent, epoch] of this.#epochs) lines.push({ agent, epoch });
    for (const [computer, epoch] of this.#connections) lines.push({ computer, epoch });
    const file = openSync(draft, "w+", 0o600);
    let at = 0;
    const write = (line: Line): number => {
      const bytes = Buffer.from(`${JSON.stringify(lineOf(line))}\n`);
      for (let written = 0; written < bytes.length; )
        written += writeSync(file, bytes, written, bytes.length - written, at + written);
      at += bytes.length;
      return bytes.length;
    };
    try {
      for (const line of lines) write(line);
      for (const known of before) {
        const { id, leader, hasEnded, isAcknowledged } = known;
        if (!hasEnded) write({ begin: id, ...(leader && { leader }) });
        else write({ end: id, outcome: this.#outcomeOf(known) });
        if (isAcknowledged) write({ ack: id });
      }
      fsyncSync(file);
      renameSync(draft, this.#path);
      syncFolder(dirname(this.#path));
    } catch (error) {
      closeSync(file);
      // The old file stays: a full disk is reported by the next call.
      if (error instanceof Error) return;
      throw error;
    }
    closeSync(old);
    this.#file = file;
    this.#calls.clear();
    this.#keptOutcomes = 0;
    this.#keptBytes = 0;
    this.#size = 0;
    this.#load();
  }
}

/** Brings the names in it to the disk. */
function syncFolder(folder: string): void {
  const file = openSync(folder, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Adds at the end, and removes the first beyond a number. */
function setLast(map: Map<string, bigint>, key: string, value: bigint, max: number): void {
  map.delete(key);
  map.set(key, value);
  for (const first of map.keys()) {
    if (map.size <= max) break;
    map.delete(first);
  }
}
