import { parsePartialJson } from "@muster/wire/events/partial-json";
import { type EventOf, type FoldView, isObject } from "./part-list.ts";

type Display = NonNullable<EventOf<"worker-start">["display"]>;

/** The request to a worker, as far as its `display` shows that. */
export class CardInput {
  readonly #display: Display;
  #json = "";
  #input: Record<string, unknown> | undefined;

  constructor(display: Display) {
    this.#display = display;
  }

  /** Users see the input, and why the worker failed. */
  get isShown(): boolean {
    return this.#display === "description" || this.#display === "stream";
  }

  /** The output is shown when the session is read. */
  get isOutputStored(): boolean {
    return this.#display === "stream";
  }

  append(delta: string): void {
    this.#json += delta;
  }

  complete(input: unknown): void {
    this.#json = "";
    this.#input = isObject(input) ? input : { invalidArguments: input };
  }

  view(as: FoldView): { input?: Record<string, unknown> } {
    if (this.#input !== undefined) return { input: this.#input };
    const partial = as === "live" && this.#json !== "" ? parsePartialJson(this.#json) : undefined;
    return isObject(partial) ? { input: partial } : {};
  }
}
