import type { Job } from "./job.ts";

/** The jobs that have paused, in the order of their turns, and those that wait for something. */
export class Turns {
  readonly #schedule: (turn: () => void) => void;
  readonly #run: (job: Job | undefined) => void;
  readonly #isNeeded: () => boolean;
  #paused: Job[] = [];
  readonly #waiting = new Map<Job, Promise<void>>();
  #isClosing = false;
  #isClosed = false;
  #isPlanned = false;

  /**
   * `schedule` starts a turn once the event loop has read from all connections, and `run` runs it, with a slice of one
   * job if any has paused. `isNeeded` returns whether a turn must follow even if no job has paused.
   */
  constructor(
    schedule: (turn: () => void) => void,
    run: (job: Job | undefined) => void,
    isNeeded: () => boolean,
  ) {
    this.#schedule = schedule;
    this.#run = run;
    this.#isNeeded = isNeeded;
  }

  /** The job continues in a later turn, or ends if there is none because the store closes. */
  pause(job: Job): void {
    if (this.#isClosed) {
      job.stop();
      return;
    }
    this.#paused.push(job);
    this.plan();
  }

  /** A job that its turn could not run is the first one to continue. */
  defer(job: Job): void {
    this.#paused.unshift(job);
    this.plan();
  }

  /** The job continues in a later turn after `condition`, which must not be rejected. */
  wait(job: Job, condition: Promise<unknown>): void {
    const done = condition.then(() => {
      this.#waiting.delete(job);
      if (!this.#isClosing) this.pause(job);
    });
    this.#waiting.set(job, done);
  }

  /** Ends a paused job. */
  stop(job: Job): void {
    this.#paused = this.#paused.filter((other) => other !== job);
    job.stop();
  }

  /** Plans a turn, unless one is planned. */
  plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#schedule(() => {
      this.#isPlanned = false;
      this.#run(this.#paused.shift());
      if (this.#paused.length > 0 || this.#isNeeded()) this.plan();
    });
  }

  /** Ends the jobs that wait, which takes time, and those that have paused. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // Requests still arrive meanwhile.
    while (this.#waiting.size > 0) {
      for (const job of this.#waiting.keys()) job.stop();
      await Promise.all(this.#waiting.values());
    }
    this.#isClosed = true;
    for (const job of this.#paused) job.stop();
    this.#paused = [];
  }
}
