import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { isPlainObject } from "@muster/language";
import {
  type Fields,
  givenNumber,
  givenText,
  notOurs,
  numberOf,
  type OwnStreams,
  objectOf,
  ownStreams,
  type PartReader,
  textOf,
} from "./own-streams.ts";

type Part = LanguageModelV4StreamPart;

/** Streams of Anthropic's messages. */
export function anthropicStreams(fetch: typeof globalThis.fetch): OwnStreams {
  return ownStreams(fetch, {
    createReader: (parts) => new AnthropicReader(parts),
    // For some models the package asks for an object by a tool, whose calls it turns into text.
    reads: ({ responseFormat }) => responseFormat?.type !== "json",
  });
}

interface Block {
  start: Fields;
  type: "text" | "reasoning" | "tool-input";
  /** The id of its parts. */
  id: string;
  toolName: string;
  input: string;
}

class AnthropicReader implements PartReader {
  readonly #parts: Part[];
  readonly #blocks = new Map<number, Block>();
  readonly #skipped = new Set<unknown>();
  /** Events that say something about the whole reply. */
  readonly #whole: Fields[] = [];
  /** A signature belongs to thinking that began last. */
  #isThinking = false;
  #usage: Fields = {};
  #stopReason: string | undefined;

  constructor(parts: Part[]) {
    this.#parts = parts;
  }

