import { MalformedMessage, maxMessageBytes } from "./messages.ts";

const headerBytes = 16;

/** Splits a stream of bytes into messages. */
export class MessageSplitter {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The bytes of an incomplete message. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Yields the messages completed by `chunk`. Throws MalformedMessage for an invalid length. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    while (this.#bytes >= headerBytes) {
      const length = this.#peekLength();
      if (length < headerBytes || length > maxMessageBytes) {
        throw new MalformedMessage(
          `its length is ${length}, outside the range of ${headerBytes} to ${maxMessageBytes}`,
        );
      }
      if (this.#bytes < length) return;
      yield this.#take(length);
    }
  }

  #peekLength(): number {
    const [first] = this.#chunks;
    if (first && first.length >= 4) return first.readInt32LE(0);
    return this.#join().readInt32LE(0);
  }

  #take(length: number): Buffer {
    const joined = this.#join();
    this.#bytes -= length;
    this.#chunks = this.#bytes > 0 ? [joined.subarray(length)] : [];
    return joined.subarray(0, length);
  }

  #join(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }
}
