import type { RowId } from "../storage/index-table.ts";

/** A key and a document, one after the other in a slab. */
export interface Packed {
  readonly slab: Buffer;
  readonly at: number;
  readonly keyLength: number;
  readonly contentLength: number;
  readonly row: RowId;
}

const slabBytes = 64 * 1024;

/** Stores many small documents in few buffers: a buffer for each would cost more memory than its contents. */
export class Slabs {
  #slab = Buffer.alloc(0);
  #used = 0;

  pack(key: Buffer, content: Buffer, row: RowId): Packed {
    const bytes = key.length + content.length;
    if (this.#used + bytes > this.#slab.length) {
      this.#slab = Buffer.allocUnsafeSlow(Math.max(slabBytes, bytes));
      this.#used = 0;
    }
    const at = this.#used;
    key.copy(this.#slab, at);
    content.copy(this.#slab, at + key.length);
    this.#used += bytes;
    return { slab: this.#slab, at, keyLength: key.length, contentLength: content.length, row };
  }
}
