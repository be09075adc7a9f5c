import type { AgentLimitChanges } from "@muster/proto/workforce";
import { checkLimits, type Issues, type LimitChanges } from "@muster/rpc";

const wholeNumber = /^\d{1,15}$/;

/** Each limit that is `""` is removed. */
export function readLimitChanges(issues: Issues, changes: AgentLimitChanges | undefined): LimitChanges {
  const { monthlyUsd, monthlyTokens, monthlyRuns } = changes ?? {};
  return checkLimits(issues, {
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd || null }),
    ...(monthlyTokens !== undefined && { monthlyTokens: numberIn(monthlyTokens) }),
    ...(monthlyRuns !== undefined && { monthlyRuns: numberIn(monthlyRuns) }),
  });
}

function numberIn(text: string): number | null {
  if (text === "") return null;
  return wholeNumber.test(text) ? Number(text) : Number.NaN;
}
