import { isJsonObject, type JsonObject, type JsonValue } from "@muster/language";
import type { EventOf } from "@muster/wire/events";
import { parsePartialJson } from "@muster/wire/events";
import type { FoldView } from "./part-list.ts";

type Display = NonNullable<EventOf<"worker-start">["display"]>;

/** The request to a worker, as far as its `display` shows that. */
export class CardInput {
  readonly #display: Display;
  #json = "";
  #input: JsonObject | undefined;

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

  complete(input: JsonValue): void {
    this.#json = "";
    this.#input = isJsonObject(input) ? input : { invalidArguments: input };
  }

  view(as: FoldView): { input?: JsonObject } {
    if (this.#input !== undefined) return { input: this.#input };
    const partial = as === "live" && this.#json !== "" ? parsePartialJson(this.#json) : undefined;
    return isJsonObject(partial) ? { input: partial } : {};
  }
}
