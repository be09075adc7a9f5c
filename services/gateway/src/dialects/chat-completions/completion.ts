import type { StreamError } from "@muster/wire/error-codes";
import type { EventOf } from "@muster/wire/events";
import { type AddedEvent, type Encoding, isStreamError, type RelayedEvent } from "../../streams/frames.ts";
import type { TurnDocument } from "../openai/answer-collected.ts";
import { callIdOf } from "../openai/call-id.ts";
import { errorOfEvent, openAiError } from "../openai/error-body.ts";
import { type Call, type Part, TurnOutput, type Writing } from "../turn-output.ts";

const finishReasons: Readonly<Record<EventOf<"finish">["finishReason"], string>> = {
  stop: "stop",
  "tool-calls": "tool_calls",
  "client-tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  error: "stop",
  other: "stop",
};

interface CompletionOptions {
  model: string;
  sessionId: string;
  /** The last chunk has the usage. */
  includesUsage: boolean;
}

/** One turn as a chat completion, whole or in chunks. */
export class Completion extends TurnOutput implements Encoding, TurnDocument {
  readonly done = "data: [DONE]\n\n";
  readonly #options: CompletionOptions;
  #calls = 0;
  /** The beginning of each chunk, up to its delta. */
  #head = "";
  /** A part of the text that was sent is no longer true. */
  #isSpoilt = false;

  constructor(options: CompletionOptions) {
    super();
    this.#options = options;
  }

  protected override frame(event: RelayedEvent): string {
    const wasSpoilt = this.#isSpoilt;
    const text = super.frame(event);
    return wasSpoilt ? "" : text;
  }

  added(events: readonly AddedEvent[]): string {
    const error = events.find(isStreamError);
    return error === undefined ? "" : this.failed(error);
  }

  /** The completion as a whole; undefined if the turn has not ended. */
  document(): object | undefined {
    const { finish, tokens } = this;
    if (finish === undefined) return undefined;
    const content = this.textOf("text");
    const reasoning = this.textOf("reasoning");
    const calls = this.parts.filter((part) => part.kind === "call");
    const message = {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      refusal: null,
      ...(reasoning !== "" && { reasoning_content: reasoning }),
      ...(calls.length > 0 && { tool_calls: calls.map((call) => this.#callOf(call)) }),
    };
    const choice = { index: 0, message, logprobs: null, ...this.#endOf(finish) };
    const usage = tokens && { usage: usageOf(tokens) };
    return { ...this.#fields("chat.completion"), choices: [choice], ...usage };
  }

  protected begun(): string {
    this.#head = `${JSON.stringify(this.#fields("chat.completion.chunk")).slice(0, -1)},"choices":[{"index":0,"delta":`;
    return this.#chunk({ role: "assistant", content: "" });
  }

  protected continued({ kind }: Writing, delta: string): string {
    const name = kind === "text" ? "content" : "reasoning_content";
    return `data: ${this.#head}{"${name}":${JSON.stringify(delta)}},"finish_reason":null}]}\n\n`;
  }

  protected asked(parts: readonly Part[]): string {
    const calls = parts.filter((part) => part.kind === "call");
    const first = this.#calls;
    this.#calls += calls.length;
    if (calls.length === 0) return "";
    return this.#chunk({
      tool_calls: calls.map((call, at) => ({ index: first + at, ...this.#callOf(call) })),
    });
  }

  /** The protocol cannot take back a text, so that the response must not look complete. */
  protected retracted(parts: readonly Part[]): string {
    if (parts.every(({ kind, text }) => kind === "question" || (kind !== "call" && text === ""))) return "";
    this.#isSpoilt = true;
    const message =
      "The turn was interrupted and repeats a part that had already been sent. Send the request again.";
    return dataOf({ error: openAiError("UPSTREAM", message) });
  }

  protected override finished(finish: EventOf<"finish">): string {
    return this.#chunk({}, this.#endOf(finish));
  }

  protected used(tokens: EventOf<"usage">["tokens"]): string {
    if (!this.#options.includesUsage) return "";
    return dataOf({ ...this.#fields("chat.completion.chunk"), choices: [], usage: usageOf(tokens) });
  }

  protected failed(error: StreamError): string {
    return dataOf({ error: errorOfEvent(error) });
  }

  #fields(object: string) {
    const { executionId, createdAt: created } = this;
    return { id: `chatcmpl-${executionId}`, object, created, model: this.#options.model };
  }

  #chunk(delta: object, end: object = { finish_reason: null }): string {
    return `data: ${this.#head}${JSON.stringify(delta)},${JSON.stringify(end).slice(1)}]}\n\n`;
  }

  /** The end of a choice. A turn that waits for decisions has no reason of its own here, so it names them. */
  #endOf({ finishReason, approvals }: EventOf<"finish">): object {
    return { finish_reason: finishReasons[finishReason], ...(approvals !== undefined && { approvals }) };
  }

  #callOf({ toolCallId, name, text }: Call) {
    const { sessionId } = this.#options;
    const id = callIdOf({ sessionId, executionId: this.executionId, toolCallId });
    return { id, type: "function", function: { name, arguments: text } };
  }
}

function dataOf(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function usageOf({ inputTokens, outputTokens, totalTokens }: EventOf<"usage">["tokens"]) {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
}
