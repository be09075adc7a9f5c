import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { chatFiles } from "../file-kinds.ts";
import { bearer, changeCalls, isLenient, packageOptions } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { type Effort, effortFor, type Thinking } from "../thinking.ts";
import { anthropic, cacheControl } from "./anthropic.ts";
import { google } from "./google.ts";
import { openai } from "./openai.ts";
import { xai } from "./xai.ts";

/** OpenRouter. */
export const aggregator: ProviderDefinition<"aggregator"> = {
  name: "aggregator",
  modelIds: "aggregator/<vendor>/<model>",
  variablePrefix: "OPENROUTER",
  defaultBaseUrl: "https://openrouter.ai/api/v1",
  packageName: "openrouter",
  async load(setup) {
    const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
    const { openRouterStreams } = await import("../parts/open-router-streams.ts");
    const own = openRouterStreams(setup.fetch);
    const options = packageOptions(aggregator, { ...setup, fetch: own.fetch });
    // `strict` asks for token counts.
    const provider = createOpenRouter({ ...options, compatibility: "strict" });
    // The package reads `strict` when the model is made, not with the call.
    return (model) => {
      const strict = own.read(provider.chat(model));
      const lenient = own.read(provider.chat(model, { structuredOutputs: { strict: false } }));
      const choose = (options: LanguageModelV4CallOptions) => (isLenient(options) ? lenient : strict);
      return {
        ...changeCalls(strict, (options) => options),
        doGenerate: (options) => choose(options).doGenerate(options),
        doStream: (options) => choose(options).doStream(options),
      };
    };
  },
  // For vendors without a family here. OpenRouter ignores the setting for models that do not think.
  thinkingFamilies: [{ models: /\//, efforts: ["none", "low", "medium", "high"] }],
  // The package does not read `reasoning`. Its cache setting is for Anthropic's models alone.
  settings({ thinking, cache, model }) {
    const reasoning = reasoningFor(model, thinking);
    const options = {
      ...(reasoning && { reasoning }),
      ...(cache !== "off" && model.startsWith("anthropic/") && { cacheControl: cacheControl(cache) }),
    };
    return Object.keys(options).length > 0 ? { providerOptions: { openrouter: options } } : {};
  },
  // OpenRouter itself reads documents for models that cannot.
  files(model) {
    const { vendor, name } = partsOf(model);
    const images = vendorNamed(vendor)?.files(name, "chat").images;
    return images === undefined ? chatFiles : { ...chatFiles, images };
  },
  // Its list of models is public, so it would prove nothing about the key.
  keyCheck: { path: "/key", keyHeaders: bearer },
  hidesBrokenStreams: true,
};

const vendors: Readonly<Record<string, Pick<ProviderDefinition, "thinkingFamilies" | "files">>> = {
  anthropic,
  google,
  openai,
  "x-ai": xai,
};

/** Vendors come from users. */
function vendorNamed(vendor: string) {
  return Object.hasOwn(vendors, vendor) ? vendors[vendor] : undefined;
}

function partsOf(model: string): { vendor: string; name: string } {
  const [, vendor = "", name = ""] = /^~?([^/]+)\/([^:]+)/.exec(model) ?? [];
  return { vendor, name };
}

/** The vendor's own table decides. OpenRouter calls the highest level `xhigh`. */
function reasoningFor(
  model: string,
  thinking: Thinking | undefined,
): { effort: Effort } | { enabled: true } | undefined {
  if (thinking === "auto") return { enabled: true };
  const { vendor, name } = partsOf(model);
  const known = vendorNamed(vendor);
  const effort = known
    ? effortFor(known.thinkingFamilies, name, thinking)
    : effortFor(aggregator.thinkingFamilies, model, thinking);
  return effort && { effort: effort === "max" ? "xhigh" : effort };
}
