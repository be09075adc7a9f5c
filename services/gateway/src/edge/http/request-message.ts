import { IncomingMessage } from "node:http";
import { GrowingBuffer } from "@muster/large-data";

/**
 * A request whose body may arrive in chunks of a single byte. Node would keep an object for each chunk until it is
 * read, and pass each on; here what has arrived since the last read is one piece.
 */
export class RequestMessage extends IncomingMessage {
  readonly #unread = new GrowingBuffer();
  #isWanted = false;
  #isScheduled = false;

  /** Called by Node's parser. False if it is full. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#pass();
      return super.push(null);
    }
    this.#unread.add(chunk);
    this.#schedule();
    return !this.isFull;
  }

  /** Nothing more of the body should be parsed until its reader asks for it, which resumes the connection. */
  get isFull(): boolean {
    if (this.#isWanted || this.complete) return false;
    return this.readableLength + this.#unread.length >= this.readableHighWaterMark;
  }

  /** The stream wants a piece. */
  override _read(size: number): void {
    this.#isWanted = true;
    this.#pass();
    super._read(size);
  }

  /** Once everything that was read from the connection at once has been parsed. */
  #schedule(): void {
    if (!this.#isWanted || this.#isScheduled) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      if (this.#isWanted && !this.destroyed) this.#pass();
    });
  }

  #pass(): void {
    if (this.#unread.length === 0) return;
    this.#isWanted = false;
    super.push(this.#unread.take());
  }
}
