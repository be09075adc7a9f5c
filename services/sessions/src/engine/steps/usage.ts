import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Frame, ModelUsage } from "../boundary/frame.ts";

/** Adds the tokens of a step to those of its model so far. */
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

/** A number that a provider does not report is not counted. */
function add(before: number | undefined, tokens: number | undefined): number | undefined {
  if (tokens === undefined || !Number.isFinite(tokens)) return before;
  return (before ?? 0) + tokens;
}
