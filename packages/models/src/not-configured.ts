import { variablePrefixes } from "./config.ts";
import type { ProviderName } from "./model-id.ts";

/** A sentence for users that says what the operator must do. */
export function notConfigured(name: ProviderName): string {
  const variable = `${variablePrefixes[name]}_${name === "local" ? "BASE_URL" : "API_KEY"}`;
  return `The model provider ${name} is not configured; the operator must set ${variable}.`;
}
