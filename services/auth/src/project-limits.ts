import type { ProjectLimitChanges } from "@muster/proto/auth";
import type { Issues } from "@muster/rpc";
import type { ProjectChanges } from "./store/projects.ts";

const maxRequestsPerMinute = 1_000_000_000;
const maxRuns = 1_000_000_000;
const maxTokens = 1_000_000_000_000_000n;
const dollars = /^\d{1,9}(\.\d{1,12})?$/;

/** Null removes a limit. */
export function readLimits(
  issues: Issues,
  { requestsPerMinute: requests, monthlyUsd, monthlyTokens: tokens, monthlyRuns: runs }: ProjectLimitChanges,
): NonNullable<ProjectChanges["limits"]> {
  const { value: perMinute = 1 } = requests ?? {};
  if (perMinute < 1 || perMinute > maxRequestsPerMinute) {
    issues.add("limits.requestsPerMinute", `must be from 1 to ${maxRequestsPerMinute}, or null to remove it`);
  }
  if (monthlyUsd && !dollars.test(monthlyUsd)) {
    issues.add(
      "limits.monthlyUsd",
      "must be a decimal number of US dollars, such as 25.50, or null to remove it",
    );
  }
  if ((tokens?.value ?? 0n) > maxTokens) {
    issues.add("limits.monthlyTokens", `must be from 0 to ${maxTokens}, or null to remove it`);
  }
  if ((runs?.value ?? 0) > maxRuns) {
    issues.add("limits.monthlyRuns", `must be from 0 to ${maxRuns}, or null to remove it`);
  }
  return {
    ...(requests && { requestsPerMinute: requests.value ?? null }),
    ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd === "" ? null : monthlyUsd }),
    ...(tokens && { monthlyTokens: tokens.value === undefined ? null : Number(tokens.value) }),
    ...(runs && { monthlyRuns: runs.value ?? null }),
  };
}
