import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Frame, ModelUsage } from "../boundary/frame.ts";

/** Adds what a step has cost to what its model has cost before. */
export function countUsage({ usage, open }: Frame, step: LanguageModelV4Usage): void {
  const { modelId } = open ?? {};
  if (modelId !== undefined) usage[modelId] = sum(usage[modelId], step);
}

function sum(
  before: ModelUsage | undefined,
  { inputTokens, outputTokens }: LanguageModelV4Usage,
): ModelUsage {
  const reasoningTokens = add(before?.reasoningTokens, outputTokens.reasoning);
  const cacheReadTokens = add(before?.cacheReadTokens, inputTokens.cacheRead);
  return {
    inputTokens: add(before?.inputTokens, inputTokens.total) ?? 0,
    outputTokens: add(before?.outputTokens, outputTokens.total) ?? 0,
    ...(reasoningTokens !== undefined && { reasoningTokens }),
    ...(cacheReadTokens !== undefined && { cacheReadTokens }),
  };
}

/** What a provider does not say counts nothing. */
function add(before: number | undefined, tokens: number | undefined): number | undefined {
  if (tokens === undefined || !Number.isFinite(tokens)) return before;
  return (before ?? 0) + tokens;
}
