import type { StreamError } from "@muster/wire/error-codes";
import type { EventOf } from "@muster/wire/events";
import { type AddedEvent, type Encoding, isStreamError } from "../../streams/frames.ts";
import type { TurnDocument } from "../openai/answer-collected.ts";
import { errorOfEvent } from "../openai/error-body.ts";
import { type Part, TurnOutput } from "../turn-output.ts";
import { type ResponsePlace, responseIdOf } from "./response-id.ts";
import { type ItemEvent, type ResponseItem, responseItem } from "./response-item.ts";

/**
 * One turn, or the part of it since results or decisions continued it, as a response: whole, or as events whose numbers are
 * the same whenever they are read, because they follow from the whole log.
 */
export class ResponseWriter extends TurnOutput implements Encoding, TurnDocument {
  /** Also those that are retracted. */
  readonly #items = new Map<Part, ResponseItem & { index: number }>();
  readonly #startingAfter: number;
  #place: ResponsePlace;
  #error: { code: string; message: string } | undefined;
  #isOver = false;
  /** The number of the next event. */
  #number = 0;

  /** `startingAfter`: the number of the last event that the reader has. Ids that are empty follow from the first event. */
  constructor(place: ResponsePlace, startingAfter = -1) {
    super();
    this.#place = place;
    this.#startingAfter = startingAfter;
  }

  added(events: readonly AddedEvent[]): string {
    const error = events.find(isStreamError);
    return error === undefined ? "" : this.#event("error", errorOfEvent(error));
  }

  /** The last event, once. A turn without a usage ends with its stream. */
  get done(): string {
    const response = this.document();
    if (this.#isOver || response === undefined || response.status === "in_progress") return "";
    this.#isOver = true;
    const type = response.status === "cancelled" ? "incomplete" : response.status;
    return this.#event(`response.${type}`, { response });
  }

  /** The response so far; undefined before the turn has begun. */
  document() {
    if (this.executionId === "") return undefined;
    const { sessionId, model, background } = this.#place;
    const state = this.#state();
    const partial = state.status === "in_progress" ? "in_progress" : "incomplete";
    const shown = (part: Part) => this.#itemOf(part).shown(this.isPartial(part) ? partial : "completed");
    return {
      ...constants,
      ...state,
      id: responseIdOf(this.#place),
      created_at: this.createdAt,
      background,
      metadata: { session_id: sessionId },
      model,
      output: this.parts.map(shown),
      usage: this.tokens ? usageOf(this.tokens) : null,
    };
  }

  protected begun({ executionId, messageId, lastMessageId }: EventOf<"start">): string {
    const place = this.#place;
    if (place.executionId === "")
      this.#place = { ...place, executionId, messageId, lastMessageId: place.lastMessageId ?? lastMessageId };
    const response = this.document();
    return this.#event("response.created", { response }) + this.#event("response.in_progress", { response });
  }

  protected override opened(part: Part): string {
    const { added: item, begun } = this.#itemOf(part);
    return this.#events(part, [["output_item.added", { item }], ...begun]);
  }

  protected continued(part: Part, delta: string): string {
    return this.#events(part, this.#itemOf(part).continued(delta));
  }

  protected override closed(part: Part): string {
    return this.#events(part, this.#itemOf(part).ended()) + this.#itemDone(part, "completed");
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
    const { code, message } = errorOfEvent(error);
    this.#error = { code, message };
    return this.done;
  }

  #itemDone(part: Part, status: string): string {
    return this.#events(part, [["output_item.done", { item: this.#itemOf(part).shown(status) }]]);
  }

  #events(part: Part, events: readonly ItemEvent[]): string {
    const { index: output_index } = this.#itemOf(part);
    return events
      .map(([type, fields]) => this.#event(`response.${type}`, { output_index, ...fields }))
      .join("");
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
    const item = { ...responseItem(part, this.#place, name), index };
    this.#items.set(part, item);
    return item;
  }

  /** The members of a response that its end decides. */
  #state() {
    const { finish, isCut } = this;
    if (this.#error !== undefined) return { status: "failed", error: this.#error };
    if (finish === undefined) return { status: "in_progress" };
    if (isCut) return { status: "cancelled" };
    const reason = incompleteReasons[finish.finishReason] ?? (finish.openCalls && "open_calls");
    return reason ? { status: "incomplete", incomplete_details: { reason } } : { status: "completed" };
  }
}

/** The members of every response; a failed or an incomplete one replaces its own. */
const constants = {
  object: "response",
  error: null,
  incomplete_details: null,
  instructions: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  temperature: null,
  tool_choice: "auto",
  tools: [],
  top_p: null,
};

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
