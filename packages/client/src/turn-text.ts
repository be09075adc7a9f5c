/** The fields that matter here of an event, which may be one that is not checked. */
interface TextEvent {
  readonly type?: unknown;
  readonly blockId?: unknown;
  readonly step?: unknown;
  readonly waiting?: unknown;
  readonly independent?: unknown;
  readonly delta?: unknown;
}

/** The text of a turn without that of its workers. A step that is retracted takes its text with it. */
export class TurnText {
  text = "";
  /** Length of the text where steps and blocks began, and where blocks ended. */
  readonly #marks = new Map<string, number>();
  #latest = 0;
  #isIndependent = false;

  /** `worker`: the id of the worker inside the turn that the event belongs to; empty for the turn itself. */
  take(event: TextEvent, worker: string): void {
    switch (event.type) {
      case "block-start":
        if (worker === "") this.#isIndependent = event.independent === true;
        this.#mark(`${worker} ${event.blockId}`, worker);
        break;
      case "step-start":
        this.#mark(`${worker} ${event.step}`, worker);
        break;
      case "block-end":
        this.#marks.set(`${worker} end ${event.blockId}`, this.text.length);
        break;
      case "text-delta":
        if (worker === "" && !this.#isIndependent) this.text += event.delta;
        break;
      case "step-discard":
        this.text = this.text.slice(0, this.#startOf(event, worker));
        break;
      default:
    }
  }

  #mark(name: string, worker: string): void {
    this.#marks.set(name, this.text.length);
    if (worker === "") this.#latest = this.text.length;
  }

  #startOf({ step, blockId, waiting }: TextEvent, worker: string): number {
    const at = (name: unknown) => this.#marks.get(`${worker} ${name}`);
    const { length } = this.text;
    if (waiting === true) return Math.min(at(step) ?? length, at(`end ${blockId}`) ?? length);
    return at(blockId ?? step) ?? (worker === "" ? this.#latest : length);
  }
}
