import type { JSONObject, LanguageModelV4, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { ModelsConfig, ProviderConfig } from "./config.ts";
import type { ProviderName } from "./model-id.ts";

type Fetch = typeof globalThis.fetch;
type MakeModel = (model: string) => LanguageModelV4;

export interface ProviderSetup {
  provider: ProviderConfig;
  config: ModelsConfig;
  fetch: Fetch | undefined;
}

// Given explicitly, because the packages would read environment variables of their own otherwise.
const defaultBaseUrls: Record<ProviderName, string> = {
  anthropic: "https://api.anthropic.com",
  openai: "https://api.openai.com/v1",
  google: "https://generativelanguage.googleapis.com/v1beta",
  xai: "https://api.x.ai/v1",
  aggregator: "https://openrouter.ai/api/v1",
  // Never used: a local server without a base URL is not configured.
  local: "",
};

/** Loads a provider's package, on first use only, and returns what makes its models. */
export const loadProvider: Record<ProviderName, (setup: ProviderSetup) => Promise<MakeModel>> = {
  async anthropic(setup) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const provider = createAnthropic(settings("anthropic", setup));
    // Pings show that a model which thinks in silence is alive.
    return (model) => withOptions(provider.languageModel(model), "anthropic", { includePings: true });
  },
  async openai(setup) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const provider = createOpenAI(settings("openai", setup));
    if (setup.config.openAiInterface === "chat") return (model) => provider.chat(model);
    // Conversations live in Muster's own store; nothing in them may refer to items that OpenAI keeps or forgets.
    return (model) => withOptions(provider.responses(model), "openai", { store: false });
  },
  async google(setup) {
    const { createGoogle } = await import("@ai-sdk/google");
    const provider = createGoogle(settings("google", setup));
    return (model) => provider.languageModel(model);
  },
  async xai(setup) {
    const { createXai } = await import("@ai-sdk/xai");
    const provider = createXai(settings("xai", setup));
    return (model) => provider.languageModel(model);
  },
  async aggregator(setup) {
    const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
    // `strict` asks for token counts.
    const provider = createOpenRouter({ ...settings("aggregator", setup), compatibility: "strict" });
    return (model) => provider.chat(model);
  },
  async local(setup) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const provider = createOpenAICompatible({
      name: "local",
      baseURL: baseUrlOf("local", setup.provider),
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(setup.provider.apiKey && { apiKey: setup.provider.apiKey.reveal() }),
      ...(setup.fetch && { fetch: setup.fetch }),
    });
    return (model) => provider.languageModel(model);
  },
};

/** What the paths of a provider's requests are appended to, without a trailing slash. */
export function baseUrlOf(name: ProviderName, { baseUrl }: ProviderConfig): string {
  const url = baseUrl ?? defaultBaseUrls[name];
  return name === "anthropic" ? withVersion(url) : url;
}

function settings(name: ProviderName, { provider, fetch }: ProviderSetup) {
  return {
    baseURL: baseUrlOf(name, provider),
    // A gateway of the operator may need no key; the packages insist on one.
    apiKey: provider.apiKey?.reveal() ?? "none",
    ...(fetch && { fetch }),
  };
}

/** `ANTHROPIC_BASE_URL` is written without `/v1` for Anthropic's own tools and with it for others: both work. */
function withVersion(baseUrl: string): string {
  return /\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`;
}

/** A model that adds options of its own to every call. Options of the call win. */
function withOptions(model: LanguageModelV4, name: string, added: JSONObject): LanguageModelV4 {
  const extend = (options: LanguageModelV4CallOptions): LanguageModelV4CallOptions => ({
    ...options,
    providerOptions: { ...options.providerOptions, [name]: { ...added, ...options.providerOptions?.[name] } },
  });
  return {
    specificationVersion: "v4",
    provider: model.provider,
    modelId: model.modelId,
    supportedUrls: model.supportedUrls,
    doGenerate: (options) => model.doGenerate(extend(options)),
    doStream: (options) => model.doStream(extend(options)),
  };
}

const publicNames: Readonly<Record<string, string>> = { openrouter: "aggregator" };

/** First part of the model ids of the provider that a package calls `openai.responses`, `openrouter` and the like. */
export function publicProviderName(packageName: string): string {
  const name = packageName.split(".", 1)[0] ?? packageName;
  return publicNames[name] ?? name;
}
