import { isAtLeast } from "@muster/service/money";
import type { Issues } from "./issues.ts";

/** Limits of a calendar month (UTC). An absent limit does not exist; 0 blocks everything. */
export interface MonthlyLimits {
  /** Dollars with the bandwidth fee, a decimal number. */
  monthlyUsd?: string;
  /** Input and output tokens. */
  monthlyTokens?: number;
  monthlyRuns?: number;
}

/** Null removes a limit. */
export type LimitChanges = { [Name in keyof MonthlyLimits]?: MonthlyLimits[Name] | null };

interface LimitsMessage {
  monthlyUsd?: string | undefined;
  monthlyTokens?: bigint | undefined;
  monthlyRuns?: number | undefined;
}

const dollars = /^\d{1,9}(\.\d{1,12})?$/;
const maxTokens = 999_999_999_999_999;
const maxRuns = 1_000_000_000;

/** From a message between services. */
export function monthlyLimits({ monthlyUsd, monthlyTokens, monthlyRuns }: LimitsMessage = {}): MonthlyLimits {
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd }),
    ...(monthlyTokens !== undefined && { monthlyTokens: Number(monthlyTokens) }),
    ...(monthlyRuns !== undefined && { monthlyRuns }),
  };
}

/** The opposite. Other fields stay. */
export function limitsMessage<Limits extends MonthlyLimits>({ monthlyTokens, ...others }: Limits) {
  return { ...others, ...(monthlyTokens !== undefined && { monthlyTokens: BigInt(monthlyTokens) }) };
}

/** Adds an issue for each limit that is none, at `limits.`. Returns the limits. */
export function checkLimits<Limits extends LimitChanges>(issues: Issues, limits: Limits): Limits {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = limits;
  if (monthlyUsd != null && !dollars.test(monthlyUsd))
    issues.add("limits.monthlyUsd", "must be a decimal number of US dollars, such as 25.50, or null");
  for (const [name, value, max] of [
    ["monthlyTokens", monthlyTokens, maxTokens],
    ["monthlyRuns", monthlyRuns, maxRuns],
  ] as const)
    if (value != null && !(Number.isInteger(value) && value >= 0 && value <= max))
      issues.add(`limits.${name}`, `must be a whole number from 0 to ${max}, or null`);
  return limits;
}

/** The month of a time, such as `2026-11`, in UTC. */
export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7);
}

/** The first limit of money and tokens that this month's use has reached. `used` is not called without such a limit. */
export async function reachedLimit(
  { monthlyUsd, monthlyTokens }: MonthlyLimits,
  used: () => Promise<{ totalFee: string; tokens: number }>,
): Promise<"spending-limit" | "usage-limit" | undefined> {
  if (monthlyUsd === undefined && monthlyTokens === undefined) return undefined;
  const { totalFee, tokens } = await used();
  if (monthlyUsd !== undefined && isAtLeast(totalFee, monthlyUsd)) return "spending-limit";
  return monthlyTokens !== undefined && tokens >= monthlyTokens ? "usage-limit" : undefined;
}
