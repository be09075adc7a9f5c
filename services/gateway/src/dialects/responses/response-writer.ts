import { timeOfId } from "@muster/service";
import type { StreamError } from "@muster/wire/error-codes";
import type { EventOf } from "@muster/wire/events";
import type { AddedEvent, Encoding, RelayedEvent } from "../../streams/frames.ts";
import type { TurnDocument } from "../openai/answer-collected.ts";
import { callIdOf } from "../openai/call-id.ts";
import { errorOfEvent } from "../openai/error-body.ts";
import {
  type Call,
  type OutputEvent,
  type Part,
  type Question,
  TurnOutput,
  type Writing,
} from "../openai/turn-output.ts";
import { type ResponsePlace, responseIdOf } from "./response-id.ts";

export interface WriterOptions {
  /** Without the ids of the turn, its first event has them. */
  place: Omit<ResponsePlace, "executionId" | "messageId"> & Partial<ResponsePlace>;
  /** The number of the last event that the reader has. Absent: none. */
  startingAfter?: number | undefined;
}

interface Item {
  id: string;
  index: number;
  part: Part;
  isDone: boolean;
}

/**
 * One turn, or the part of it since results or decisions continued it, as a response: whole, or as events whose numbers are
 * the same whenever they are read, because they follow from the whole log.
 */
