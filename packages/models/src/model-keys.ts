import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Secret } from "@muster/service";

export interface ModelKey {
  apiKey: Secret;
  /** It belongs to the project and not to the platform. */
  isProjects: boolean;
}

const keys = new WeakMap<LanguageModelV4, ModelKey>();

/** Remembers the key with which a model is called, so that failures never repeat it. */
export function rememberKey(model: LanguageModelV4, key: ModelKey): void {
  keys.set(model, key);
}

export function keyOf(model: LanguageModelV4): ModelKey | undefined {
  return keys.get(model);
}
