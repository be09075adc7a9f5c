import type { MonthlyLimits } from "../../store/agent-document.ts";
import type { ReachedLimit } from "../failures/classify-failure.ts";

/** What was used in the month. */
export interface MonthlyUse {
  /** Dollars with the bandwidth fee, a decimal number. */
  usd: string;
  tokens: number;
  runs: number;
}

/** The first limit that leaves nothing for another run. A limit of 0 is always reached. */
export function reachedLimit(
  whose: ReachedLimit["whose"],
  { monthlyUsd, monthlyTokens, monthlyRuns }: MonthlyLimits,
  used: MonthlyUse,
): ReachedLimit | undefined {
  if (monthlyRuns !== undefined && used.runs >= monthlyRuns) return { whose, limit: "monthlyRuns" };
  if (monthlyUsd !== undefined && Number(used.usd) >= Number(monthlyUsd))
    return { whose, limit: "monthlyUsd" };
  if (monthlyTokens !== undefined && used.tokens >= monthlyTokens) return { whose, limit: "monthlyTokens" };
  return undefined;
}
