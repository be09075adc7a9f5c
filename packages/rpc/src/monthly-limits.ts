import { isAtLeast } from "@muster/service/money";
import type { Issues } from "./issues.ts";

/** Limits of the use of models in a calendar month (UTC). An absent limit does not exist; 0 blocks everything. */
export interface SpendingLimits {
  /** Dollars with the bandwidth fee, a decimal number. */
  monthlyUsd?: string;
  /** Input and output tokens. */
  monthlyTokens?: number;
}

/** The limits of workforce agents. */
export interface MonthlyLimits extends SpendingLimits {
  monthlyRuns?: number;
}

/** Null removes a limit. */
export type LimitChanges = { [Name in keyof MonthlyLimits]?: MonthlyLimits[Name] | null };

interface LimitsMessage {
  monthlyUsd?: string | undefined;
  monthlyTokens?: bigint | undefined;
  monthlyRuns?: number | undefined;
}

interface WorkforceLimitsMessage {
  workforceMonthlyUsd?: string | undefined;
  workforceMonthlyTokens?: bigint | undefined;
  workforceMonthlyRuns?: number | undefined;
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

/** The limits of a project's workforce agents, from the message of all its limits. */
export function workforceLimits({
  workforceMonthlyUsd: monthlyUsd,
  workforceMonthlyTokens: monthlyTokens,
  workforceMonthlyRuns: monthlyRuns,
}: WorkforceLimitsMessage = {}): MonthlyLimits {
  return monthlyLimits({ monthlyUsd, monthlyTokens, monthlyRuns });
}

/** The opposite of `monthlyLimits`. Other fields stay. */
export function limitsMessage<Limits extends MonthlyLimits>({ monthlyTokens, ...others }: Limits) {
  return { ...others, ...(monthlyTokens !== undefined && { monthlyTokens: BigInt(monthlyTokens) }) };
}

/** Adds an issue at the path if a limit of dollars is none. */
export function checkUsd(issues: Issues, path: string, usd: string | undefined): void {
  if (usd !== undefined && !dollars.test(usd))
    issues.add(path, "must be a decimal number of US dollars, such as 0.50");
}

/** The lowest of limits in dollars. Undefined: there is none. */
export function lowestUsd(...limits: Array<string | undefined>): string | undefined {
  return limits.reduce((a, b) => (a === undefined || (b !== undefined && isAtLeast(a, b)) ? b : a));
}

/** Adds an issue for each limit that is none, at `limits.` and its name after `prefix`. Returns the limits. */
export function checkLimits<Limits extends LimitChanges>(
  issues: Issues,
  limits: Limits,
  prefix: "monthly" | "workforceMonthly" = "monthly",
): Limits {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = limits;
  if (monthlyUsd != null && !dollars.test(monthlyUsd))
    issues.add(`limits.${prefix}Usd`, "must be a decimal number of US dollars, such as 25.50, or null");
  for (const [name, value, max] of [
    ["Tokens", monthlyTokens, maxTokens],
    ["Runs", monthlyRuns, maxRuns],
  ] as const)
    if (value != null && !(Number.isInteger(value) && value >= 0 && value <= max))
      issues.add(`limits.${prefix}${name}`, `must be a whole number from 0 to ${max}, or null`);
  return limits;
}

/** The month of a time, such as `2026-11`, in UTC. */
export function monthOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 7);
}

/** The use of models in a month. */
interface MonthlyUse {
  /** An exact decimal number of dollars. */
  totalFee: string;
  tokens: number;
}

/** Dollars, or tokens. */
export type LimitReached = "spending-limit" | "usage-limit";

/** See `limitReachedBy`. `used` is not called without a limit of money or tokens. */
export async function reachedLimit(
  limits: MonthlyLimits,
  used: () => Promise<MonthlyUse>,
): Promise<LimitReached | undefined> {
  if (limits.monthlyUsd === undefined && limits.monthlyTokens === undefined) return undefined;
  return limitReachedBy(await used(), limits);
}

/** The first limit of money and tokens that this month's use has reached. */
export function limitReachedBy(
  { totalFee, tokens }: MonthlyUse,
  { monthlyUsd, monthlyTokens }: SpendingLimits,
): LimitReached | undefined {
  if (monthlyUsd !== undefined && isAtLeast(totalFee, monthlyUsd)) return "spending-limit";
  return monthlyTokens !== undefined && tokens >= monthlyTokens ? "usage-limit" : undefined;
}
