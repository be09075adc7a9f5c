/**
 * Decides when the next frame may be encoded, so that a minute of video costs a bounded time and number of bytes, whatever
 * happens in it. Small changes show several times a second; while everything scrolls, there are fewer frames. Depends on the
 * frames alone, never on the machine: the same timeline makes the same video.
 */
export class Pace {
  #credit = maxCredit;
  #lastMs = 0;

  /** Whether a frame may be encoded at this time of the video. */
  allows(timeMs: number): boolean {
    this.#credit = Math.min(maxCredit, this.#credit + (timeMs - this.#lastMs) * allowance);
    this.#lastMs = timeMs;
    return this.#credit > 0;
  }

  /** A frame of that size has been encoded. */
  spend(bytes: number): void {
    this.#credit -= Math.min(dearestFrame, smallestFrame + changes * Math.log1p(bytes / 1024));
  }
}

/** Credit is counted in milliseconds of CPU, by estimate: 30 for a frame without changes, 58 for one of 1 KB, 113 for 7 KB. */
const smallestFrame = 30;
const changes = 40;
const dearestFrame = 160;
/** For each millisecond of the video. */
const allowance = 0.3;
/** A burst after a quiet time. */
const maxCredit = 600;
