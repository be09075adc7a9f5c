import {
  InvalidResponseDataError,
  type LanguageModelV4FinishReason,
  type LanguageModelV4StreamPart,
  type LanguageModelV4Usage,
} from "@ai-sdk/provider";
import { generateId, StreamingToolCallTracker } from "@ai-sdk/provider-utils";
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

interface ToolCallDelta {
  index: number | null;
  id: string | null;
  type: string | null;
  function: { name: string | null; arguments: string | null };
  /** Google's; empty if something else was added to the call. */
  thoughtSignature: string | undefined;
}

/**
 * The package whose parts are reproduced: that for OpenAI, or that for servers which imitate it. These add reasoning,
 * contents in several pieces, calls whose name arrives late. `name`: the key of the metadata.
 */
type ChatDialect = { of: "openai" } | { of: "compatible"; name: string };

/** Streams of chat completions. Loaded with a provider's package, because it needs the packages' helpers. */
export function chatStreams(fetch: typeof globalThis.fetch, dialect: ChatDialect): OwnStreams {
  return ownStreams(fetch, { createReader: (parts) => new ChatReader(parts, dialect) });
}

class ChatReader implements PartReader {
  readonly #shown: Part[];
  /** Where parts are added: for OpenAI, a list of its own until one of them is output, because an error may follow. */
  #parts: Part[];
  readonly #isCompatible: boolean;
  readonly #calls: StreamingToolCallTracker<ToolCallDelta>;
  /** Calls by their index, of whose name nothing has arrived yet. */
  readonly #unnamed = new Map<number, ToolCallDelta>();
  readonly #named = new Set<number>();
  #open: "text" | "reasoning" | undefined;
  #isIdentified = false;
  #hasRefusal = false;
  #usage = noUsage;
  #finishReason: string | undefined;

  constructor(parts: Part[], dialect: ChatDialect) {
    this.#shown = parts;
    this.#isCompatible = dialect.of === "compatible";
    this.#parts = this.#isCompatible ? parts : [];
    this.#calls = new StreamingToolCallTracker<ToolCallDelta>(
      { enqueue: (part) => this.#parts.push(part) },
      {
        generateId,
        typeValidation: dialect.of === "openai" ? "if-present" : "none",
        extractMetadata: ({ thoughtSignature }) =>
          thoughtSignature && dialect.of === "compatible"
            ? { [dialect.name]: { thoughtSignature } }
            : undefined,
        buildToolCallProviderMetadata: (metadata) => metadata,
      },
    );
  }

