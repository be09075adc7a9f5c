/**
 * Decides when the next frame may be encoded, so that a minute of video costs a bounded time and number of bytes, whatever
 * happens in it. Small changes show ten times a second; while everything scrolls, there are fewer frames. Depends on the
 * frames alone, never on the machine: the same timeline makes the same video.
 */
export class Pace {
  readonly #allowancePerMs: number;
  #credit = maxCredit;
  #lastMs = 0;

  /** `runMs` is how long the run took. */
  constructor(runMs: number) {
    // A long run has fewer frames a second, so that it is rendered in bounded time.
    this.#allowancePerMs = Math.min(usualAllowance, longestRenderMs / Math.max(runMs, 1));
  }

  /** Whether a frame may be encoded at this time of the video. */
  allows(timeMs: number): boolean {
    this.#credit = Math.min(maxCredit, this.#credit + (timeMs - this.#lastMs) * this.#allowancePerMs);
    this.#lastMs = timeMs;
    return this.#credit > 0;
  }

  /** A frame of that size has been encoded. */
  spend(bytes: number): void {
    this.#credit -= Math.min(dearestFrame, frameCost + bytes * byteCost);
  }
}

/** Credit is counted in milliseconds of CPU, by estimate: a frame costs 25 of them and 2.5 for each KB of changes. */
const frameCost = 25;
const byteCost = 2.5 / 1024;
const dearestFrame = 200;
const usualAllowance = 0.28;
const longestRenderMs = 360_000;
/** A burst after a quiet time. */
const maxCredit = 600;