export class ResponseWriter implements Encoding, TurnDocument {
  readonly #options: WriterOptions;
  readonly #output = new TurnOutput();
  readonly #items = new Map<Part, Item>();
  #place: ResponsePlace | undefined;
  #number = 0;
  #count = 0;
  #finish: EventOf<"finish"> | undefined;
  #isCut = false;
  #error: StreamError | undefined;
  #tokens: EventOf<"usage">["tokens"] | undefined;
  #isOver = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  frames(events: readonly RelayedEvent[]): string {
    let text = this.#place === undefined ? this.#beginAt(this.#options.place) : "";
    for (const event of events) {
      const output = this.#output.take(event);
      if (output !== undefined) text += this.#framesOf(output);
    }
    return text;
  }

  added(events: readonly AddedEvent[]): string {
    return events.map((event) => (isError(event) ? this.#frame("error", errorOfEvent(event)) : "")).join("");
  }

  /** A turn without a usage ends with its stream. */
  get done(): string {
    return this.#finish === undefined ? "" : this.#end();
  }

  collect(events: readonly RelayedEvent[]): void {
    this.frames(events);
  }

  /** The response so far; undefined before the turn has begun. */
  document(): Record<string, unknown> | undefined {
    return this.#place && this.#response(this.#place);
  }

  /** A turn that results continue begins where its first part did. */
  #begin({ executionId, messageId, lastMessageId }: EventOf<"start">): string {
    const { place } = this.#options;
    const last = place.lastMessageId ?? lastMessageId;
    return this.#beginAt({
      ...place,
      executionId,
      messageId,
      ...(last !== undefined && { lastMessageId: last }),
    });
  }

  /** The place of the response, with the ids of its turn. */
  #beginAt({ executionId, messageId, ...place }: WriterOptions["place"]): string {
    if (executionId === undefined || messageId === undefined) return "";
    this.#place = { ...place, executionId, messageId };
    const response = this.#response(this.#place);
    return this.#frame("response.created", { response }) + this.#frame("response.in_progress", { response });
  }

  #framesOf(event: OutputEvent): string {
    switch (event.type) {
      case "begun":
        return this.#place === undefined ? this.#begin(event.start) : "";
      case "opened":
        return this.#open(event.part);
      case "continued":
        return this.#continue(event.part, event.delta);
      case "written":
        return this.#open(event.part) + this.#continue(event.part, event.part.text) + this.#close(event.part);
      case "closed":
        return this.#close(event.part);
      case "added":
        return event.parts.map((part) => this.#add(part)).join("");
      case "retracted":
        return event.parts.map((part) => this.#retract(part)).join("");
      case "finished":
        this.#finish = event.finish;
        this.#isCut = event.isCut;
        return "";
      case "used":
        this.#tokens = event.tokens;
        return this.#finish === undefined ? "" : this.#end();
      case "failed":
        this.#error = event.error;
        return this.#end();
    }
  }

  #open(part: Writing): string {
    const { item_id, output_index, at } = this.#placeOf(part);
    const added = this.#frame("response.output_item.added", {
      output_index,
      item: this.#itemOf(part, "in_progress", true),
    });
    if (part.kind === "text")
      return (
        added +
        this.#frame("response.content_part.added", { item_id, output_index, ...at, part: textPart("") })
      );
    const summary = { type: "summary_text", text: "" };
    return (
      added +
      this.#frame("response.reasoning_summary_part.added", { item_id, output_index, ...at, part: summary })
    );
  }

  #continue(part: Writing, delta: string): string {
    const { item_id, output_index, at, name } = this.#placeOf(part);
    return this.#frame(`response.${name}.delta`, { item_id, output_index, ...at, delta });
  }

  #close(part: Writing): string {
    const { item_id, output_index, at, name } = this.#placeOf(part);
    const place = { item_id, output_index, ...at };
    const { text } = part;
    const done = this.#frame(`response.${name}.done`, { ...place, text });
    const whole =
      part.kind === "text"
        ? this.#frame("response.content_part.done", { ...place, part: textPart(text) })
        : this.#frame("response.reasoning_summary_part.done", {
            ...place,
            part: { type: "summary_text", text },
          });
    return done + whole + this.#itemDone(part);
  }

  #add(part: Call | Question): string {
    const { item_id, output_index } = this.#placeOf(part);
    const item = this.#itemOf(part, "in_progress", true);
    const added = this.#frame("response.output_item.added", { output_index, item });
    if (part.kind === "question") return added + this.#itemDone(part);
    const name = "response.function_call_arguments";
    const delta = this.#frame(`${name}.delta`, { item_id, output_index, delta: part.arguments });
    const done = { item_id, output_index, name: part.name, arguments: part.arguments };
    return added + delta + this.#frame(`${name}.done`, done) + this.#itemDone(part);
  }

  /** The final response lacks the item. */
  #retract(part: Part): string {
    const frame = this.#itemDone(part, "incomplete");
    this.#items.delete(part);
    return frame;
  }

  #itemDone(part: Part, status = "completed"): string {
    const item = this.#indexed(part);
    item.isDone = true;
    const { index: output_index } = item;
    return this.#frame("response.output_item.done", { output_index, item: this.#itemOf(part, status) });
  }

  #end(): string {
    if (this.#place === undefined || this.#isOver) return "";
    this.#isOver = true;
    const response = this.#response(this.#place);
    const type = response.status === "cancelled" ? "incomplete" : response.status;
    return this.#frame(`response.${type}`, { response });
  }

  #frame(type: string, fields: object): string {
    const sequence_number = this.#number;
    this.#number += 1;
    if (sequence_number <= (this.#options.startingAfter ?? -1)) return "";
    return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number, ...fields })}\n\n`;
  }

  #indexed(part: Part): Item {
    const known = this.#items.get(part);
    if (known !== undefined) return known;
    this.#count += 1;
    const index = this.#count - 1;
    const { executionId = "", part: turnPart, after } = this.#place ?? this.#options.place;
    const id = `${idPrefixes[part.kind]}_${executionId}_${turnPart}_${after}_${index}`;
    const item = { id, index, part, isDone: false };
    this.#items.set(part, item);
    return item;
  }

  #placeOf(part: Part) {
    const { id: item_id, index: output_index } = this.#indexed(part);
    const isText = part.kind === "text";
    const at = isText ? { content_index: 0, logprobs: [] } : { summary_index: 0 };
    return { item_id, output_index, at, name: isText ? "output_text" : "reasoning_summary_text" };
  }

  #itemOf(part: Part, status: string, isEmpty = false): object {
    const { id } = this.#indexed(part);
    switch (part.kind) {
      case "text":
        return {
          id,
          type: "message",
          role: "assistant",
          status,
          content: isEmpty ? [] : [textPart(part.text)],
        };
      case "reasoning":
        return {
          id,
          type: "reasoning",
          status,
          summary: isEmpty ? [] : [{ type: "summary_text", text: part.text }],
        };
      case "call": {
        const { sessionId, executionId = "" } = this.#place ?? this.#options.place;
        const call_id = callIdOf({ sessionId, executionId, toolCallId: part.toolCallId });
        return {
          id,
          type: "function_call",
          status,
          call_id,
          name: part.name,
          arguments: isEmpty ? "" : part.arguments,
        };
      }
      case "question":
        return {
          ...{ id: part.approvalId, type: "mcp_approval_request", server_label: "muster" },
          ...{ name: part.name, arguments: part.arguments },
        };
    }
  }

  #response(place: ResponsePlace): Record<string, unknown> & { status: string } {
    const state = this.#state();
    const open = state.status === "in_progress" ? "in_progress" : "incomplete";
    // The end of a cancelled turn closes the text that was being written.
    const cut = this.#isCut ? this.#items.size - 1 : -1;
    const output = [...this.#items.values()].map(({ part, isDone }, at) =>
      this.#itemOf(part, isDone && at !== cut ? "completed" : open),
    );
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
      usage: this.#tokens ? usageOf(this.#tokens) : null,
    };
  }

  #state() {
    const none = { error: null, incomplete_details: null };
    if (this.#error !== undefined) {
      const { message, code } = errorOfEvent(this.#error);
      return { status: "failed", ...none, error: { code, message } };
    }
    if (this.#finish === undefined) return { status: "in_progress", ...none };
    if (this.#isCut) return { status: "cancelled", ...none };
    const reason = incompleteReasons[this.#finish.finishReason] ?? (this.#finish.openCalls && "open_calls");
    return reason === undefined
      ? { status: "completed", ...none }
      : { status: "incomplete", ...none, incomplete_details: { reason } };
  }
}

const idPrefixes: Readonly<Record<Part["kind"], string>> = {
  text: "msg",
  reasoning: "rs",
  call: "fc",
  question: "mcpr",
};

const incompleteReasons: Readonly<Partial<Record<EventOf<"finish">["finishReason"], string>>> = {
  length: "max_output_tokens",
  "content-filter": "content_filter",
};

function textPart(text: string) {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function usageOf({ inputTokens, outputTokens, totalTokens }: EventOf<"usage">["tokens"]) {
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: totalTokens,
  };
}

function isError(event: AddedEvent): event is StreamError {
  return event.type === "error";
}
