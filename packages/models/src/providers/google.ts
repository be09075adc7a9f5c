import { allFiles, chatFiles } from "../file-kinds.ts";
import { packageOptions } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { allEfforts, canThink, effortFor, withEffort } from "../thinking.ts";

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
  // The package knows which models take a level and which a budget.
  thinkingFamilies: [
    { models: /^(?:gemini-(?:1|2\.0)|gemma|learnlm)/, efforts: [] },
    { models: /-(?:image|tts|computer-use)|native-audio/, efforts: [] },
    { models: /^gemini-2\.5/, efforts: allEfforts },
    { models: /^gemini-3-pro/, efforts: ["low", "high"] },
    { models: /^gemini-[\d.]+-pro/, efforts: ["low", "medium", "high"] },
    { models: /^gemini-/, efforts: ["minimal", "low", "medium", "high"] },
  ],
  // Caches by itself and decides for how long.
  settings({ thinking, model }) {
    const showsThoughts =
      thinking !== undefined && thinking !== "off" && canThink(google.thinkingFamilies, model);
    return {
      ...withEffort(effortFor(google.thinkingFamilies, model, thinking)),
      ...(showsThoughts && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }),
    };
  },
  // Results of tools contain files from Gemini 3 on.
  files: (model) => {
    const images = ["image/jpeg", "image/png", "image/webp"];
    const byAge = /^gemini-[12](?:\D|$)/.test(model) || !model.startsWith("gemini-") ? chatFiles : allFiles;
    return { ...byAge, images, ...(/^gemma/.test(model) && { pdf: "none" }) };
  },
  keyCheck: { path: "/models?pageSize=1", keyHeaders: (key) => ({ "x-goog-api-key": key }) },
};
