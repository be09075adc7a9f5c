import { isJsonObject, type JsonObject, parseJsonObject } from "@muster/language";
import { decimalOf } from "@muster/service/money";

/** The usage of a thread, as in the contract. */
export interface ThreadUsage {
  currency: string;
  costUsd: string;
  totalFeeUsd: string;
  byok: boolean;
  inputTokens: bigint;
  outputTokens: bigint;
  totalTokens: bigint;
}

/** From the usage of its session. Undefined: nothing was used yet. */
export function readUsage(json: string): ThreadUsage | undefined {
  const parsed = json === "" ? undefined : parseJsonObject(json);
  if (!parsed?.ok) return undefined;
  const { cost, tokens, models } = parsed.value;
  if (!isJsonObject(cost) || !isJsonObject(tokens) || !isJsonObject(models)) return undefined;
  if (Object.keys(models).length === 0) return undefined;
  return {
    currency: "USD",
    costUsd: decimalOf(numberIn(cost, "providerFee")),
    totalFeeUsd: decimalOf(numberIn(cost, "totalFee")),
    byok: cost.byok === true,
    inputTokens: BigInt(numberIn(tokens, "inputTokens")),
    outputTokens: BigInt(numberIn(tokens, "outputTokens")),
    totalTokens: BigInt(numberIn(tokens, "totalTokens")),
  };
}

function numberIn(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === "number" ? value : 0;
}
