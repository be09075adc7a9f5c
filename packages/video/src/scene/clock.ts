import { Pace } from "./pace.ts";

/** A pause of the run up to this length is shown unchanged. */
const longestPauseMs = 1000;
/** The part of a longer pause that passes before it is marked. */
const beforeMarkMs = 300;
/** How much a video may be longer than its run, so that there is time to read. */
const readingBudgetMs = 45_000;

/** A pause that the video shortens. */
export interface Gap {
  /** When the mark shows and disappears, in video time. */
  fromMs: number;
  toMs: number;
  /** The length of the pause in the run. */
  pauseMs: number;
}

interface Stretch {
  fromMs: number;
  toMs: number;
  fromRunMs: number;
  toRunMs: number;
  gap: Gap | undefined;
  speed: number;
}

/**
 * Maps the time of the run to the time of the video, in one pass. Pauses are shortened; a long run is shown faster, so that the
 * video never exceeds `Pace.maxMs`; and the video can wait a little where there is something to read.
 */
export class Clock {
  readonly #pace: Pace;
  /** Between the last two events. */
  #stretch: Stretch;
  #readingLeftMs = readingBudgetMs;
  #waitMs = 0;

  /** `startMs` is the video time at which the run begins. */
  constructor(startMs: number, runMs: number) {
    this.#pace = new Pace(runMs);
    this.#stretch = { fromMs: startMs, toMs: startMs, fromRunMs: 0, toRunMs: 0, gap: undefined, speed: 1 };
  }

  /** The video time of the next event, which never decreases. */
  due(runMs: number): number {
    const last = this.#stretch;
    const toRunMs = Number.isFinite(runMs) ? Math.max(runMs, last.toRunMs) : last.toRunMs;
    const pauseMs = toRunMs - last.toRunMs;
    const shownMs = shownPause(pauseMs);
    const { lengthMs, speed } = this.#pace.take(pauseMs, shownMs, last.toMs);
    const waitMs = Math.max(this.#waitMs / speed - lengthMs, 0);
    this.#waitMs = 0;
    this.#readingLeftMs -= waitMs;
    const fromMs = last.toMs;
    const toMs = fromMs + lengthMs + waitMs;
    const markFromMs = fromMs + beforeMarkMs / speed + waitMs;
    const gap = pauseMs > longestPauseMs ? { fromMs: markFromMs, toMs, pauseMs } : undefined;
    this.#stretch = { fromMs, toMs, fromRunMs: last.toRunMs, toRunMs, gap, speed };
    return toMs;
  }

  /** The next event appears so much later than this one at least, as long as the budget for reading lasts. */
  wait(durationMs: number): void {
    const share = Math.max(this.#readingLeftMs / readingBudgetMs, 0);
    this.#waitMs = Math.max(this.#waitMs, durationMs * share);
  }

  /** How long the last `wait` will be at most. */
  get waitMs(): number {
    return this.#waitMs;
  }

  /** How much of the run has passed at a time between the last two events. */
  runTimeAt(videoMs: number): number {
    const { fromMs, toMs, fromRunMs, toRunMs } = this.#stretch;
    if (toMs <= fromMs) return toRunMs;
    const share = Math.min(Math.max((videoMs - fromMs) / (toMs - fromMs), 0), 1);
    return fromRunMs + (toRunMs - fromRunMs) * share;
  }

  /** The pause that is marked at a time between the last two events. */
  gapAt(videoMs: number): Gap | undefined {
    const { gap } = this.#stretch;
    return gap !== undefined && videoMs >= gap.fromMs && videoMs < gap.toMs ? gap : undefined;
  }

  /** How many times faster than the run the video is. */
  get speed(): number {
    return this.#stretch.speed;
  }
}

/** A pause of a minute takes 1.9 s. */
function shownPause(pauseMs: number): number {
  if (pauseMs <= longestPauseMs) return pauseMs;
  return longestPauseMs + Math.min(500 * Math.log10(pauseMs / longestPauseMs), 1500);
}
