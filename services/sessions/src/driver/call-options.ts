import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { cacheModes, providerSettings, thinkingLevels } from "@muster/models";
import type { ModelCall } from "../engine/boundary/machine.ts";

/** The call as its provider wants it. */
export function callOptionsFor(call: ModelCall, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { modelId, options, thinking, cache } = call;
  const choice = {
    thinking: thinkingLevels.find((level) => level === thinking),
    cache: cacheModes.find((mode) => mode === cache),
  };
  return { ...options, ...providerSettings(modelId, choice), abortSignal };
}
