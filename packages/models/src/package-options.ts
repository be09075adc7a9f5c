import type { JSONObject, LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { baseUrlOf } from "./base-url.ts";
import type { ProviderDefinition, ProviderSetup } from "./provider-definition.ts";

/**
 * The options that most provider packages share. Base URL and key are always passed: without them the packages
 * read environment variables of their own.
 */
export function packageOptions(definition: ProviderDefinition, { config, fetch }: ProviderSetup) {
  return {
    baseURL: baseUrlOf(definition, config),
    // A gateway of the operator may need no key; the packages insist on one.
    apiKey: config.apiKey?.reveal() ?? "none",
    fetch,
  };
}

/** A model that adds options of its own to every call. Options of the call win. */
export function withOptions(model: LanguageModelV4, name: string, added: JSONObject): LanguageModelV4 {
  return changeCalls(model, (options) => ({
    ...options,
    providerOptions: { ...options.providerOptions, [name]: { ...added, ...options.providerOptions?.[name] } },
  }));
}

/** A model that changes the options of every call. */
export function changeCalls(
  model: LanguageModelV4,
  change: (options: LanguageModelV4CallOptions) => LanguageModelV4CallOptions,
): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(change(options)),
    doStream: (options) => model.doStream(change(options)),
  };
}

/** The header of most providers' keys. */
export function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}
