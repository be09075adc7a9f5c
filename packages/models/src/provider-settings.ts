import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { parseModelId } from "./model-id.ts";

/** How much the model thinks before it answers. `auto`: the provider's or the model's own choice. */
export type Thinking = "off" | "low" | "medium" | "high" | "xhigh" | "max" | "auto";

/** How long the provider keeps the beginning of the conversation: for minutes, for longer, not at all. */
export type Cache = "auto" | "extended" | "off";

export const thinkingLevels: readonly Thinking[] = ["off", "low", "medium", "high", "xhigh", "max", "auto"];
export const cacheModes: readonly Cache[] = ["auto", "extended", "off"];

/** The part of the call options that says the same thing differently for every provider. Spread it into the call. */
export type ProviderSettings = Pick<LanguageModelV4CallOptions, "reasoning" | "providerOptions">;

type Reasoning = NonNullable<LanguageModelV4CallOptions["reasoning"]>;
type Make = (choice: { thinking: Thinking | undefined; cache: Cache; model: string }) => ProviderSettings;

/**
 * Translates `thinking` and `cache` for the provider of a model. A level that a model lacks becomes the nearest one
 * it has; a provider that cannot do a thing ignores it. Absent `thinking` leaves the provider's default, absent
 * `cache` means `auto`. Unknown model ids get no settings.
 */
export function providerSettings(
  modelId: string,
  choice: { thinking?: Thinking | undefined; cache?: Cache | undefined },
): ProviderSettings {
  const parsed = parseModelId(modelId);
  if (!parsed.ok) return {};
  const { provider, model } = parsed.id;
  return makers[provider]({ thinking: choice.thinking, cache: choice.cache ?? "auto", model });
}

// The packages know the levels, budgets and limits of each model, so `reasoning` is left to them where they read it.
const makers: Record<Extract<ReturnType<typeof parseModelId>, { ok: true }>["id"]["provider"], Make> = {
  demo: () => ({}),
  anthropic: ({ thinking, cache }) => ({
    ...withReasoning(thinking),
    ...(cache !== "off" && { providerOptions: { anthropic: { cacheControl: cacheControl(cache) } } }),
  }),
  // Caches by itself; only a longer life must be asked for.
  openai: ({ thinking, cache, model }) => ({
    ...withReasoning(thinking),
    ...(cache === "extended" && { providerOptions: { openai: longRetention(model) } }),
  }),
  // Caches by itself, for as long as it likes.
  google: ({ thinking }) => ({
    ...withReasoning(thinking),
    ...(thinking !== undefined &&
      thinking !== "off" && { providerOptions: { google: { thinkingConfig: { includeThoughts: true } } } }),
  }),
  xai: ({ thinking }) => withReasoning(thinking),
  // OpenRouter's package does not read `reasoning`. Its cache setting is for Anthropic's models alone.
  aggregator: ({ thinking, cache, model }) => {
    const reasoning = thinking === undefined ? undefined : aggregatorReasoning[thinking];
    const options = {
      ...(reasoning && { reasoning }),
      ...(cache !== "off" && model.startsWith("anthropic/") && { cacheControl: cacheControl(cache) }),
    };
    return Object.keys(options).length > 0 ? { providerOptions: { openrouter: options } } : {};
  },
  // Ollama, vLLM and LM Studio know three levels, and refuse others.
  local: ({ thinking }) => withReasoning(thinking === "xhigh" || thinking === "max" ? "high" : thinking),
};

function withReasoning(thinking: Thinking | undefined): ProviderSettings {
  return thinking === undefined || thinking === "auto" ? {} : { reasoning: levels[thinking] };
}

const levels: Record<Exclude<Thinking, "auto">, Reasoning> = {
  off: "none",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};

const aggregatorReasoning: Record<Thinking, { effort: string } | { enabled: true }> = {
  off: { effort: "none" },
  low: { effort: "low" },
  medium: { effort: "medium" },
  high: { effort: "high" },
  xhigh: { effort: "xhigh" },
  max: { effort: "xhigh" },
  auto: { enabled: true },
};

function cacheControl(cache: "auto" | "extended") {
  return cache === "extended" ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
}

// `gpt-5.6` and everything after it take a lifetime; before it, a retention policy.
function longRetention(model: string) {
  const version = /^gpt-(\d+)(?:\.(\d+))?/.exec(model);
  const [major, minor] = [Number(version?.[1] ?? 0), Number(version?.[2] ?? 0)];
  const isNewer = major > 5 || (major === 5 && minor >= 6);
  return isNewer ? { promptCacheOptions: { ttl: "12h" } } : { promptCacheRetention: "24h" };
}
