import { noFiles } from "../file-kinds.ts";
import { bearer, packageOptions } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { effortFor, withEffort } from "../thinking.ts";

export const xai: ProviderDefinition<"xai"> = {
  name: "xai",
  modelIds: "xai/<model>",
  variablePrefix: "XAI",
  defaultBaseUrl: "https://api.x.ai/v1",
  packageName: "xai",
  async load(setup) {
    const { createXai } = await import("@ai-sdk/xai");
    const { xaiStreams } = await import("../parts/xai-streams.ts");
    const own = xaiStreams(setup.fetch);
    const provider = createXai(packageOptions(xai, { ...setup, fetch: own.fetch }));
    return (model) => own.read(provider.languageModel(model));
  },
  // Most models think as they like and refuse the setting.
  thinkingFamilies: [
    { models: /^grok-3-mini/, efforts: ["low", "high"] },
    { models: /^grok-4\.20?-multi-agent/, efforts: ["low", "medium", "high"] },
    { models: /^grok-(?:4\.[3-9](?:-|$)|[5-9]|latest)/, efforts: ["none", "low", "medium", "high"] },
  ],
  settings: ({ thinking, model }) => withEffort(effortFor(xai.thinkingFamilies, model, thinking)),
  // Documents only by address, or after an upload to xAI.
  files: (model) => {
    if (/^grok-(?:3|code)/.test(model)) return noFiles;
    return { images: ["image/jpeg", "image/png"], pdf: "url", inResults: { images: true, pdf: false } };
  },
  keyCheck: { path: "/models", keyHeaders: bearer },
};
