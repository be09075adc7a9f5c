import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { Secret } from "@muster/service";

/** The access to a model: the part that failures must not repeat. */
export interface ModelAccess {
  apiKey?: Secret | undefined;
  /** The key belongs to the project and not to the platform. */
  isProjects: boolean;
  /** Absent: the provider's public address. */
  baseUrl?: string | undefined;
}

const known = new WeakMap<LanguageModelV4, ModelAccess>();

export function rememberAccess(model: LanguageModelV4, access: ModelAccess): void {
  known.set(model, access);
}

export function accessOf(model: LanguageModelV4): ModelAccess | undefined {
  return known.get(model);
}
