import {
  InvalidResponseDataError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { generateId, isParsableJson } from "@ai-sdk/provider-utils";
import { isPlainObject } from "@muster/language";
import { usageOf as chatUsageOf, finishReasons, noUsage } from "./chat-streams.ts";
import {
  type Fields,
  numberOf,
  type OwnStreams,
  objectOf,
  objectsOf,
  ownStreams,
  type PartReader,
  textOf,
} from "./own-streams.ts";

type Part = LanguageModelV4StreamPart;

interface Call {
  id: string;
  name: string;
  arguments: string;
  /** Its arguments begin with a brace. */
  isObject: boolean;
  /** Its start has been shown. */
  isStarted: boolean;
  isSent: boolean;
}

/** A piece of reasoning in the form of the model's vendor, to be sent back with the next request. */
type Detail = Record<string, unknown>;

/** Streams of OpenRouter's chat completions. Loaded with its package. */
export function openRouterStreams(fetch: typeof globalThis.fetch): OwnStreams {
  return ownStreams(fetch, { createReader: (parts) => new OpenRouterReader(parts) });
}

class OpenRouterReader implements PartReader {
  readonly #parts: Part[];
  readonly #calls = new Map<number, Call>();
  #lastIndex = -1;
  /** The details of all pieces so far. Parts that were read before share it, and so receive what follows. */
  readonly #details: Detail[] = [];
  #isAttachedToCall = false;
  #isReasoning = false;
  #hasText = false;
  #usage = noUsage;
  #finishReason: string | undefined;

  constructor(parts: Part[]) {
    this.#parts = parts;
  }

  read(event: unknown): void {
    const chunk = objectOf(event);
    if ("error" in chunk || !Array.isArray(chunk.choices))
      throw new InvalidResponseDataError({ data: event, message: "The provider sent an error." });
    const [choice] = objectsOf(chunk.choices);
    if (chunk.usage) this.#usage = usageOf(objectOf(chunk.usage));
    this.#finishReason = textOf(choice?.finish_reason) ?? this.#finishReason;
    const before = this.#parts.length;
    if (choice?.delta) this.#readDelta(objectOf(choice.delta));
    // Also a chunk without words shows that the model is alive.
    if (this.#parts.length === before && chunk.id)
      this.#parts.push({ type: "response-metadata", id: textOf(chunk.id) ?? "" });
  }

  end(): void {
    const finishReason = this.#finish();
    if (finishReason.unified === "tool-calls") {
      const calls = [...this.#calls].filter(([index]) => index >= 0).sort(([a], [b]) => a - b);
      for (const [, call] of calls) this.#complete(call);
    }
    if (this.#isReasoning) this.#endReasoning();
    if (this.#hasText) this.#parts.push({ type: "text-end", id: "text" });
    this.#parts.push({ type: "finish", finishReason, usage: this.#usage });
  }

  #finish(): LanguageModelV4FinishReason {
    const raw = this.#finishReason;
    const unified = raw === "stop" ? "stop" : (finishReasons.get(raw ?? "") ?? "other");
    const isEncrypted = this.#details.some(({ type, data }) => type === "reasoning.encrypted" && data);
    const hidesCalls = unified === "other" || (unified === "stop" && isEncrypted);
    return { unified: this.#lastIndex >= 0 && hidesCalls ? "tool-calls" : unified, raw };
  }

  #readDelta({ reasoning, reasoning_details, content, annotations, tool_calls }: Fields): void {
    const details = Array.isArray(reasoning_details) ? reasoning_details.filter(isDetail) : [];
    for (const detail of details) this.#keep(detail);
    if (details.length > 0) for (const { text, summary, type } of details) this.#think(type, text || summary);
    else if (reasoning) this.#think("reasoning.summary", reasoning);
    if (content) this.#write(textOf(content) ?? "");
    for (const { type, url_citation } of objectsOf(annotations)) {
      if (type === "url_citation") this.#cite(objectOf(url_citation));
    }
    for (const call of objectsOf(tool_calls)) this.#readCall(call);
  }

  /** Adds a piece to the previous one if both are of the same kind. */
  #keep(detail: Detail): void {
    const field = mergedFields.get(detail.type);
    const last = this.#details.at(-1);
    if (field === undefined || last === undefined || last.type !== detail.type) {
      this.#details.push({ ...detail });
      return;
    }
    last[field] = `${last[field] || ""}${detail[field] || ""}`;
    if (field === "text") last.signature ||= detail.signature;
    last.format ||= detail.format;
  }

  /** Reasoning after the first word of the reply is not shown. */
  #think(type: unknown, words: unknown): void {
    if (this.#hasText || type === "reasoning.encrypted" || (type !== "reasoning.text" && !words)) return;
    if (!this.#isReasoning) this.#parts.push({ type: "reasoning-start", id: "reasoning" });
    this.#isReasoning = true;
    this.#parts.push({ type: "reasoning-delta", id: "reasoning", delta: textOf(words) ?? "" });
  }

  #endReasoning(): void {
    this.#isReasoning = false;
    this.#parts.push({ type: "reasoning-end", id: "reasoning", providerMetadata: this.#metadata() });
  }

  #metadata() {
    // JSON from the provider.
    return { openrouter: { reasoning_details: this.#details as [] } };
  }

  #write(delta: string): void {
    if (!this.#hasText) {
      if (this.#isReasoning) this.#endReasoning();
      this.#parts.push({ type: "text-start", id: "text" });
    }
    this.#hasText = true;
    this.#parts.push({ type: "text-delta", id: "text", delta });
  }

  #cite({ url, title }: Fields): void {
    const address = textOf(url) ?? "";
    const source = { type: "source", sourceType: "url", id: address, url: address } as const;
    this.#parts.push({ ...source, title: textOf(title) ?? "" });
  }

  #readCall({ index: given, id, type, function: called }: Fields): void {
    const index = numberOf(given) ?? this.#lastIndex;
    const { name, arguments: args } = objectOf(called);
    const delta = textOf(args);
    const known = this.#calls.get(index);
    const call = known ?? this.#newCall(index, textOf(id), type === "function" ? textOf(name) : undefined);
    if (call.arguments === "") call.isObject = delta?.startsWith("{") === true;
    // An object can only be whole after its last brace: most texts must not be parsed for each of their pieces.
    const mayBeWhole = !call.isObject || delta?.trimEnd().endsWith("}") === true;
    // The start waits for whole arguments, or for the second piece.
    const isDue = known !== undefined || (mayBeWhole && delta !== undefined && isParsableJson(delta));
    if (isDue) this.#start(call, call.arguments);
    call.arguments += delta ?? "";
    if (isDue) this.#parts.push({ type: "tool-input-delta", id: call.id, delta: delta ?? "" });
    if (isDue && mayBeWhole && isParsableJson(call.arguments)) this.#complete(call);
  }

  #newCall(index: number, id: string | undefined, name: string | undefined): Call {
    if (name === undefined)
      throw new InvalidResponseDataError({ data: name, message: "A tool call without a name." });
    const isTaken = [...this.#calls.values()].some((call) => call.id === id);
    const call = { id: id && !isTaken ? id : generateId(), name, arguments: "" };
    const made = { ...call, isObject: false, isStarted: false, isSent: false };
    this.#calls.set(index, made);
    this.#lastIndex = Math.max(this.#lastIndex, index);
    return made;
  }

  #start(call: Call, delta: string): void {
    if (call.isStarted) return;
    call.isStarted = true;
    this.#parts.push({ type: "tool-input-start", id: call.id, toolName: call.name });
    if (delta !== "") this.#parts.push({ type: "tool-input-delta", id: call.id, delta });
  }

  #complete(call: Call): void {
    const { id, name: toolName, isSent } = call;
    if (isSent) return;
    call.isSent = true;
    const input = isParsableJson(call.arguments) ? call.arguments : "{}";
    this.#start(call, input);
    const providerMetadata = this.#isAttachedToCall ? undefined : this.#metadata();
    this.#isAttachedToCall = true;
    this.#parts.push({ type: "tool-input-end", id });
    this.#parts.push({
      ...{ type: "tool-call", toolCallId: id, toolName, input },
      ...(providerMetadata && { providerMetadata }),
    });
  }
}

