import type { ProviderConfig, ProviderDefinition } from "./provider-definition.ts";

/** The base of a provider's request paths, without a trailing slash. */
export function baseUrlOf(definition: ProviderDefinition, { baseUrl }: ProviderConfig): string {
  // A provider without a default is not configured until it has a base URL.
  const url = baseUrl ?? definition.defaultBaseUrl ?? "";
  return definition.completeBaseUrl?.(url) ?? url;
}
