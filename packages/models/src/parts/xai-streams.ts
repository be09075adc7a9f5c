import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateId } from "@ai-sdk/provider-utils";
import {
  type Fields,
  givenNumber,
  givenText,
  notOurs,
  numberOf,
  type OwnStreams,
  objectOf,
  objectsOf,
  ownStreams,
  type PartReader,
  textOf,
} from "./own-streams.ts";

type Part = LanguageModelV4StreamPart;

/** Streams of xAI's responses. */
export function xaiStreams(fetch: typeof globalThis.fetch): OwnStreams {
  return ownStreams(fetch, { createReader: (parts) => new XaiReader(parts) });
}

class XaiReader implements PartReader {
  readonly #parts: Part[];
  /** By item: the event that began it, without its words. Texts end with the stream. */
  readonly #texts = new Map<string, Fields>();
  readonly #thoughts = new Map<string, Fields>();
  /** By place in the output. */
  readonly #calls = new Map<unknown, { id: string; event: Fields }>();
  #lastCall: Fields | undefined;
  #ending: Fields | undefined;
  #isIdentified = false;
  #usage = tokens(0, 0, 0, 0, 0);
  #finishReason: LanguageModelV4FinishReason = { unified: "other", raw: undefined };

  constructor(parts: Part[]) {
    this.#parts = parts;
  }

  read(data: unknown): void {
    const event = objectOf(data);
    const type = givenText(event.type);
    if (type === "response.output_text.delta")
      this.#write(event, givenText(event.item_id), givenText(event.delta));
    else if (type === "response.function_call_arguments.delta") this.#appendInput(event);
    else if (type === "response.reasoning_text.delta") this.#think(event, givenText(event.delta));
    else if (type === "response.reasoning_summary_text.delta")
      this.#addThought(event, givenText(event.delta));
    else if (type === "response.reasoning_summary_part.added") this.#think(event);
    else if (type === "response.output_text.done") this.#cite(objectsOf(event.annotations));
    else if (type === "response.output_text.annotation.added") this.#cite([objectOf(event.annotation)]);
    else if (type === "response.output_item.added" || type === "response.output_item.done")
      this.#readItem(event, objectOf(event.item));
    else if (type === "response.created" || type === "response.in_progress")
      this.#identify(objectOf(event.response));
    else if (type === "response.completed" || type === "response.done" || type === "response.incomplete")
      this.#complete(event, objectOf(event.response));
    else if (!withoutParts.test(type)) throw notOurs(event);
  }

  end(): void {
    for (const itemId of this.#texts.keys()) this.#parts.push({ type: "text-end", id: `text-${itemId}` });
    this.#parts.push({ type: "finish", finishReason: this.#finishReason, usage: this.#usage });
  }

  context(): unknown[] {
    const calls = [...this.#calls.values()].map(({ event }) => event);
    const about = [this.#lastCall, this.#ending].filter((event) => event !== undefined);
    return [...this.#texts.values(), ...this.#thoughts.values(), ...calls, ...about];
  }

  #identify({ id }: Fields): void {
    if (this.#isIdentified) return;
    this.#isIdentified = true;
    this.#parts.push({ type: "response-metadata", id: textOf(id) ?? "" });
  }

  #write(event: Fields, itemId: string, delta: string): void {
    const id = `text-${itemId}`;
    if (!this.#texts.has(itemId)) this.#parts.push({ type: "text-start", id });
    if (!this.#texts.has(itemId)) this.#texts.set(itemId, { ...event, delta: "" });
    this.#parts.push({ type: "text-delta", id, delta });
  }

  #think(event: Fields, delta?: string): void {
    const itemId = givenText(event.item_id);
    if (!this.#thoughts.has(itemId)) {
      this.#thoughts.set(itemId, { ...event, ...(delta !== undefined && { delta: "" }) });
      this.#parts.push({ type: "reasoning-start", id: `reasoning-${itemId}`, ...metadata({ itemId }) });
    }
    if (delta !== undefined) this.#addThought(event, delta);
  }

  #addThought({ item_id }: Fields, delta: string): void {
    const itemId = givenText(item_id);
    this.#parts.push({ type: "reasoning-delta", id: `reasoning-${itemId}`, delta, ...metadata({ itemId }) });
  }

  #appendInput({ output_index, delta: given }: Fields): void {
    const call = this.#calls.get(givenNumber(output_index));
    const delta = givenText(given);
    if (call !== undefined) this.#parts.push({ type: "tool-input-delta", id: call.id, delta });
  }

  #cite(annotations: Fields[]): void {
    for (const { type, url, title } of annotations) {
      if (type !== "url_citation" || typeof url !== "string") continue;
      const source = { type: "source", sourceType: "url", id: generateId(), url } as const;
      this.#parts.push({ ...source, title: textOf(title) ?? url });
    }
  }

  #readItem(event: Fields, item: Fields): void {
    const isDone = event.type === "response.output_item.done";
    const id = givenText(item.id);
    if (item.type === "message") this.#readMessage(event, id, objectsOf(item.content));
    else if (item.type === "function_call") this.#readCall(event, item, isDone);
    else if (item.type !== "reasoning") throw notOurs(event);
    else if (isDone) this.#endThought(id, textOf(item.encrypted_content));
  }

