import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Packed } from "../query/slabs.ts";

/** The length of the key and the row, before each key. */
const headBytes = 12;

const blockBytes = 64 * 1024;

/** Sorted runs of index entries, in a file without a name that disappears with the process. */
export class RunFile {
  readonly #descriptor: number;
  #block: Buffer[] = [];
  #blockBytes = 0;
  #bytes = 0;
  #runStart = 0;
  readonly #runs: { readonly start: number; readonly end: number }[] = [];

  constructor(directory: string, name: string) {
    const path = join(directory, name);
    this.#descriptor = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  }

  append({ slab, at, keyLength, row }: Packed): void {
    const entry = Buffer.allocUnsafe(headBytes + keyLength);
    entry.writeUInt32LE(keyLength, 0);
    entry.writeDoubleLE(row, 4);
    slab.copy(entry, headBytes, at, at + keyLength);
    this.#block.push(entry);
    this.#blockBytes += entry.length;
    if (this.#blockBytes >= blockBytes) this.#write();
  }

  endRun(): void {
    this.#write();
    this.#runs.push({ start: this.#runStart, end: this.#bytes });
    this.#runStart = this.#bytes;
  }

  #write(): void {
    const block = Buffer.concat(this.#block, this.#blockBytes);
    for (let at = 0; at < block.length; )
      at += writeSync(this.#descriptor, block, at, block.length - at, this.#bytes + at);
    this.#bytes += block.length;
    this.#block = [];
    this.#blockBytes = 0;
  }

  /** The entries of each run, in order, read in blocks. */
  runs(): Iterable<Packed>[] {
    return this.#runs.map(({ start, end }) => this.#entries(start, end));
  }

  *#entries(start: number, end: number): Generator<Packed> {
    let position = start;
    let slab: Buffer = Buffer.alloc(0);
    let at = 0;
    while (position + at < end) {
      if (!isWhole(slab, at)) {
        position += at;
        slab = this.#read(position, end);
        at = 0;
      }
      const keyLength = slab.readUInt32LE(at);
      const row = slab.readDoubleLE(at + 4);
      yield { slab, at: at + headBytes, keyLength, contentLength: 0, row };
      at += headBytes + keyLength;
    }
  }

  /** At least one whole entry. */
  #read(position: number, end: number): Buffer {
    const head = this.#readExactly(position, Math.min(blockBytes, end - position));
    if (isWhole(head, 0)) return head;
    return this.#readExactly(position, headBytes + head.readUInt32LE(0));
  }

  #readExactly(position: number, length: number): Buffer {
    const buffer = Buffer.allocUnsafeSlow(length);
    for (let at = 0; at < length; ) {
      const bytes = readSync(this.#descriptor, buffer, at, length - at, position + at);
      if (bytes === 0) throw new Error("the file of an index build is too short");
      at += bytes;
    }
    return buffer;
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function isWhole(slab: Buffer, at: number): boolean {
  if (at + headBytes > slab.length) return false;
  return at + headBytes + slab.readUInt32LE(at) <= slab.length;
}
