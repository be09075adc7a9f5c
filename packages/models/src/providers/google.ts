import { packageOptions } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { withReasoning } from "../reasoning.ts";

export const google: ProviderDefinition<"google"> = {
  name: "google",
  modelIds: "google/<model>",
  variablePrefix: "GOOGLE",
  defaultBaseUrl: "https://generativelanguage.googleapis.com/v1beta",
  packageName: "google",
  async load(setup) {
    const { createGoogle } = await import("@ai-sdk/google");
    const provider = createGoogle(packageOptions(google, setup));
    return (model) => provider.languageModel(model);
  },
  // Caches by itself and decides for how long.
  settings: ({ thinking }) => ({
    ...withReasoning(thinking),
    ...(thinking !== undefined &&
      thinking !== "off" && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }),
  }),
  keyCheck: { path: "/models?pageSize=1", keyHeaders: (key) => ({ "x-goog-api-key": key }) },
};
