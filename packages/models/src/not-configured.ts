import type { ProviderDefinition } from "./provider-definition.ts";

/** The environment variable that is enough to configure a provider. */
export function switchVariable({ variablePrefix, defaultBaseUrl }: ProviderDefinition): string {
  return `${variablePrefix}_${defaultBaseUrl === undefined ? "BASE_URL" : "API_KEY"}`;
}

/** A sentence for users that names the setting that the operator must add. */
export function notConfigured(definition: ProviderDefinition): string {
  return `The model provider ${definition.name} is not configured; the operator must set ${switchVariable(definition)}.`;
}
