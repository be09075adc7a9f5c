import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ProviderDefinition } from "../provider-definition.ts";
import { providers } from "./index.ts";

/** The definition behind a model; the demo model has none. */
export function definitionOf(model: Pick<LanguageModelV4, "provider">): ProviderDefinition | undefined {
  const packageName = model.provider.split(".", 1)[0] ?? model.provider;
  return providers.find((candidate) => candidate.packageName === packageName);
}
