import { StoreError } from "./errors.ts";

/** The work between two checks of the clock: reading a small document counts as one, as does each KiB of a large one. */
const checkEvery = 16;
const unitBytes = 1024;

/** How long the running command may continue: until its slice ends, and until its own time limit. */
export class Pace {
  readonly #clock: () => number;
  #sliceEndMs = Number.POSITIVE_INFINITY;
  #deadlineMs = Number.POSITIVE_INFINITY;
  #work = 0;

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Starts a slice; afterwards the command has to let others run. Without a slice, commands run to completion. */
  startSlice(lengthMs: number): void {
    this.#sliceEndMs = this.#clock() + lengthMs;
  }

  /** Work until `stop` cannot be divided: it runs as one slice, however long it takes. */
  endSlices(): void {
    this.#sliceEndMs = Number.POSITIVE_INFINITY;
  }

  /** The time at which a command that starts now exceeds its limit; 0 means no limit. */
  deadlineAfter(limitMs: number): number {
    return limitMs === 0 ? Number.POSITIVE_INFINITY : this.#clock() + limitMs;
  }

  limitTo(deadlineMs: number): void {
    this.#deadlineMs = deadlineMs;
  }

  /** Counts work on `bytes`. Returns true if the slice has ended. Throws MaxTimeMSExpired. */
  spend(bytes: number): boolean {
    this.#work += 1 + bytes / unitBytes;
    if (this.#work < checkEvery) return false;
    this.#work = 0;
    return this.isOver();
  }

  /** Whether the slice has ended. Throws MaxTimeMSExpired if the command has used up its time. */
  isOver(): boolean {
    if (this.#sliceEndMs === Number.POSITIVE_INFINITY && this.#deadlineMs === Number.POSITIVE_INFINITY)
      return false;
    const now = this.#clock();
    if (now >= this.#deadlineMs) throw new StoreError("MaxTimeMSExpired", "operation exceeded time limit");
    return now >= this.#sliceEndMs;
  }
}
