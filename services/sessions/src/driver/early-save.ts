/**
 * Stores a turn once during a long first step, so that readers of the session see the turn and a crash keeps the
 * user's message. A short turn ends before that and costs no extra write.
 */
export class EarlySave {
  readonly #afterMs: number;
  readonly #save: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;

  /** `save` must not reject. */
  constructor(afterMs: number, save: () => Promise<void>) {
    this.#afterMs = afterMs;
    this.#save = save;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#saving = this.#save();
    }, this.#afterMs);
  }

  /**
   * Must be awaited before every other write of the turn: on another connection to the store, the early write could
   * arrive later and undo it.
   */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
  }
}
