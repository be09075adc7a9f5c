import type { ProjectLimitChanges } from "@muster/proto/auth";
import { checkLimits, type Issues } from "@muster/rpc";
import type { ProjectChanges } from "./store/project-store.ts";

const maxRequestsPerMinute = 1_000_000_000;

/** Null removes a limit. */
export function readLimits(
  issues: Issues,
  { requestsPerMinute: requests, monthlyUsd, monthlyTokens: tokens, monthlyRuns: runs }: ProjectLimitChanges,
): NonNullable<ProjectChanges["limits"]> {
  const { value: perMinute = 1 } = requests ?? {};
  if (perMinute < 1 || perMinute > maxRequestsPerMinute) {
    issues.add("limits.requestsPerMinute", `must be from 1 to ${maxRequestsPerMinute}, or null to remove it`);
  }
  return {
    ...(requests && { requestsPerMinute: requests.value ?? null }),
    ...checkLimits(issues, {
      ...(monthlyUsd !== undefined && { monthlyUsd: monthlyUsd || null }),
      ...(tokens && { monthlyTokens: tokens.value === undefined ? null : Number(tokens.value) }),
      ...(runs && { monthlyRuns: runs.value ?? null }),
    }),
  };
}
