/**
 * Stores a turn once during a long first step, so that readers of the session see the turn and a crash keeps the
 * user's message. A short turn ends before that and costs no extra write.
 */
export class EarlySave {
  readonly #afterMs: number;
  readonly #save: () => Promise<void>;
  readonly #isBusy: () => boolean;
  #timer: NodeJS.Timeout | undefined;
  #saving: Promise<void> | undefined;

  /**
   * `save` must not reject. `isBusy`: the turn's state is ahead of the events that were sent, and the events stored
   * with it would be missing from the stream if the process died. The save waits as long again.
   */
  constructor(afterMs: number, save: () => Promise<void>, isBusy: () => boolean) {
    this.#afterMs = afterMs;
    this.#save = save;
    this.#isBusy = isBusy;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      if (this.#isBusy()) this.start();
      else this.#saving = this.#save();
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
