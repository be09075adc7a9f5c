import { allFiles, chatFiles, noFiles } from "../file-kinds.ts";
import { bearer, packageOptions, withOptions, withStrictWherePossible } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { baseModelOf, effortFor, withEffort } from "../thinking.ts";

export const openai: ProviderDefinition<"openai"> = {
  name: "openai",
  modelIds: "openai/<model>",
  variablePrefix: "OPENAI",
  defaultBaseUrl: "https://api.openai.com/v1",
  interfaces: {
    variable: "OPENAI_API",
    names: ["responses", "chat"],
    // Servers that imitate OpenAI almost always imitate chat completions; few offer the responses interface.
    defaultFor: (baseUrl) =>
      baseUrl === undefined || new URL(baseUrl).hostname === "api.openai.com" ? "responses" : "chat",
  },
  packageName: "openai",
  async load(setup) {
    const { createOpenAI } = await import("@ai-sdk/openai");
    const isChat = setup.config.interface === "chat";
    const { chatStreams } = await import("../parts/chat-streams.ts");
    const { responsesStreams } = await import("../parts/responses-streams.ts");
    const own = isChat ? chatStreams(setup.fetch, { of: "openai" }) : responsesStreams(setup.fetch);
    const provider = createOpenAI(packageOptions(openai, { ...setup, fetch: own.fetch }));
    if (isChat) return (model) => withStrictWherePossible(own.read(provider.chat(model)), "openai");
    // Conversations live in Muster's own store; nothing in them may refer to items that OpenAI keeps or forgets.
    return (model) =>
      withStrictWherePossible(
        withOptions(own.read(provider.responses(model)), "openai", { store: false }),
        "openai",
      );
  },
  thinkingFamilies: [
    { models: /^(?:gpt-3\.5|gpt-4|chatgpt-)/, efforts: [] },
    { models: /^gpt-5(?:\.\d+)?-chat/, efforts: [] },
    { models: /^o1-(?:mini|preview)/, efforts: [] },
    { models: /^o\d+(?:-mini)?-deep-research/, efforts: ["medium"] },
    { models: /^(?:o\d|codex-|gpt-oss)/, efforts: ["low", "medium", "high"] },
    { models: /^gpt-5-pro/, efforts: ["high"] },
    { models: /^gpt-5\.\d+-pro/, efforts: ["medium", "high", "xhigh"] },
    { models: /^gpt-5(?:\.1)?-codex(?!-max)/, efforts: ["low", "medium", "high"] },
    { models: /^gpt-5\.\d+-codex/, efforts: ["low", "medium", "high", "xhigh"] },
    { models: /^gpt-5(?:-|$)/, efforts: ["minimal", "low", "medium", "high"] },
    { models: /^gpt-5\.1(?:-|$)/, efforts: ["none", "low", "medium", "high"] },
    { models: /^gpt-5\.[2-5](?:-|$)/, efforts: ["none", "low", "medium", "high", "xhigh"] },
    { models: /^gpt-5\.\d/, efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
    { models: /^gpt-\d/, efforts: ["low", "medium", "high", "xhigh", "max"] },
  ],
  // Caches by itself; only a longer life must be asked for.
  settings: ({ thinking, cache, model }) => ({
    ...withEffort(effortFor(openai.thinkingFamilies, model, thinking)),
    ...(cache === "extended" && { providerOptions: { openai: longRetention(model) } }),
  }),
  files: (model, api) => {
    if (textOnly.test(baseModelOf(model))) return noFiles;
    return api === "chat" ? chatFiles : allFiles;
  },
  keyCheck: { path: "/models", keyHeaders: bearer },
};

const textOnly = /^(?:gpt-3\.5|gpt-4(?:-\d{4}|-32k|$)|o1-(?:mini|preview)|o3-mini|gpt-oss)/;

// `gpt-5.6` and later models take a lifetime; earlier ones a retention policy.
function longRetention(model: string) {
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(baseModelOf(model));
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  const isNewer = major > 5 || (major === 5 && minor >= 6);
  return isNewer ? { promptCacheOptions: { ttl: "12h" } } : { promptCacheRetention: "24h" };
}
