const startsPerTurn = 16;

/**
 * Lets a few starts begin in each turn of the event loop, in the order of their arrival. Of hundreds that arrive at once, the
 * first ones then reach the store and their models while the others wait, and the deltas of running streams are sent in
 * between; otherwise all of them would be prepared before anything else happens.
 */
export class StartPace {
  readonly #perTurn: number;
  readonly #schedule: (turn: () => void) => void;
  #begun = 0;
  #waiting: (() => void)[] = [];
  #isPlanned = false;

  /** `schedule` calls back in the next turn. */
  constructor(perTurn = startsPerTurn, schedule: (turn: () => void) => void = setImmediate) {
    this.#perTurn = perTurn;
    this.#schedule = schedule;
  }

  /** Resolves when a start may begin. */
  turn(): Promise<void> {
    this.#plan();
    if (this.#begun >= this.#perTurn) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#begun++;
    return Promise.resolve();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    this.#schedule(() => {
      this.#isPlanned = false;
      const next = this.#waiting.splice(0, this.#perTurn);
      this.#begun = next.length;
      if (next.length > 0) this.#plan();
      for (const begin of next) begin();
    });
  }
}
