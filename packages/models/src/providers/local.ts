import { chatFiles } from "../file-kinds.ts";
import { bearer, withStrictWherePossible } from "../package-options.ts";
import { baseUrlOf, type ProviderDefinition } from "../provider-definition.ts";
import { effortFor, withEffort } from "../thinking.ts";

/** Any server that speaks OpenAI's chat completions: Ollama, vLLM, LM Studio. */
export const local: ProviderDefinition<"local"> = {
  name: "local",
  modelIds: "local/<model>",
  variablePrefix: "LOCAL",
  defaultBaseUrl: undefined,
  packageName: "local",
  async load({ config, fetch }) {
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const { chatStreams } = await import("../parts/chat-streams.ts");
    const own = chatStreams(fetch, { of: "compatible", name: "local" });
    const provider = createOpenAICompatible({
      name: "local",
      baseURL: baseUrlOf(local, config),
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(config.apiKey && { apiKey: config.apiKey.reveal() }),
      fetch: own.fetch,
    });
    return (model) => withStrictWherePossible(own.read(provider.languageModel(model)), "local");
  },
  // Ollama, vLLM and LM Studio accept three levels, and refuse any level for a model that does not think. Models may
  // have any name, so only those known to think get a level.
  thinkingFamilies: [
    { models: /instruct|coder|embed/i, efforts: [] },
    { models: /gpt-oss/i, efforts: ["low", "medium", "high"] },
    {
      models:
        /qwen-?3|qwq|deepseek-(?:r1|v3\.[1-9])|magistral|glm-(?:4\.[5-9]|[5-9])|phi-?4-(?:mini-)?reasoning|seed-oss|smollm3/i,
      efforts: ["none", "low", "medium", "high"],
    },
  ],
  settings: ({ thinking, model }) => withEffort(effortFor(local.thinkingFamilies, model, thinking)),
  // Models may have any name; the server decides.
  files: () => chatFiles,
  keyCheck: { path: "/models", keyHeaders: bearer },
};
