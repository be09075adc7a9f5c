/**
 * Stores a turn once while its first step runs, if that takes long: whoever reads the session sees the turn, and a
 * crash keeps what the user wrote. A short turn is over before, and costs no write more.
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
   * To be awaited before every other write of the turn: on another connection to the store the early one could
   * arrive later and undo it.
   */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#saving;
  }
}
