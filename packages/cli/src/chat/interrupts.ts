/** What Ctrl-C means next. */
type Meaning = "cancel the turn" | "say how to leave" | "leave";

/** Decides what each Ctrl-C does: the first ends the running turn, or says that the second leaves. */
export class Interrupts {
  #meaning: Meaning = "say how to leave";
  readonly #leaving = new AbortController();
  #cancel: () => void = () => undefined;
  readonly #say: (text: string) => void;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** Aborted when the user leaves. */
  get leaving(): AbortSignal {
    return this.#leaving.signal;
  }

  /** Until the returned function is called, the first Ctrl-C cancels. */
  turnBegins(cancel: () => void): () => void {
    this.#meaning = "cancel the turn";
    this.#cancel = cancel;
    return () => {
      this.#meaning = "say how to leave";
    };
  }

  /** The user typed something, so a Ctrl-C before was no wish to leave. */
  userGoesOn(): void {
    this.#meaning = "say how to leave";
  }

  /** A Ctrl-C. */
  fire(): void {
    const meaning = this.#meaning;
    this.#meaning = "leave";
    if (meaning === "leave") {
      this.#leaving.abort();
      return;
    }
    const hint = "Ctrl-C again leaves.";
    this.#say(meaning === "cancel the turn" ? `Cancelling the turn; ${hint}` : hint);
    if (meaning === "cancel the turn") this.#cancel();
  }
}
