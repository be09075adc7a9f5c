import type { Pace } from "../pace.ts";
import { entryBytes, type MemoryShare } from "./memory.ts";
import { compareKeys, keyOf, Merge } from "./merge.ts";
import { type Packed, Slabs } from "./slabs.ts";
import type { Found, Progress } from "./source.ts";

/** A sorted part of the input. Sorting one takes milliseconds, and a slice cannot end meanwhile. */
export const runLength = 1024;

/**
 * Sorts documents in slices: the input as short sorted runs, which are merged only as their documents are needed.
 * Documents with equal keys keep their order. Of a limited sort, it keeps no more than about twice the limit.
 */
export class Sorter {
  readonly #keep: number;
  readonly #pace: Pace;
  readonly #memory: MemoryShare;
  #slabs = new Slabs();
  #run: Packed[] = [];
  #runs: Packed[][] = [];
  #count = 0;
  /** In a limited sort, larger keys are not among the first documents. */
  #bar: Buffer | undefined;
  #merge: Merge | undefined;
  #kept: Packed[] = [];
  /** Receives the documents that `tidy` keeps, so that the memory of the others can be freed. */
  #keptSlabs = new Slabs();

  /** Keeps the first `keep` documents. */
  constructor(keep: number, pace: Pace, memory: MemoryShare) {
    this.#keep = keep;
    this.#pace = pace;
    this.#memory = memory;
  }

  /** If false, `tidy` has to run before the next document is added. */
  get hasRoom(): boolean {
    return this.#count < 2 * this.#keep + runLength;
  }

  /** Adds a document to the input and returns `hasRoom`. */
  add(key: Buffer, { content, row }: Found): boolean {
    if (this.#bar && Buffer.compare(key, this.#bar) >= 0) return true;
    this.#memory.take(sizeOf(key.length, content.length), "Sort");
    this.#run.push(this.#slabs.pack(key, content, row));
    this.#count++;
    if (this.#run.length >= runLength) this.#endRun();
    return this.hasRoom;
  }

  #endRun(): void {
    if (this.#run.length > 0) this.#runs.push(this.#run.sort(compareKeys));
    this.#run = [];
  }

  /** Discards the documents beyond the limit. Returns false if the slice has ended first. */
  tidy(): boolean {
    this.#merge ??= this.#startMerge();
    while (this.#kept.length < this.#keep) {
      const entry = this.#merge.next();
      if (!entry) break;
      this.#kept.push(this.#keptSlabs.pack(keyOf(entry), contentOf(entry), entry.row));
      if (this.#pace.spend(0)) return false;
    }
    for (const entry of this.#merge.rest()) this.#memory.give(sizeOf(entry.keyLength, entry.contentLength));
    this.#keepOnly(this.#kept);
    return true;
  }

  #keepOnly(kept: Packed[]): void {
    const last = kept.length === this.#keep ? kept.at(-1) : undefined;
    this.#bar = last && keyOf(last);
    this.#runs = [kept];
    this.#count = kept.length;
    this.#slabs = this.#keptSlabs;
    this.#keptSlabs = new Slabs();
    this.#kept = [];
    this.#merge = undefined;
  }

  #startMerge(): Merge {
    this.#endRun();
    return new Merge(this.#runs);
  }

  /** Passes the documents to `visit` in order. */
  emit(visit: (found: Found) => boolean): Progress {
    this.#merge ??= this.#startMerge();
    for (let entry = this.#merge.next(); entry; entry = this.#merge.next()) {
      if (!visit({ content: contentOf(entry), row: entry.row })) return "stopped";
      if (this.#pace.spend(entry.contentLength)) return "paused";
    }
    return "ended";
  }
}

function sizeOf(keyLength: number, contentLength: number): number {
  return keyLength + contentLength + entryBytes;
}

function contentOf({ slab, at, keyLength, contentLength }: Packed): Buffer {
  return slab.subarray(at + keyLength, at + keyLength + contentLength);
}
