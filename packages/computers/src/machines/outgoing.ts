/** More waits only if the computer does not read what it asks for. */
const maxWaitingBytes = 8 * 1024 * 1024;
/** Files are sent as the connection takes them. */
const roomBytes = 1024 * 1024;

/** The frames that wait to be sent on a connection, in order. */
export class Outgoing implements AsyncIterable<Uint8Array> {
  #frames: Uint8Array[] = [];
  #bytes = 0;
  #isEnded = false;
  #changed = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Nothing more is sent after the last frame. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  send(frame: Uint8Array): void {
    if (this.#isEnded) return;
    this.#frames.push(frame);
    this.#bytes += frame.length + frameOverhead;
    if (this.#bytes > maxWaitingBytes) {
      this.#frames = [];
      this.end();
    } else this.#wake();
  }

  /** Sends what waits, and `last`, and nothing more. */
  end(last?: Uint8Array): void {
    if (this.#isEnded) return;
    if (last !== undefined) this.#frames.push(last);
    this.#isEnded = true;
    this.#ended.resolve();
    this.#wake();
  }

  /** Resolves when a piece of a file may be sent, or the connection has ended. */
  async room(): Promise<void> {
    while (!this.#isEnded && this.#bytes > roomBytes) await this.#changed.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) {
        this.#bytes -= frame.length + frameOverhead;
        this.#wake();
        yield frame;
      } else if (this.#isEnded) return;
      else await this.#changed.promise;
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

/** Many small frames use more memory than their bytes. */
const frameOverhead = 100;
