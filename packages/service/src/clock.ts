/** Time as a dependency: services receive a clock, tests control one. */
export interface Clock {
  /**
   * Milliseconds since 1970, for values that users set, and for those that are stored or compared between processes.
   * Can step back, and forward by any amount: an operator or a time server corrects it.
   */
  now(): number;
  /** Milliseconds since some moment, for ages and waiting times in this process. Never steps. */
  monotonicMs(): number;
}

export const systemClock: Clock = { now: () => Date.now(), monotonicMs: () => performance.now() };

/** A clock that only moves when a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  // Not 0, which caches take for no time.
  #monotonicMs = 1_000;

  constructor(startMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** Passes time. */
  advance(byMs: number): void {
    this.#nowMs += byMs;
    this.#monotonicMs += byMs;
  }

  /** Corrects the time of day, back if negative: no time passes. */
  step(byMs: number): void {
    this.#nowMs += byMs;
  }
}
