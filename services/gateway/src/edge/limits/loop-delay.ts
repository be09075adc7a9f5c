/** How often the delay is measured. */
const everyMs = 100;
/**
 * So many late measurements in a row are an overload: a pause, such as a garbage collection, has ended when it is seen.
 */
const lateOnes = 3;

/**
 * Watches how late the event loop is. It counts as overloaded once three measurements in a row exceed the bound, until the
 * first one within it.
 */
export class LoopDelay {
  readonly #maxMs: number;
  readonly #now: () => number;
  #expectedMs = 0;
  #lateInARow = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `maxMs`: 0 for no bound. `now`: a monotonic time in milliseconds. */
  constructor(maxMs: number, now: () => number = () => performance.now()) {
    this.#maxMs = maxMs;
    this.#now = now;
  }

  get isOverloaded(): boolean {
    return this.#lateInARow >= lateOnes;
  }

  start(): void {
    if (this.#maxMs === 0) return;
    this.#expectedMs = this.#now() + everyMs;
    this.#timer = setInterval(() => this.measure(), everyMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Called every 100 ms, or later if the loop is busy. */
  measure(): void {
    const nowMs = this.#now();
    this.#lateInARow = nowMs - this.#expectedMs > this.#maxMs ? this.#lateInARow + 1 : 0;
    this.#expectedMs = nowMs + everyMs;
  }
}
