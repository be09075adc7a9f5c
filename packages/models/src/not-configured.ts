import type { ProviderDefinition } from "./provider-definition.ts";

/** The environment variable that is enough to configure a provider. */
export function switchVariable({ variablePrefix, defaultBaseUrl }: ProviderDefinition): string {
  return `${variablePrefix}_${defaultBaseUrl === undefined ? "BASE_URL" : "API_KEY"}`;
}

/** A sentence for users that names the settings that are missing. A key of the project is enough unless the address is missing. */
export function notConfigured(definition: ProviderDefinition): string {
  const ownKey = definition.defaultBaseUrl === undefined ? "" : ", or an admin a key of the project";
  return `The model provider ${definition.name} is not configured; the operator must set ${switchVariable(definition)}${ownKey}.`;
}
