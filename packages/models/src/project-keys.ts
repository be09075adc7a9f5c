import { Secret } from "@muster/service";
import type { ProviderConfig, ProviderDefinition } from "./provider-definition.ts";

/**
 * A project's own keys by provider. A key is used instead of the platform's, with the platform's base URL. `problem`:
 * the key exists but cannot be read; a sentence for users. While it exists, the platform's key is never used in its
 * place.
 *
 * A key must stay the same object for as long as its value does not change: models and checks are cached by it.
 */
export type ProjectKeys = ReadonlyMap<string, Secret | { problem: string }>;

export const noProjectKeys: ProjectKeys = new Map();

/** How the project reaches the provider; undefined if a key alone configures nothing. */
export function configWith(
  { defaultBaseUrl, interfaces }: ProviderDefinition,
  platform: ProviderConfig | undefined,
  apiKey: Secret,
): ProviderConfig | undefined {
  if (platform !== undefined) return { ...platform, apiKey };
  if (defaultBaseUrl === undefined) return undefined;
  return { apiKey, ...(interfaces && { interface: interfaces.defaultFor(undefined) }) };
}

export function isKey(key: Secret | { problem: string } | undefined): key is Secret {
  return key instanceof Secret;
}
