import { baseUrlOf, type ProviderConfig, type ProviderDefinition } from "../provider-definition.ts";

/** A request that shows whether a provider accepts a key, and costs nothing. */
export type Question = ReturnType<typeof questionFor>;

export function questionFor(definition: ProviderDefinition, config: ProviderConfig) {
  const { path, keyHeaders, headers } = definition.keyCheck;
  const key = config.apiKey?.reveal();
  return {
    url: baseUrlOf(definition, config) + path,
    headers: { accept: "application/json", ...headers, ...(key !== undefined && keyHeaders(key)) },
  };
}
