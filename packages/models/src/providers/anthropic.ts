import { skillsOf, toolsOf } from "../anthropic/hosted-tools.ts";
import { pauseThinking } from "../anthropic/pause-thinking.ts";
import { skipFirstEvents } from "../anthropic/skip-first-events.ts";
import { readUnknownEvent } from "../anthropic/unknown-events.ts";
import { cacheControl } from "../cache-control.ts";
import { allFiles } from "../file-kinds.ts";
import { packageOptions, withOptions } from "../package-options.ts";
import type { ProviderDefinition } from "../provider-definition.ts";
import { allEfforts, effortFor, withEffort } from "../thinking.ts";

export const anthropic: ProviderDefinition<"anthropic"> = {
  name: "anthropic",
  modelIds: "anthropic/<model>",
  variablePrefix: "ANTHROPIC",
  defaultBaseUrl: "https://api.anthropic.com",
  // Written without `/v1` for Anthropic's own tools and with it for others: both work.
  completeBaseUrl: (baseUrl) => (/\/v\d+$/.test(baseUrl) ? baseUrl : `${baseUrl}/v1`),
  packageName: "anthropic",
  async load(setup) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    const provider = createAnthropic({
      ...packageOptions(anthropic, setup),
      fetch: skipFirstEvents(setup.fetch),
    });
    // Pings show that a model which thinks in silence is alive.
    return (model) =>
      pauseThinking(withOptions(provider.languageModel(model), "anthropic", { includePings: true }));
  },
  // The package knows which models take a level and which a budget.
  thinkingFamilies: [
    { models: /^claude-(?:instant|[12]\b|3-(?:haiku|sonnet|opus)|3[.-]5)/, efforts: [] },
    { models: /^claude-/, efforts: allEfforts },
  ],
  settings: ({ thinking, cache, speed, hosted, model }) => ({
    ...withEffort(effortFor(anthropic.thinkingFamilies, model, thinking)),
    providerOptions: {
      anthropic: {
        ...(cache !== "off" && { cacheControl: cacheControl(cache) }),
        ...(speed === "fast" && isFastModel(model) && { speed }),
        ...skillsOf(hosted),
      },
    },
    ...toolsOf(hosted),
  }),
  fastMode: (model) => (isFastModel(model) ? { priceFactor: 2 } : undefined),
  files: () => allFiles,
  keyCheck: {
    path: "/models?limit=1",
    keyHeaders: (key) => ({ "x-api-key": key }),
    headers: { "anthropic-version": "2023-06-01" },
  },
  readUnknownEvent,
};

/** Other models refuse the setting. Source: https://platform.claude.com/docs/en/build-with-claude/fast-mode */
function isFastModel(model: string): boolean {
  return /^claude-(?:opus-(?:4-8|5)|fable-5-2)(?:-|$)/.test(model);
}