/** The fields that consecutive pieces continue. */
const mergedFields: ReadonlyMap<unknown, string> = new Map([
  ["reasoning.text", "text"],
  ["reasoning.summary", "summary"],
]);

const formats =
  /^(?:unknown|(?:azure-)?openai-responses-v1|xai-responses-v1|anthropic-claude-v1|google-gemini-v1)$/;

/** The package sends no others back. */
function isDetail(data: unknown): data is Detail {
  if (!isPlainObject(data) || !isMaybeText(data.id) || !isMaybeText(data.format)) return false;
  const { type, format, index } = data;
  if ((format && !formats.test(String(format))) || (index !== undefined && typeof index !== "number"))
    return false;
  if (type === "reasoning.text") return isMaybeText(data.text) && isMaybeText(data.signature);
  const isSummary = type === "reasoning.summary" && typeof data.summary === "string";
  return isSummary || (type === "reasoning.encrypted" && typeof data.data === "string");
}

function isMaybeText(value: unknown): boolean {
  return value === undefined || value === null || typeof value === "string";
}

function usageOf(fields: Fields): LanguageModelV4Usage {
  const { inputTokens: input, outputTokens: output } = chatUsageOf(fields, true);
  return {
    inputTokens: { ...input, noCache: (input.total ?? 0) - (input.cacheRead ?? 0) },
    outputTokens: { ...output, text: (output.total ?? 0) - (output.reasoning ?? 0) },
  };
}
