import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Secret } from "@muster/service";

const keys = new WeakMap<LanguageModelV4, Secret>();

/** Remembers the key with which a model is called, so that failures never repeat it. */
export function rememberKey(model: LanguageModelV4, apiKey: Secret | undefined): void {
  if (apiKey !== undefined) keys.set(model, apiKey);
}

export function keyOf(model: LanguageModelV4): Secret | undefined {
  return keys.get(model);
}
