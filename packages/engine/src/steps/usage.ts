import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { ModelUsage } from "../boundary/frame.ts";
import type { Turn } from "../turn/turn.ts";

/** Adds the tokens of a step to those of its model so far, in the turn and all of its workers. */
export function countUsage({ frame, tree }: Turn, step: LanguageModelV4Usage): void {
  const { modelId } = frame.open ?? {};
  const { usage } = tree.root.frame;
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
