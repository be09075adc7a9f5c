import { baseUrlOf } from "../base-url.ts";
import { bearer } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { withReasoning } from "../reasoning.ts";

/** Any server that speaks OpenAI's chat completions: Ollama, vLLM, LM Studio. */
export const local: ProviderDefinition<"local"> = {
  name: "local",
  modelIds: "local/<model>",
  variablePrefix: "LOCAL",
  defaultBaseUrl: undefined,
  packageName: "local",
  async load({ config, fetch }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const provider = createOpenAICompatible({
      name: "local",
      baseURL: baseUrlOf(local, config),
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(config.apiKey && { apiKey: config.apiKey.reveal() }),
      fetch,
    });
    return (model) => provider.languageModel(model);
  },
  // Ollama, vLLM and LM Studio know three levels and refuse others.
  settings: ({ thinking }) => withReasoning(thinking === "xhigh" || thinking === "max" ? "high" : thinking),
  keyCheck: { path: "/models", keyHeaders: bearer },
};
