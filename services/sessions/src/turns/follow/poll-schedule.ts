import type { Timings } from "../../config.ts";

/** Readers of turns whose processes died at the same time do not all read at the same moment. */
const maxJitterMs = 100;

interface Sources {
  /** Milliseconds of a clock that is never set. */
  now: () => number;
  /** At least 0, less than 1. */
  random: () => number;
}

const systemSources: Sources = { now: () => performance.now(), random: Math.random };

/**
 * When a reader of another instance's turn reads the store again. As long as that instance renews its lease, it reads at the
 * usual pace. A lease that should have been renewed and was not is probably that of a dead process: from then on it reads
 * less and less often, but always just after the lease can have ended, so that the turn continues no later.
 */
export class PollSchedule {
  readonly #timings: Pick<Timings, "pollEventsEveryMs" | "renewEveryMs">;
  readonly #sources: Sources;
  #lease: { untilMs: number; seenMs: number } | undefined;
  #pauseMs: number;

  constructor(
    timings: Pick<Timings, "pollEventsEveryMs" | "renewEveryMs">,
    sources: Sources = systemSources,
  ) {
    this.#timings = timings;
    this.#sources = sources;
    this.#pauseMs = timings.pollEventsEveryMs;
  }

  /** How long to pause. `lease`: of the instance that executes the turn; absent if none does. */
  next(lease?: { untilMs: number; leftMs: number }): number {
    const { pollEventsEveryMs, renewEveryMs } = this.#timings;
    if (lease === undefined || !this.#isOverdue(lease.untilMs)) {
      this.#pauseMs = pollEventsEveryMs;
      return pollEventsEveryMs;
    }
    this.#pauseMs = Math.min(this.#pauseMs * 2, Math.max(renewEveryMs, pollEventsEveryMs));
    const jitterMs = this.#sources.random() * Math.min(maxJitterMs, pollEventsEveryMs);
    // The lease has expired from the next millisecond on.
    return Math.min(this.#pauseMs, lease.leftMs + 1) + jitterMs;
  }

  /**
   * The clocks of two instances can differ, so the age of a lease says nothing; that it has not changed for so long does. A
   * holder may leave out one renewal if it has taken the lease just before.
   */
  #isOverdue(untilMs: number): boolean {
    const { pollEventsEveryMs, renewEveryMs } = this.#timings;
    const nowMs = this.#sources.now();
    if (this.#lease?.untilMs !== untilMs) this.#lease = { untilMs, seenMs: nowMs };
    return nowMs - this.#lease.seenMs > renewEveryMs * 1.5 + pollEventsEveryMs;
  }
}
