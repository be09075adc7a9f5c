import type { RowId } from "./index-table.ts";

const chunkRows = 65_536;

/** Row numbers, at a bit each: most of a collection may change while an index is built. */
export class RowSet {
  readonly #chunks = new Map<number, Uint8Array>();

  add(row: RowId): void {
    const number = Math.floor(row / chunkRows);
    const bit = row % chunkRows;
    let chunk = this.#chunks.get(number);
    if (!chunk) {
      chunk = new Uint8Array(chunkRows / 8);
      this.#chunks.set(number, chunk);
    }
    chunk[bit >> 3] = (chunk[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  has(row: RowId): boolean {
    const bit = row % chunkRows;
    const byte = this.#chunks.get(Math.floor(row / chunkRows))?.[bit >> 3] ?? 0;
    return (byte & (1 << (bit & 7))) !== 0;
  }
}
