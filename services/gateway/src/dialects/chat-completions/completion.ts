import { timeOfId } from "@muster/service";
import type { EventOf } from "@muster/wire/events";
import { type AddedEvent, type Encoding, isStreamError, type RelayedEvent } from "../../streams/frames.ts";
import type { TurnDocument } from "../openai/answer-collected.ts";
import { callIdOf } from "../openai/call-id.ts";
import { errorOfEvent, openAiError } from "../openai/error-body.ts";
import { type Call, type OutputEvent, TurnOutput } from "../turn-output.ts";

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
export class Completion implements Encoding, TurnDocument {
  readonly done = "data: [DONE]\n\n";
  readonly #options: CompletionOptions;
  readonly #output = new TurnOutput();
  #calls = 0;
  /** The beginning of each chunk, up to its delta. */
  #head = "";
  /** A part of the text that was sent is no longer true. */
  #isSpoilt = false;

  constructor(options: CompletionOptions) {
    this.#options = options;
  }

  frames(events: readonly RelayedEvent[]): string {
    let text = "";
    for (const event of events) {
      const output = this.#output.take(event);
      if (output !== undefined && !this.#isSpoilt) text += this.#framesOf(output);
    }
    return text;
  }

  added(events: readonly AddedEvent[]): string {
    return events
      .filter(isStreamError)
      .map((event) => dataOf({ error: errorOfEvent(event) }))
      .join("");
  }

  /** Takes events without writing chunks. */
  collect(events: readonly RelayedEvent[]): void {
    for (const event of events) this.#output.take(event);
  }

  /** The completion as a whole; undefined if the turn has not ended. */
  document(): object | undefined {
    const { finish, tokens } = this.#output;
    if (finish === undefined) return undefined;
    const content = this.#output.textOf("text");
    const reasoning = this.#output.textOf("reasoning");
    const calls = this.#output.parts.filter((part) => part.kind === "call");
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

  #framesOf(event: OutputEvent): string {
    switch (event.type) {
      case "begun":
        this.#head = `${JSON.stringify(this.#fields("chat.completion.chunk")).slice(0, -1)},"choices":[{"index":0,"delta":`;
        return this.#chunk({ role: "assistant", content: "" });
      case "continued": {
        const name = event.part.kind === "text" ? "content" : "reasoning_content";
        return `data: ${this.#head}{"${name}":${JSON.stringify(event.delta)}},"finish_reason":null}]}\n\n`;
      }
      case "written":
        return this.#chunk({ content: event.part.text });
      case "added": {
        const calls = event.parts.filter((part) => part.kind === "call");
        const first = this.#calls;
        this.#calls += calls.length;
        if (calls.length === 0) return "";
        return this.#chunk({
          tool_calls: calls.map((call, at) => ({ index: first + at, ...this.#callOf(call) })),
        });
      }
      case "retracted":
        return this.#retract(event);
      case "finished":
        return this.#chunk({}, this.#endOf(event.finish));
      case "used":
        if (!this.#options.includesUsage) return "";
        return dataOf({
          ...this.#fields("chat.completion.chunk"),
          choices: [],
          usage: usageOf(event.tokens),
        });
      case "failed":
        return dataOf({ error: errorOfEvent(event.error) });
      case "opened":
      case "closed":
        return "";
    }
  }

  /** The protocol cannot take back a text, so that the response must not look complete. */
  #retract({ parts }: Extract<OutputEvent, { type: "retracted" }>): string {
    if (parts.every((part) => part.kind === "question" || (part.kind !== "call" && part.text === "")))
      return "";
    this.#isSpoilt = true;
    const message = "The turn was interrupted and repeats a part that was sent. Send the request again.";
    return dataOf({ error: openAiError("UPSTREAM", message) });
  }

  #fields(object: string) {
    const { executionId } = this.#output;
    const created = Math.floor((timeOfId(executionId) ?? 0) / 1_000);
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
    const id = callIdOf({ sessionId, executionId: this.#output.executionId, toolCallId });
    return { id, type: "function", function: { name, arguments: text } };
  }
}

function dataOf(value: object): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

function usageOf({ inputTokens, outputTokens, totalTokens }: EventOf<"usage">["tokens"]) {
  return { prompt_tokens: inputTokens, completion_tokens: outputTokens, total_tokens: totalTokens };
}