  /** Anthropic adds events, blocks and deltas at any time, and asks clients to skip those that they do not know. */
  skips(event: unknown): boolean {
    const { type, index, content_block, delta } = isPlainObject(event) ? event : {};
    if (typeof type !== "string") return false;
    if (type === "content_block_start") {
      const isSkipped = isUnknown(content_block, knownBlocks);
      if (isSkipped) this.#skipped.add(index);
      else this.#skipped.delete(index);
      return isSkipped;
    }
    const isOfBlock = type === "content_block_delta" || type === "content_block_stop";
    if (isOfBlock && this.#skipped.has(index)) return true;
    return type === "content_block_delta" ? isUnknown(delta, knownDeltas) : !knownEvents.test(type);
  }

  read(event: unknown): void {
    const fields = objectOf(event);
    const { type, index } = fields;
    if (type === "content_block_delta") this.#append(givenNumber(index), objectOf(fields.delta));
    else if (type === "ping") this.#parts.push({ type });
    else if (type === "content_block_start") this.#start(fields, objectOf(fields.content_block));
    else if (type === "content_block_stop") this.#stop(givenNumber(index));
    else if (type === "message_start") this.#begin(fields, objectOf(fields.message));
    else if (type === "message_delta") this.#learn(fields, objectOf(fields.delta), objectOf(fields.usage));
    else if (type === "message_stop") this.#finish();
    else throw notOurs(event);
  }

  end(): void {}

  context(): unknown[] {
    const open = [...this.#blocks].flatMap(([index, { start, input }]) => {
      const delta = { type: "input_json_delta", partial_json: input };
      return input === "" ? [start] : [start, { type: "content_block_delta", index, delta }];
    });
    return [...this.#whole.slice(0, 1), ...open, ...this.#whole.slice(1)];
  }

  #begin(event: Fields, { id, model, usage, content, stop_reason }: Fields): void {
    const isStarted = this.#whole.length > 0 || (Array.isArray(content) && content.length > 0);
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = objectOf(usage);
    if (isStarted || numberOf(input_tokens) === undefined) throw notOurs(event);
    const [read = 0, write = 0] = [numberOf(cache_read_input_tokens), numberOf(cache_creation_input_tokens)];
    this.#usage = { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: write };
    this.#stopReason = textOf(stop_reason);
    const [idText, modelId] = [textOf(id), textOf(model)];
    this.#whole.push(event);
    this.#parts.push({
      type: "response-metadata",
      ...(idText !== undefined && { id: idText }),
      ...(modelId !== undefined && { modelId }),
    });
  }

  #start(event: Fields, block: Fields): void {
    const { type, id: callId, name } = block;
    const index = givenNumber(event.index);
    const id = type === "tool_use" ? textOf(callId) : String(index);
    const isOurs = ownBlocks.has(type) && id !== undefined;
    if (!isOurs || block.caller || block.toolset_name || hasFields(block.input)) throw notOurs(event);
    const open = { start: event, id, toolName: "", input: "" };
    if (type === "tool_use") {
      const toolName = textOf(name);
      if (toolName === undefined) throw notOurs(event);
      this.#blocks.set(index, { ...open, type: "tool-input", toolName });
      this.#parts.push({ type: "tool-input-start", id, toolName });
    } else if (type === "text") {
      this.#blocks.set(index, { ...open, type });
      this.#parts.push({ type: "text-start", id });
    } else {
      const redactedData = type === "redacted_thinking" ? (textOf(block.data) ?? "") : undefined;
      this.#blocks.set(index, { ...open, type: "reasoning" });
      this.#parts.push({
        ...{ type: "reasoning-start", id },
        ...(redactedData !== undefined && { providerMetadata: { anthropic: { redactedData } } }),
      });
    }
    this.#isThinking = type === "thinking";
  }

  #append(index: number, fields: Fields): void {
    const { type } = fields;
    const id = String(index);
    if (type === "text_delta") this.#parts.push({ type: "text-delta", id, delta: givenText(fields.text) });
    else if (type === "thinking_delta")
      this.#parts.push({ type: "reasoning-delta", id, delta: givenText(fields.thinking) });
    else if (type === "input_json_delta") this.#appendInput(index, givenText(fields.partial_json));
    else if (type !== "signature_delta") throw notOurs(fields);
    else if (this.#isThinking) {
      const providerMetadata = { anthropic: { signature: givenText(fields.signature) } };
      this.#parts.push({ type: "reasoning-delta", id, delta: "", providerMetadata });
    }
  }

  #appendInput(index: number, delta: string): void {
    const block = this.#blocks.get(index);
    if (delta === "" || block?.type !== "tool-input") return;
    block.input += delta;
    this.#parts.push({ type: "tool-input-delta", id: block.id, delta });
  }

  #stop(index: number): void {
    this.#isThinking = false;
    const block = this.#blocks.get(index);
    if (block === undefined) return;
    this.#blocks.delete(index);
    const { type, id, toolName, input } = block;
    this.#parts.push({ type: `${type}-end`, id });
    if (type === "tool-input")
      this.#parts.push({ type: "tool-call", toolCallId: id, toolName, input: input === "" ? "{}" : input });
  }

  #learn(event: Fields, { stop_reason }: Fields, usage: Fields): void {
    // The provider has divided the request.
    if (Array.isArray(usage.iterations) || numberOf(usage.output_tokens) === undefined) throw notOurs(event);
    const reported = Object.entries(usage).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(reported) };
    this.#stopReason = textOf(stop_reason);
    this.#whole.push(event);
  }

  #finish(): void {
    const { input_tokens, output_tokens, output_tokens_details, ...cached } = this.#usage;
    const [noCache = 0, total = 0] = [numberOf(input_tokens), numberOf(output_tokens)];
    const cacheRead = numberOf(cached.cache_read_input_tokens) ?? 0;
    const cacheWrite = numberOf(cached.cache_creation_input_tokens) ?? 0;
    const reasoning = numberOf(objectOf(output_tokens_details ?? {}).thinking_tokens);
    const text = reasoning === undefined ? undefined : total - reasoning;
    this.#parts.push({
      type: "finish",
      finishReason: {
        unified: finishReasons.get(this.#stopReason ?? "") ?? "other",
        raw: this.#stopReason,
      },
      usage: {
        inputTokens: { total: noCache + cacheWrite + cacheRead, noCache, cacheRead, cacheWrite },
        outputTokens: { total, text, reasoning },
      },
    });
  }
}

const finishReasons: ReadonlyMap<string, LanguageModelV4FinishReason["unified"]> = new Map([
  ["pause_turn", "stop"],
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["refusal", "content-filter"],
  ["tool_use", "tool-calls"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
]);

const ownBlocks = new Set<unknown>(["text", "thinking", "redacted_thinking", "tool_use"]);

// Types that the package knows.
const knownEvents = /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|error)$/;
const knownDeltas = /^(?:text|thinking|signature|input_json|citations|compaction)_delta$/;
const knownBlocks =
  /^(?:text|(?:redacted_)?thinking|(?:mcp_|server_)?tool_use|compaction|fallback|(?:mcp|web_(?:fetch|search)|(?:(?:bash|text_editor)_)?code_execution|tool_search|advisor)_tool_result)$/;

function isUnknown(value: unknown, known: RegExp): boolean {
  return isPlainObject(value) && typeof value.type === "string" && !known.test(value.type);
}

function hasFields(input: unknown): boolean {
  return isPlainObject(input) && Object.keys(input).length > 0;
}
