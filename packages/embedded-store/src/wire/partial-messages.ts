/** Four messages of the maximum size. */
export const maxPartialBytes = 192_000_000;

/** The first piece of a message rarely occupies more, and every connection may keep one. */
const smallBytes = 64 * 1024;

/** A connection's incomplete message. */
export interface PartialMessage {
  /** Notes the bytes received so far; 0 if the message is complete or the connection has closed. */
  set(bytes: number): void;
}

interface Entry {
  bytes: number;
  readonly drop: () => void;
}

/**
 * Bounds the memory of large incomplete messages on all connections together. Beyond it, the connection is dropped that
 * has sent nothing for the longest time.
 */
export class PartialMessages {
  readonly #maxBytes: number;
  /** In the order of their last bytes. */
  readonly #entries = new Set<Entry>();
  #bytes = 0;

  constructor(maxBytes = maxPartialBytes) {
    this.#maxBytes = maxBytes;
  }

  /** `drop` closes the connection. */
  open(drop: () => void): PartialMessage {
    const entry: Entry = { bytes: 0, drop };
    return { set: (bytes) => this.#set(entry, bytes) };
  }

  #set(entry: Entry, bytes: number): void {
    this.#remove(entry);
    if (bytes <= smallBytes) return;
    entry.bytes = bytes;
    this.#bytes += bytes;
    this.#entries.add(entry);
    for (const oldest of this.#entries) {
      if (this.#bytes <= this.#maxBytes || oldest === entry) return;
      this.#remove(oldest);
      oldest.drop();
    }
  }

  #remove(entry: Entry): void {
    if (!this.#entries.delete(entry)) return;
    this.#bytes -= entry.bytes;
  }
}
