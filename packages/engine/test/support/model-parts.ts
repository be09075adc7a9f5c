import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { JsonValue } from "@muster/language";
import { ModelFailure, type ModelFailureDetails } from "@muster/models";
import type { Input } from "../../src/boundary/machine.ts";

type Part = LanguageModelV4StreamPart;

export function text(words: string, id = "0"): Part[] {
  return [
    { type: "text-start", id },
    { type: "text-delta", id, delta: words },
    { type: "text-end", id },
  ];
}

/** A text that the model never ends. */
export function openText(words: string, id = "0"): Part[] {
  return text(words, id).slice(0, 2);
}

export function reasoning(words: string, signature?: string): Part[] {
  const metadata = signature === undefined ? {} : { providerMetadata: { maker: { signature } } };
  return [
    { type: "reasoning-start", id: "r" },
    { type: "reasoning-delta", id: "r", delta: words },
    { type: "reasoning-end", id: "r", ...metadata },
  ];
}

export function call(toolCallId: string, toolName: string, input: JsonValue | { raw: string } = {}): Part[] {
  const json = isRaw(input) ? input.raw : JSON.stringify(input);
  return [
    { type: "tool-input-start", id: toolCallId, toolName },
    { type: "tool-input-delta", id: toolCallId, delta: json },
    { type: "tool-input-end", id: toolCallId },
    { type: "tool-call", toolCallId, toolName, input: json },
  ];
}

function isRaw(input: unknown): input is { raw: string } {
  return typeof input === "object" && input !== null && "raw" in input && typeof input.raw === "string";
}

export function finish(unified: LanguageModelV4FinishReason["unified"] = "stop", promptTokens = 1): Part {
  const usage = {
    inputTokens: { total: promptTokens, noCache: promptTokens, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return { type: "finish", usage, finishReason: { unified, raw: unified } };
}

export const start: Input = { type: "start" };
export const abort: Input = { type: "abort" };
export const modelDone: Input = { type: "model-done" };

/** Parts of a model call in flight. */
export function parts(...lists: Part[][]): Input[] {
  return lists.flat().map((part) => ({ type: "model-part", part }));
}

/** A whole model call. */
export function answer(...lists: Part[][]): Input[] {
  return [...parts(...lists, [finish()]), modelDone];
}

/** Results by call id; an Error means a failed call. */
export function results(byId: Record<string, JsonValue | Error>): Input {
  return {
    type: "tool-results",
    outcomes: Object.entries(byId).map(([toolCallId, value]) => ({
      toolCallId,
      outcome:
        value instanceof Error ? { type: "error", error: value.message } : { type: "result", result: value },
    })),
  };
}

export function failed(details: Partial<ModelFailureDetails> = {}): Input {
  const failure = new ModelFailure({
    message: "The provider is overloaded.",
    errorType: "provider_overloaded",
    source: "provider",
    retryable: true,
    transient: true,
    provider: { name: "demo", model: "main", statusCode: 529 },
    ...details,
  });
  return { type: "model-failed", failure };
}
