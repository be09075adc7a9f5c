import { timeOfId } from "@muster/service";
import type { StreamError } from "@muster/wire/error-codes";
import type { EventOf } from "@muster/wire/events";
import { type AddedEvent, type Encoding, isStreamError } from "../../streams/frames.ts";
import type { TurnDocument } from "../openai/answer-collected.ts";
import { errorOfEvent } from "../openai/error-body.ts";
import { type Part, TurnOutput } from "../turn-output.ts";
import { type ResponsePlace, responseIdOf } from "./response-id.ts";
import { type ResponseItem, responseItem } from "./response-item.ts";

export interface WriterOptions {
  /** Without the ids of the turn, its first event has them. */
  place: Omit<ResponsePlace, "executionId" | "messageId"> & Partial<ResponsePlace>;
  /** The number of the last event that the reader has. Absent: none. */
  startingAfter?: number | undefined;
}

/**
 * One turn, or the part of it since results or decisions continued it, as a response: whole, or as events whose numbers are
 * the same whenever they are read, because they follow from the whole log.
 */
export class ResponseWriter extends TurnOutput implements Encoding, TurnDocument {
  /** Also those that are retracted. */
  readonly #items = new Map<Part, ResponseItem & { index: number; isDone: boolean }>();
  readonly #startingAfter: number;
  #place: ResponsePlace;
  #hasBegun = false;
  #error: StreamError | undefined;
  #isOver = false;
  /** The number of the next event. */
  #number = 0;

  constructor({ place, startingAfter = -1 }: WriterOptions) {
    super();
    this.#place = { executionId: "", messageId: "", ...place };
    this.#startingAfter = startingAfter;
  }

  added(events: readonly AddedEvent[]): string {
    return events
      .filter(isStreamError)
      .map((event) => this.#event("error", errorOfEvent(event)))
      .join("");
  }

  /** A turn without a usage ends with its stream. */
  get done(): string {
    return this.finish === undefined ? "" : this.#end();
  }

  /** The response so far; undefined before the turn has begun. */
  document(): Record<string, unknown> | undefined {
    return this.#hasBegun ? this.#response() : undefined;
  }

  /** A turn that results or decisions continue began where its first part did. */
  protected begun({ executionId, messageId, lastMessageId }: EventOf<"start">): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    const place = this.#place;
    if (place.executionId === "")
      this.#place = { ...place, executionId, messageId, lastMessageId: place.lastMessageId ?? lastMessageId };
    const response = this.#response();
    return this.#event("response.created", { response }) + this.#event("response.in_progress", { response });
  }

  protected override opened(part: Part): string {
    const { index: output_index, shown, begun } = this.#itemOf(part);
    const item = shown("in_progress");
    return this.#event("response.output_item.added", { output_index, item }) + this.#textEvents(part, begun);
  }

  protected continued(part: Part, delta: string): string {
    return this.#textEvents(part, this.#itemOf(part).continued(delta));
  }

  protected override closed(part: Part): string {
    return this.#textEvents(part, this.#itemOf(part).ended(part.text)) + this.#itemDone(part, "completed");
  }

  protected asked(parts: readonly Part[]): string {
    return parts
      .map((part) => this.opened(part) + this.continued(part, part.text) + this.closed(part))
      .join("");
  }

  protected retracted(parts: readonly Part[]): string {
    return parts.map((part) => this.#itemDone(part, "incomplete")).join("");
  }

  protected used(): string {
    return this.done;
  }

  protected failed(error: StreamError): string {
    this.#error = error;
    return this.#end();
  }

  #textEvents(part: Part, events: ReturnType<ResponseItem["continued"]>): string {
    const { id: item_id, index: output_index } = this.#itemOf(part);
    return events
      .map(([type, fields]) => this.#event(`response.${type}`, { item_id, output_index, ...fields }))
      .join("");
  }

  #itemDone(part: Part, status: string): string {
    const item = this.#itemOf(part);
    item.isDone = true;
    const fields = { output_index: item.index, item: item.shown(status, part.text) };
    return this.#event("response.output_item.done", fields);
  }

  #end(): string {
    if (!this.#hasBegun || this.#isOver) return "";
    this.#isOver = true;
    const response = this.#response();
    const type = response.status === "cancelled" ? "incomplete" : response.status;
    return this.#event(`response.${type}`, { response });
  }

  #event(type: string, fields: object): string {
    const sequence_number = this.#number;
    this.#number += 1;
    if (sequence_number <= this.#startingAfter) return "";
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;
  }

  #itemOf(part: Part) {
    const known = this.#items.get(part);
    if (known !== undefined) return known;
    const index = this.#items.size;
    const name = `${this.#place.executionId}_${this.#place.part}_${index}`;
    const item = { ...responseItem(part, this.#place, name), index, isDone: false };
    this.#items.set(part, item);
    return item;
  }

  #response() {
    const place = this.#place;
    const state = this.#state();
    const open = state.status === "in_progress" ? "in_progress" : "incomplete";
    const { parts, isCut, tokens } = this;
    // The end of a cancelled turn closes the text that was being written.
    const cut = isCut ? parts.at(-1) : undefined;
    const output = parts.map((part) => {
      const { shown, isDone } = this.#itemOf(part);
      return shown(isDone && part !== cut ? "completed" : open, part.text);
    });
    return {
      id: responseIdOf(place),
      object: "response",
      created_at: Math.floor((timeOfId(place.executionId) ?? 0) / 1_000),
      ...state,
      background: place.background,
      instructions: null,
      metadata: { session_id: place.sessionId },
      model: place.model,
      output,
      parallel_tool_calls: true,
      previous_response_id: null,
      temperature: null,
      tool_choice: "auto",
      tools: [],
      top_p: null,
      usage: tokens ? usageOf(tokens) : null,
    };
  }

  #state() {
    const none = { error: null, incomplete_details: null };
    const { finish, isCut } = this;
    if (this.#error !== undefined) {
      const { message, code } = errorOfEvent(this.#error);
      return { status: "failed", ...none, error: { code, message } };
    }
    if (finish === undefined) return { status: "in_progress", ...none };
    if (isCut) return { status: "cancelled", ...none };
    const reason = incompleteReasons[finish.finishReason] ?? (finish.openCalls && "open_calls");
    return reason === undefined
      ? { status: "completed", ...none }
      : { status: "incomplete", ...none, incomplete_details: { reason } };
  }
}

const incompleteReasons: Readonly<Partial<Record<EventOf<"finish">["finishReason"], string>>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

function usageOf({ inputTokens, outputTokens, totalTokens }: EventOf<"usage">["tokens"]) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: totalTokens,
  };
}