  /** A text may arrive as a whole. */
  #readMessage({ output_index }: Fields, itemId: string, pieces: Fields[]): void {
    for (const { text, annotations } of pieces) {
      const isNew = text !== undefined && text !== "" && !this.#texts.has(itemId);
      const begun = { type: "response.output_text.delta", item_id: itemId, output_index, content_index: 0 };
      if (isNew) this.#write(begun, itemId, givenText(text));
      this.#cite(objectsOf(annotations));
    }
  }

  #endThought(id: string, secret: string | undefined): void {
    const about = { ...(id !== "" && { itemId: id }) };
    const reasoningId = `reasoning-${id}`;
    if (!this.#thoughts.delete(id))
      this.#parts.push({ type: "reasoning-start", id: reasoningId, ...metadata(about) });
    const end = metadata({ ...(secret && { reasoningEncryptedContent: secret }), ...about });
    this.#parts.push({ type: "reasoning-end", id: reasoningId, ...end });
  }

  #readCall(event: Fields, item: Fields, isDone: boolean): void {
    const [id, toolName, input] = [givenText(item.call_id), givenText(item.name), givenText(item.arguments)];
    const index = givenNumber(event.output_index);
    if (!isDone) {
      this.#calls.set(index, { id, event });
      this.#parts.push({ type: "tool-input-start", id, toolName });
      return;
    }
    this.#calls.delete(index);
    this.#lastCall = { ...event, item: { ...item, arguments: "" } };
    this.#parts.push({ type: "tool-input-end", id });
    this.#parts.push({ type: "tool-call", toolCallId: id, toolName, input });
  }

  #complete(event: Fields, { usage, status, incomplete_details }: Fields): void {
    if (usage) this.#usage = usageOf(objectOf(usage));
    this.#ending = event;
    const reason = textOf(objectOf(incomplete_details ?? {}).reason);
    const state = textOf(status);
    if (event.type === "response.incomplete")
      this.#finishReason = { unified: unified(reason), raw: reason ?? "incomplete" };
    else if (state)
      this.#finishReason = { unified: this.#lastCall ? "tool-calls" : unified(state), raw: state };
  }
}

/** Events that the package knows and shows nothing of. */
const withoutParts =
  /^response\.(?:content_part\.(?:added|done)|reasoning_summary_part\.done|reasoning_(?:summary_)?text\.done|function_call_arguments\.done)$/;

const finishReasons: ReadonlyMap<string, LanguageModelV4FinishReason["unified"]> = new Map([
  ["stop", "stop"],
  ["completed", "stop"],
  ["length", "length"],
  ["max_output_tokens", "length"],
  ["tool_calls", "tool-calls"],
  ["function_call", "tool-calls"],
  ["content_filter", "content-filter"],
]);

function unified(word: string | undefined): LanguageModelV4FinishReason["unified"] {
  return finishReasons.get(word ?? "") ?? "other";
}

function metadata(xai: Record<string, string>) {
  return { providerMetadata: { xai } };
}

function usageOf({ input_tokens, output_tokens, ...details }: Fields) {
  const [input = 0, output = 0] = [numberOf(input_tokens), numberOf(output_tokens)];
  const cached = numberOf(objectOf(details.input_tokens_details ?? {}).cached_tokens) ?? 0;
  const reasoning = numberOf(objectOf(details.output_tokens_details ?? {}).reasoning_tokens) ?? 0;
  // Some models report cached tokens beside the others.
  const noCache = cached <= input ? input - cached : input;
  return tokens(noCache, cached, output, reasoning);
}

function tokens(noCache: number, cacheRead: number, total: number, reasoning: number, cacheWrite?: number) {
  return {
    inputTokens: {
      total: noCache + cacheRead,
      noCache,
      cacheRead,
      cacheWrite,
    },
    outputTokens: { total, text: total - reasoning, reasoning },
  };
}
