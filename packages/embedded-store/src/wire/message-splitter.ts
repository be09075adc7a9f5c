import { GrowingBuffer } from "@muster/large-data/growing-buffer";
import { MalformedMessage, maxMessageBytes } from "./messages.ts";

const headerBytes = 16;

/** Splits a stream of bytes into messages. */
export class MessageSplitter {
  readonly #received = new GrowingBuffer();

  /** The memory of an incomplete message. */
  get bytes(): number {
    return this.#received.capacity;
  }

  /** Yields the messages completed by `chunk`. Throws MalformedMessage for an invalid length. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#received.add(chunk);
    while (this.#received.length >= headerBytes) {
      const length = this.#received.peek().readInt32LE(0);
      if (length < headerBytes || length > maxMessageBytes) {
        throw new MalformedMessage(
          `its length is ${length}, outside the range of ${headerBytes} to ${maxMessageBytes}`,
        );
      }
      if (this.#received.length < length) return;
      const all = this.#received.take();
      this.#received.add(all.subarray(length));
      yield all.subarray(0, length);
    }
  }
}
