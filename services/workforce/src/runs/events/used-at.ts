import { isJsonObject, parseJsonObject } from "@muster/protocol";
import type { UsedSoFar } from "../../recordings/recording-document.ts";

/** What a `usage` event says. Undefined if it says nothing. */
export function usedAt(json: string): UsedSoFar | undefined {
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