  read(event: unknown): void {
    const chunk = objectOf(event);
    const [choice] = objectsOf(chunk.choices);
    const isError = !chunk.choices || (this.#isCompatible && chunk.error);
    if (isError) throw new InvalidResponseDataError({ data: event, message: "The provider sent an error." });
    if (!this.#isIdentified) this.#identify(chunk);
    if (chunk.usage) this.#usage = usageOf(objectOf(chunk.usage), !this.#isCompatible);
    if (choice === undefined) return;
    this.#finishReason = textOf(choice.finish_reason) ?? this.#finishReason;
    try {
      if (choice.delta) this.#readDelta(objectOf(choice.delta));
    } finally {
      // Also if a later part of the event is not of the expected form.
      if (this.#parts !== this.#shown && this.#parts.some(isOutput)) this.#show();
    }
  }

  end(): void {
    this.#show();
    this.#close();
    for (const delta of this.#unnamed.values()) this.#calls.processDelta(delta);
    this.#calls.flush();
    const raw = this.#finishReason;
    if (raw === undefined && this.#isCompatible)
      throw new InvalidResponseDataError({
        data: undefined,
        message: "The stream ended without a finish reason.",
      });
    const finishReason = { unified: raw === undefined ? "interrupted" : this.#unified(raw), raw } as const;
    this.#parts.push({ type: "finish", finishReason, usage: this.#usage });
  }

  #show(): void {
    if (this.#parts !== this.#shown) this.#shown.push(...this.#parts);
    this.#parts = this.#shown;
  }

  /** A placeholder without any of these may come first. */
  #identify({ id, model, created }: Fields): void {
    const [idText, modelId, seconds] = [textOf(id), textOf(model), numberOf(created)];
    if (!idText && !modelId && !seconds) return;
    this.#isIdentified = true;
    this.#parts.push({
      type: "response-metadata",
      ...(idText !== undefined && { id: idText }),
      ...(modelId !== undefined && { modelId }),
      ...(seconds && { timestamp: new Date(seconds * 1000) }),
    });
  }

  #readDelta(delta: Fields): void {
    if (this.#isCompatible) this.#append("reasoning", textOf(delta.reasoning_content ?? delta.reasoning));
    const { content, refusal } = delta;
    if (this.#isCompatible && Array.isArray(content)) this.#readPieces(objectsOf(content));
    else this.#append("text", textOf(content), !this.#isCompatible && !refusal);
    // Some servers send `false`.
    if (typeof refusal === "string" && refusal !== "") {
      this.#hasRefusal = true;
      this.#append("text", refusal);
    }
    const calls = objectsOf(delta.tool_calls);
    if (calls.length > 0 && this.#open === "reasoning") this.#close();
    for (const call of calls) this.#readCall(toolCallDelta(call));
    if (!this.#isCompatible) for (const annotation of objectsOf(delta.annotations)) this.#cite(annotation);
  }

  #append(type: "text" | "reasoning", delta: string | undefined, isShownEmpty = false): void {
    if (delta === undefined || (delta === "" && !isShownEmpty)) return;
    if (this.#open !== type) {
      this.#close();
      this.#open = type;
      this.#parts.push({ type: `${type}-start`, id: type });
    }
    this.#parts.push({ type: `${type}-delta`, id: type, delta });
  }

  #close(): void {
    if (this.#open !== undefined) this.#parts.push({ type: `${this.#open}-end`, id: this.#open });
    this.#open = undefined;
  }

  /** Mistral's form: text beside thoughts, which consist of pieces themselves. */
  #readPieces(pieces: Fields[]): void {
    for (const { type, text, thinking } of pieces) {
      if (type === "text" && typeof text === "string") this.#append("text", text);
      else if (type === "thinking" && Array.isArray(thinking)) {
        const thoughts = thinking.filter((piece) => piece?.type === "text" && typeof piece.text === "string");
        this.#append("reasoning", thoughts.map(({ text }) => text).join(""));
      }
    }
  }

  #readCall(delta: ToolCallDelta): void {
    const { index } = delta;
    if (!this.#isCompatible || index === null || this.#named.has(index)) {
      this.#calls.processDelta(delta);
      return;
    }
    const whole = join(this.#unnamed.get(index), delta);
    if (whole.function.name === null) {
      this.#unnamed.set(index, whole);
      return;
    }
    this.#calls.processDelta(whole);
    this.#unnamed.delete(index);
    this.#named.add(index);
  }

  #cite({ url_citation }: Fields): void {
    const { url, title } = objectOf(url_citation);
    this.#parts.push({
      type: "source",
      sourceType: "url",
      id: generateId(),
      url: textOf(url) ?? "",
      title: textOf(title) ?? "",
    });
  }

  #unified(raw: string): LanguageModelV4FinishReason["unified"] {
    // A refusal is reported as a complete reply.
    if (raw === "stop") return this.#hasRefusal ? "content-filter" : "stop";
    return finishReasons.get(raw) ?? "other";
  }
}

/** By the words of chat completions, without `stop`. */
export const finishReasons: ReadonlyMap<string, LanguageModelV4FinishReason["unified"]> = new Map([
  ["length", "length"],
  ["content_filter", "content-filter"],
  ["function_call", "tool-calls"],
  ["tool_calls", "tool-calls"],
]);

function isOutput({ type, ...part }: Part): boolean {
  if (type === "response-metadata" || type === "text-start") return false;
  return !("delta" in part) || part.delta !== "";
}

/** Before the provider has reported any. */
export const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The usage of a chat completion. `countsCacheWrites`: they are reported, and part of the prompt. */
export function usageOf(usage: Fields, countsCacheWrites: boolean): LanguageModelV4Usage {
  const prompt = objectOf(usage.prompt_tokens_details ?? {});
  const completion = objectOf(usage.completion_tokens_details ?? {});
  const [input = 0, output = 0] = [numberOf(usage.prompt_tokens), numberOf(usage.completion_tokens)];
  const [cacheRead = 0, reasoning = 0] = [
    numberOf(prompt.cached_tokens),
    numberOf(completion.reasoning_tokens),
  ];
  const cacheWrite = countsCacheWrites ? numberOf(prompt.cache_write_tokens) : undefined;
  return {
    inputTokens: { total: input, noCache: input - cacheRead - (cacheWrite ?? 0), cacheRead, cacheWrite },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  };
}

function toolCallDelta({ index, id, type, function: called, extra_content }: Fields): ToolCallDelta {
  const { name, arguments: args } = objectOf(called);
  const google = objectOf(objectOf(extra_content ?? {}).google ?? {});
  return {
    index: numberOf(index) ?? null,
    id: textOf(id) ?? null,
    type: textOf(type) ?? null,
    function: { name: textOf(name) ?? null, arguments: textOf(args) ?? null },
    thoughtSignature: extra_content ? (textOf(google.thought_signature) ?? "") : undefined,
  };
}

/** One delta for what arrived before the call's name, and what arrives with it. */
function join(earlier: ToolCallDelta | undefined, later: ToolCallDelta): ToolCallDelta {
  const pieces = [earlier?.function.arguments, later.function.arguments];
  return {
    ...later,
    id: earlier?.id ?? later.id,
    function: { name: later.function.name, arguments: pieces.join("") },
    thoughtSignature: earlier?.thoughtSignature ?? later.thoughtSignature,
  };
}
