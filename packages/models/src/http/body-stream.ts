/** The connection behind a body. */
export interface BodySource {
  pause(): void;
  resume(): void;
  /** Abandons the rest and closes the connection. */
  abort(reason: Error): void;
}

// Enough for any model to stream at full speed, little enough for thousands of slow readers.
const highWaterBytes = 64 * 1024;

/**
 * The body of a response. Everything that has arrived since the last read is one chunk: an event stream sends many
 * small pieces, and each piece costs the parsers above more than its bytes do. Nothing is delayed for this. While more
 * than 64 KiB are waiting, the connection is paused.
 */
export class BodyStream {
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #source: BodySource;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #paused = false;
  #ended = false;
  #failure: { reason: unknown } | undefined;
  #wake: (() => void) | undefined;

  constructor(source: BodySource) {
    this.#source = source;
    this.stream = new ReadableStream(
      {
        pull: (controller) => this.#pull(controller),
        cancel: (reason) => this.#cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  push(chunk: Buffer): void {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    if (this.#heldBytes > highWaterBytes && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#notify();
  }

  end(): void {
    this.#ended = true;
    this.#notify();
  }

  /** Data that was received before is still read first. */
  fail(reason: unknown): void {
    this.#failure ??= { reason };
    this.#notify();
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  async #pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    if (this.#isEmpty()) {
      // Settled in a microtask, after the connection has handed over everything it had read.
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#heldBytes > 0) controller.enqueue(this.#take());
    else if (this.#failure !== undefined) controller.error(this.#failure.reason);
    else controller.close();
  }

  #isEmpty(): boolean {
    return this.#heldBytes === 0 && !this.#ended && this.#failure === undefined;
  }

  #take(): Uint8Array<ArrayBuffer> {
    const [only] = this.#held;
    const chunk =
      this.#held.length === 1 && only !== undefined ? new Uint8Array(only) : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    if (this.#paused) {
      this.#paused = false;
      this.#source.resume();
    }
    return chunk;
  }

  #cancel(reason: unknown): void {
    if (!this.#ended)
      this.#source.abort(reason instanceof Error ? reason : new Error("The body was not read"));
    this.#held = [];
    this.#heldBytes = 0;
  }
}
