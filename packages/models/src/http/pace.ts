import { setTimeout as sleep } from "node:timers/promises";

const windowMs = 1000;

/** Limits how many bytes of a body are read in a second. */
export class Pace {
  readonly #maxBytesPerSecond: number;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #windowBytes = 0;

  constructor(maxBytesPerSecond: number) {
    this.#maxBytesPerSecond = maxBytesPerSecond;
  }

  /** Counts bytes that were read. Returns how long to wait before the next ones, usually 0. */
  count(bytes: number): number {
    const nowMs = performance.now();
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#windowStartMs = nowMs;
      this.#windowBytes = 0;
    }
    this.#windowBytes += bytes;
    return this.#windowBytes < this.#maxBytesPerSecond ? 0 : this.#windowStartMs + windowMs - nowMs;
  }

  /** Counts bytes that were read, and waits until the next ones may be. */
  async wait(bytes: number): Promise<void> {
    const delayMs = this.count(bytes);
    if (delayMs > 0) await sleep(delayMs);
  }
}
