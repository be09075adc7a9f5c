import { cacheControl } from "../cache-control.ts";
import { bearer, packageOptions } from "../package-options.ts";
import type { ProviderDefinition, Thinking } from "../provider-definition.ts";

/** OpenRouter. */
export const aggregator: ProviderDefinition<"aggregator"> = {
  name: "aggregator",
  modelIds: "aggregator/<vendor>/<model>",
  variablePrefix: "OPENROUTER",
  defaultBaseUrl: "https://openrouter.ai/api/v1",
  packageName: "openrouter",
  async load(setup) {
    const { createOpenRouter } = await import("@openrouter/ai-sdk-provider");
    // `strict` asks for token counts.
    const provider = createOpenRouter({ ...packageOptions(aggregator, setup), compatibility: "strict" });
    return (model) => provider.chat(model);
  },
  // The package does not read `reasoning`. Its cache setting is for Anthropic's models alone.
  settings({ thinking, cache, model }) {
    const reasoning = thinking === undefined ? undefined : reasoningOf[thinking];
    const options = {
      ...(reasoning && { reasoning }),
      ...(cache !== "off" && model.startsWith("anthropic/") && { cacheControl: cacheControl(cache) }),
    };
    return Object.keys(options).length > 0 ? { providerOptions: { openrouter: options } } : {};
  },
  // Anybody may list its models, so a list would prove nothing about the key.
  keyCheck: { path: "/key", keyHeaders: bearer },
  hidesBrokenStreams: true,
};

const reasoningOf: Record<Thinking, { effort: string } | { enabled: true }> = {
  off: { effort: "none" },
  low: { effort: "low" },
  medium: { effort: "medium" },
  high: { effort: "high" },
  xhigh: { effort: "xhigh" },
  max: { effort: "xhigh" },
  auto: { enabled: true },
};
