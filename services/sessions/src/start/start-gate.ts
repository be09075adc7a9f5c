const maxInside = 32;

/** Of a start that waits because others are stuck, such as while the store does not respond. */
const maxWaitMs = 250;

/**
 * Lets a number of starts through at a time, in the order of their arrival: of hundreds that arrive at once, the first
 * ones then reach their models while the others still wait, and the deltas of running streams are sent in between.
 * Without it, all of them would be prepared first, then all stored, and only then all models called.
 */
export class StartGate {
  readonly #max: number;
  #inside = 0;
  /** In order. */
  readonly #waiting = new Set<() => void>();

  constructor(max = maxInside) {
    this.#max = max;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside >= this.#max) await this.#wait();
    else this.#inside++;
    try {
      return await work();
    } finally {
      this.#inside--;
      this.#admit();
    }
  }

  #wait(): Promise<void> {
    return new Promise((resolve) => {
      const enter = () => {
        clearTimeout(timer);
        this.#waiting.delete(enter);
        // Now, so that no later start can overtake this one.
        this.#inside++;
        resolve();
      };
      const timer = setTimeout(enter, maxWaitMs);
      this.#waiting.add(enter);
    });
  }

  #admit(): void {
    if (this.#inside >= this.#max) return;
    const [next] = this.#waiting;
    next?.();
  }
}
