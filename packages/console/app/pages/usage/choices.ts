import type { UsageGroup } from "@muster/client";

/** The properties that the page can split by. */
export const splits = { agent: "Agent", model: "Model", key: "Key", subject: "Subject" } as const;

export type Split = keyof typeof splits;

export const measures = { cost: "Cost", tokens: "Tokens" } as const;

export type Measure = keyof typeof measures;

type Amounts = Pick<UsageGroup, "totalFeeUsd" | "inputTokens" | "outputTokens">;

/** The amount of a group or of a day; 0 for one without calls. */
export function amountOf(amounts: Amounts | undefined, measure: Measure): number {
  if (amounts === undefined) return 0;
  return measure === "cost" ? Number(amounts.totalFeeUsd) : amounts.inputTokens + amounts.outputTokens;
}

/** An unknown word in the address is the default. */
export function oneOf<Value extends string>(
  values: Record<Value, string>,
  text: string | undefined,
  byDefault: Value,
) {
  return text !== undefined && Object.hasOwn(values, text) ? (text as Value) : byDefault;
}
