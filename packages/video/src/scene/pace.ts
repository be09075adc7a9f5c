/**
 * The length that the body of a video should have at most. It is still watched, and rendered in less than two minutes.
 */
const goalMs = 5 * 60_000;
/** Until so much of the run is known, it is taken to have pauses for half of its time. */
const assumedMs = 30_000;
/** The speed changes only now and then, so that it can be shown. */
const speedStepMs = 4000;

/** Chooses how fast a video shows its run, from the rest of the run and of the video. */
export class Pace {
  /** No timeline makes a video longer, whatever its times say. */
  static readonly maxMs = 10 * 60_000;

  readonly #runMs: number;
  #passedMs = 0;
  #shownMs = 0;
  #lengthMs = 0;
  #speed = 1;
  #nextStepMs = 0;

  constructor(runMs: number) {
    this.#runMs = Number.isFinite(runMs) ? Math.max(runMs, 0) : 0;
  }

  /** How long a stretch of the run takes in the video. `shownMs` is its length without its pause. */
  take(passedMs: number, shownMs: number, videoMs: number): { lengthMs: number; speed: number } {
    if (videoMs >= this.#nextStepMs) {
      this.#speed = this.#chosenSpeed();
      this.#nextStepMs = videoMs + speedStepMs;
    }
    this.#passedMs += passedMs;
    this.#shownMs += shownMs;
    const lengthMs = (shownMs / this.#speed) * this.#brake();
    this.#lengthMs += lengthMs;
    return { lengthMs, speed: this.#speed };
  }

  #chosenSpeed(): number {
    const leftMs = Math.max(this.#runMs - this.#passedMs, 0);
    const shownShare = (this.#shownMs + assumedMs / 2) / (this.#passedMs + assumedMs);
    const roomMs = Math.max(goalMs - this.#lengthMs, goalMs / 20);
    const wanted = (leftMs * shownShare) / roomMs;
    return wanted <= 1 ? 1 : Math.ceil(wanted * 2) / 2;
  }

  /** Past the goal, which only wrong times reach, each stretch is shorter than the one before. */
  #brake(): number {
    const room = Pace.maxMs - goalMs;
    return Math.min(Math.max((Pace.maxMs - this.#lengthMs) / room, 0), 1);
  }
}
