import type { ServerDuplexStream, ServerWritableStream } from "@grpc/grpc-js";

/** A call whose responses are a stream. */
export type ServerStream = ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** Bytes of a stream that may wait for a client that reads slowly. */
const maxUnsentBytes = 16 * 1024;

/**
 * Writes the messages of a stream and counts the bytes that the connection has not accepted yet. grpc-js itself counts
 * messages and allows 16 of them to wait, whatever their size.
 */
export class ServerWriter {
  readonly #call: ServerStream;
  #unsentBytes = 0;
  #isClosed = false;
  #resume: (() => void) | undefined;

  constructor(call: ServerStream) {
    this.#call = call;
    call.once("close", () => {
      this.#isClosed = true;
      this.#resume?.();
    });
  }

  /** Returns a promise if the handler must wait; it resolves once more is accepted, and when the call is closed. */
  write(bytes: Buffer): Promise<void> | undefined {
    this.#unsentBytes += bytes.length;
    this.#call.write(bytes, () => this.#sent(bytes.length));
    if (this.#unsentBytes < maxUnsentBytes || this.#isClosed) return undefined;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #sent(bytes: number): void {
    this.#unsentBytes -= bytes;
    if (this.#unsentBytes < maxUnsentBytes) this.#resume?.();
  }
}
