import type {
  JSONObject,
  JSONSchema7,
  JSONSchema7Definition,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from "@ai-sdk/provider";
import { baseUrlOf, type ProviderDefinition, type ProviderSetup } from "./provider-definition.ts";

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

/**
 * Whether a provider in OpenAI's format can be asked to enforce the schema (`strict`). It refuses the whole request if a
 * property is optional, if other properties are allowed, or if a value may have any type.
 * Source: https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
function canBeStrict(schema: JSONSchema7Definition): boolean {
  if (typeof schema === "boolean") return false;
  const { anyOf, type, enum: allowed, const: only, items } = schema;
  if (anyOf !== undefined) return anyOf.every(canBeStrict);
  if (type === "object") return isClosed(schema);
  if (type === "array") return typeof items === "object" && !Array.isArray(items) && canBeStrict(items);
  return type !== undefined || allowed !== undefined || only !== undefined;
}

function isClosed({ properties = {}, required = [], additionalProperties }: JSONSchema7): boolean {
  const names = new Set(required);
  const isComplete = Object.entries(properties).every(
    ([name, property]) => names.has(name) && canBeStrict(property),
  );
  return additionalProperties === false && isComplete;
}

/** Whether the call asks for an object of a type that cannot be enforced. */
export function isLenient({ responseFormat }: LanguageModelV4CallOptions): boolean {
  const schema = responseFormat?.type === "json" ? responseFormat.schema : undefined;
  return schema !== undefined && !canBeStrict(schema);
}

/** A model that has a type enforced only where that is possible. `name`: the key of its package's options. */
export function withStrictWherePossible(model: LanguageModelV4, name: string): LanguageModelV4 {
  return changeCalls(model, (options) => {
    if (!isLenient(options)) return options;
    const own = { ...options.providerOptions?.[name], strictJsonSchema: false };
    return { ...options, providerOptions: { ...options.providerOptions, [name]: own } };
  });
}
