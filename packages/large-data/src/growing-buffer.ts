const firstBytes = 1024;

/**
 * Joins what arrives in pieces. Each piece is copied at once and can be freed: an object for every piece, kept until
 * the last one, takes some 300 bytes each, so that a sender of single bytes could fill the memory. Grows with the bytes
 * that have arrived, never by the announced length. A first piece is kept as is until there is another one, because
 * most stay alone.
 */
export class GrowingBuffer {
  readonly #maxBytes: number;
  #first: Buffer | undefined;
  /** Several pieces. Absent for most requests: even an empty one takes a third of a microsecond. */
  #joined: ArrayBuffer | undefined;
  #joinedLength = 0;

  /** `maxBytes`: it takes no more memory, unless more is added. Default: up to twice what is added. */
  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes that were added. */
  get length(): number {
    return this.#first?.length ?? this.#joinedLength;
  }

  /** The memory that they take, in bytes. */
  get capacity(): number {
    return this.#first?.length ?? this.#joined?.byteLength ?? 0;
  }

  /** The piece must not change afterwards. */
  add(piece: Buffer): void {
    // It may be a part of something large, which would be kept.
    if (piece.length === 0) return;
    if (this.length === 0) {
      this.#first = piece;
      return;
    }
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) this.#join(first);
    this.#join(piece);
  }

  /** The bytes added so far. Valid until the next call of another method. */
  peek(): Buffer {
    return this.#first ?? Buffer.from(this.#joined ?? new ArrayBuffer(0), 0, this.#joinedLength);
  }

  /** Empties it. Of several pieces, the result owns its memory, which is exactly as long. */
  take(): Buffer {
    const taken =
      this.#first ?? Buffer.from(this.#joined?.transfer(this.#joinedLength) ?? new ArrayBuffer(0));
    this.#first = undefined;
    this.#joined = undefined;
    this.#joinedLength = 0;
    return taken;
  }

  #join(piece: Buffer): void {
    const length = this.#joinedLength + piece.length;
    if (this.#joined === undefined) this.#joined = new ArrayBuffer(this.#capacityFor(length));
    else if (length > this.#joined.byteLength)
      this.#joined = this.#joined.transfer(this.#capacityFor(length));
    new Uint8Array(this.#joined).set(piece, this.#joinedLength);
    this.#joinedLength = length;
  }

  /** Powers of two, so that every byte is copied about once in addition. */
  #capacityFor(length: number): number {
    const power = Math.max(firstBytes, 2 ** Math.ceil(Math.log2(length)));
    return Math.max(length, Math.min(power, this.#maxBytes));
  }
}
