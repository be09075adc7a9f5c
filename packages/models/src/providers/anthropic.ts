import type {
  JSONObject,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4ProviderTool,
} from "@ai-sdk/provider";
import { allFiles } from "../file-kinds.ts";
import { changeCalls, packageOptions, withOptions } from "../package-options.ts";
import type { HostedTools, ProviderDefinition } from "../provider-definition.ts";
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
    const { anthropicStreams } = await import("../parts/anthropic-streams.ts");
    const own = anthropicStreams(setup.fetch);
    const provider = createAnthropic(packageOptions(anthropic, { ...setup, fetch: own.fetch }));
    // Pings show that a model which thinks in silence is alive.
    return (model) =>
      pauseThinking(
        withOptions(own.read(provider.languageModel(model)), "anthropic", { includePings: true }),
      );
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
};

/** Other models refuse the setting. Source: https://platform.claude.com/docs/en/build-with-claude/fast-mode */
function isFastModel(model: string): boolean {
  return /^claude-(?:opus-(?:4-8|5)|fable-5-2)(?:-|$)/.test(model);
}

/** The tools by our names, which the calls in the reply have too. These versions work with all current models. */
const tools = {
  "web-search": "anthropic.web_search_20250305",
  "code-execution": "anthropic.code_execution_20250825",
} as const;

/** Skills are folders that the model reads by executing code. */
function toolsOf({ tools: listed, skills }: HostedTools): { tools?: LanguageModelV4ProviderTool[] } {
  const names = new Set(skills.length > 0 ? [...listed, "code-execution" as const] : listed);
  if (names.size === 0) return {};
  return { tools: [...names].map((name) => ({ type: "provider", id: tools[name], name, args: {} })) };
}

function skillsOf({ skills }: HostedTools): JSONObject {
  if (skills.length === 0) return {};
  const asked = skills.map(({ type, id, version }) => ({
    ...(type === "anthropic" ? { type, skillId: id } : { type, providerReference: { anthropic: id } }),
    ...(version !== undefined && { version }),
  }));
  return { container: { skills: asked } };
}

/**
 * A model that answers without thinking where Anthropic would refuse the request otherwise: it demands that a turn of
 * tool calls began with thinking that it signed. Another model may have begun the turn, or a caller restored it.
 */
function pauseThinking(model: LanguageModelV4): LanguageModelV4 {
  return changeCalls(model, allowed);
}

function allowed(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  if (options.reasoning === undefined || !lacksThinking(options.prompt)) return options;
  const { reasoning: _, ...rest } = options;
  return rest;
}

/** Whether the latest answer made calls and did not begin with thinking. */
function lacksThinking(prompt: LanguageModelV4CallOptions["prompt"]): boolean {
  const answer = prompt.findLast(({ role }) => role === "assistant");
  if (answer?.role !== "assistant" || !answer.content.some(({ type }) => type === "tool-call")) return false;
  // The package omits reasoning that Anthropic did not sign.
  const first = answer.content.find((part) => part.type !== "reasoning" || isSigned(part.providerOptions));
  return first?.type !== "reasoning";
}

function isSigned(options: LanguageModelV4CallOptions["providerOptions"]): boolean {
  const { signature, redactedData } = options?.anthropic ?? {};
  return signature !== undefined || redactedData !== undefined;
}

/** Anthropic's way to ask for caching, which OpenRouter passes on. */
export function cacheControl(cache: "auto" | "extended") {
  return cache === "extended" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}
