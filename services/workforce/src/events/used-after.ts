import { isJsonObject, parseJsonObject } from "@muster/language";
import type { UsedSoFar } from "../store/recording-document.ts";

/** The usage of a run, from a `usage` event: it counts from the beginning of the turn. */
export function usedAfter(before: UsedSoFar | null, json: string): UsedSoFar | null {
  const inTurn = usedInTurn(json);
  if (inTurn === undefined || before === null) return inTurn ?? before;
  return {
    cost: before.cost + inTurn.cost,
    inputTokens: before.inputTokens + inTurn.inputTokens,
    outputTokens: before.outputTokens + inTurn.outputTokens,
  };
}

function usedInTurn(json: string): UsedSoFar | undefined {
  const parsed = parseJsonObject(json);
  if (!parsed.ok) return undefined;
  const { cost, tokens } = parsed.value;
  if (!isJsonObject(cost) || !isJsonObject(tokens)) return undefined;
  const { totalFee } = cost;
  const { inputTokens, outputTokens } = tokens;
  if (typeof totalFee !== "number" || typeof inputTokens !== "number" || typeof outputTokens !== "number")
    return undefined;
  return { cost: totalFee, inputTokens, outputTokens };
}
