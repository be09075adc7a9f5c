/** The effect of the next Ctrl-C. */
type Meaning = "cancel the turn" | "show how to leave" | "leave";

/** Handles Ctrl-C: the first cancels the running turn or shows a hint, and the second leaves the chat. */
export class Interrupts {
  #meaning: Meaning = "show how to leave";
  readonly #leaving = new AbortController();
  #cancel: () => void = () => undefined;
  readonly #say: (text: string) => void;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Aborts when the user leaves. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** The first Ctrl-C cancels the turn until the returned function is called. */
  turnBegins(cancel: () => void): () => void {
    this.#meaning = "cancel the turn";
    this.#cancel = cancel;
    return () => {
      this.#meaning = "show how to leave";
    };
  }

  /** Call when the user has typed a line: an earlier Ctrl-C then no longer counts. */
  userContinues(): void {
    this.#meaning = "show how to leave";
  }

  /** Call for each Ctrl-C. */
  fire(): void {
    const meaning = this.#meaning;
    this.#meaning = "leave";
    if (meaning === "leave") {
      this.#leaving.abort();
      return;
    }
    const hint = "Press Ctrl-C again to exit.";
    this.#say(meaning === "cancel the turn" ? `Cancelling the turn. ${hint}` : hint);
    if (meaning === "cancel the turn") this.#cancel();
  }
}
