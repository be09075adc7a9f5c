type Start = () => void;

/**
 * Runs a bounded number of tasks at once. Names that wait take turns, so that no name can delay the others for longer than
 * one of its tasks takes. Never refuses a task: whatever sends them bounds how many wait.
 */
export class FairQueue {
  readonly #atOnce: number;
  /** In the order of their turns. */
  readonly #waiting = new Map<string, Start[]>();
  #running = 0;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async run<T>(name: string, task: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running += 1;
    else await this.#turn(name);
    try {
      return await task();
    } finally {
      this.#next();
    }
  }

  #turn(name: string): Promise<void> {
    return new Promise((start) => {
      const starts = this.#waiting.get(name);
      if (starts === undefined) this.#waiting.set(name, [start]);
      else starts.push(start);
    });
  }

  /** The next task takes the place of the one that has ended. */
  #next(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      this.#running -= 1;
      return;
    }
    const [name, starts] = first;
    const start = starts.shift();
    this.#waiting.delete(name);
    if (starts.length > 0) this.#waiting.set(name, starts);
    start?.();
  }
}
