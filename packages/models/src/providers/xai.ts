import { bearer, packageOptions } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { withReasoning } from "../reasoning.ts";

export const xai: ProviderDefinition<"xai"> = {
  name: "xai",
  modelIds: "xai/<model>",
  variablePrefix: "XAI",
  defaultBaseUrl: "https://api.x.ai/v1",
  packageName: "xai",
  async load(setup) {
    const { createXai } = await import("@ai-sdk/xai");
    const provider = createXai(packageOptions(xai, setup));
    return (model) => provider.languageModel(model);
  },
  settings: ({ thinking }) => withReasoning(thinking),
  keyCheck: { path: "/models", keyHeaders: bearer },
};
