import type { AgentLimitChanges, AgentLimits } from "@muster/proto/workforce";
import type { Issues } from "@muster/rpc";
import type { MonthlyLimits } from "../store/agent-document.ts";
import type { AgentChanges } from "../store/agent-store.ts";

const dollars = /^\d{1,9}(\.\d{1,12})?$/;
const wholeNumber = /^\d{1,15}$/;
const maxTokens = 1_000_000_000_000_000n;
const maxRuns = 1_000_000_000;

export function readLimits(issues: Issues, limits: AgentLimits | undefined): MonthlyLimits {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = limits ?? {};
  if (monthlyUsd !== undefined) checkDollars(issues, monthlyUsd);
  if (monthlyTokens !== undefined && monthlyTokens >= maxTokens) {
    issues.add("limits.monthlyTokens", `must be less than ${maxTokens}`);
  }
  if (monthlyRuns !== undefined) checkRuns(issues, monthlyRuns);
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd }),
    ...(monthlyTokens !== undefined && { monthlyTokens: Number(monthlyTokens) }),
    ...(monthlyRuns !== undefined && { monthlyRuns }),
  };
}

export function readLimitChanges(
  issues: Issues,
  changes: AgentLimitChanges | undefined,
): NonNullable<AgentChanges["limits"]> {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = changes ?? {};
  if (monthlyUsd) checkDollars(issues, monthlyUsd);
  const runs = readNumber(issues, "limits.monthlyRuns", monthlyRuns);
  if (typeof runs === "number") checkRuns(issues, runs);
  const tokens = readNumber(issues, "limits.monthlyTokens", monthlyTokens);
  return {
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd === "" ? null : monthlyUsd }),
    ...(tokens !== undefined && { monthlyTokens: tokens }),
    ...(runs !== undefined && { monthlyRuns: runs }),
  };
}

/** Null: it is removed. */
function readNumber(issues: Issues, path: string, text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined;
  if (text === "") return null;
  if (!wholeNumber.test(text)) issues.add(path, "must be a whole number, or null to remove it");
  return Number(text);
}

function checkDollars(issues: Issues, text: string): void {
  if (!dollars.test(text))
    issues.add("limits.monthlyUsd", "must be a decimal number of US dollars, such as 25.50");
}

function checkRuns(issues: Issues, runs: number): void {
  if (runs > maxRuns) issues.add("limits.monthlyRuns", `must be at most ${maxRuns}`);
}
