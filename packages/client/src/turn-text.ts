import type { StreamEvent } from "./wire-types.ts";

/** The text of a turn without that of its workers. A step that is retracted takes its text with it. */
export class TurnText {
  text = "";
  /** Length of the text where steps and blocks began, and where blocks ended. */
  readonly #marks = new Map<string, number>();
  #latest = 0;
  #isIndependent = false;

  /** `worker`: the id of the worker inside the turn that the event belongs to; empty for the turn itself. */
  take(event: StreamEvent, worker: string): void {
    switch (event.type) {
      case "block-start":
        if (worker === "") this.#isIndependent = event.independent === true;
        this.#mark(`${worker} ${event.blockId}`);
        break;
      case "step-start":
        this.#mark(`${worker} ${event.step}`);
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

  #mark(name: string): void {
    this.#latest = this.text.length;
    this.#marks.set(name, this.#latest);
  }

  #startOf(
    { step, blockId, waiting }: Extract<StreamEvent, { type: "step-discard" }>,
    worker: string,
  ): number {
    const at = (name: unknown) => this.#marks.get(`${worker} ${name}`);
    if (waiting === true)
      return Math.min(at(step) ?? this.text.length, at(`end ${blockId}`) ?? this.text.length);
    return at(blockId ?? step) ?? (worker === "" ? this.#latest : this.text.length);
  }
}
