import assert from "node:assert/strict";
import { test } from "vitest";
import { readRpcError } from "./errors.ts";
import { Issues } from "./issues.ts";
import {
  checkLimits,
  type LimitChanges,
  limitsMessage,
  monthlyLimits,
  reachedLimit,
} from "./monthly-limits.ts";

function problemsOf(limits: LimitChanges): string[] {
  const issues = new Issues();
  checkLimits(issues, limits);
  try {
    issues.refuse();
  } catch (error) {
    return readRpcError(error).issues?.map(({ path }) => path) ?? [];
  }
  return [];
}

test("a limit is a decimal number of dollars or a whole number, and null removes it", () => {
  assert.deepEqual(problemsOf({ monthlyUsd: "25.50", monthlyTokens: 0, monthlyRuns: null }), []);
  assert.deepEqual(problemsOf({ monthlyUsd: "", monthlyTokens: 1.5, monthlyRuns: 1e9 + 1 }), [
    ...["limits.monthlyUsd", "limits.monthlyTokens", "limits.monthlyRuns"],
  ]);
  assert.deepEqual(problemsOf({ monthlyUsd: "1e3", monthlyTokens: -1, monthlyRuns: Number.NaN }), [
    ...["limits.monthlyUsd", "limits.monthlyTokens", "limits.monthlyRuns"],
  ]);
});

test("limits survive a message between services, and absent ones stay absent", () => {
  for (const limits of [{}, { monthlyUsd: "0", monthlyTokens: 7, monthlyRuns: 0 }])
    assert.deepEqual(monthlyLimits(limitsMessage(limits)), limits);
});

test("a limit is reached by exactly its amount, and unlimited use is not added up", async () => {
  const used = async () => ({ totalFee: "2.5", tokens: 10 });
  assert.equal(await reachedLimit({ monthlyUsd: "2.50", monthlyTokens: 10 }, used), "spending-limit");
  assert.equal(await reachedLimit({ monthlyUsd: "2.51", monthlyTokens: 10 }, used), "usage-limit");
  assert.equal(await reachedLimit({ monthlyUsd: "2.51", monthlyTokens: 11 }, used), undefined);
  assert.equal(await reachedLimit({ monthlyRuns: 0 }, () => assert.fail()), undefined);
});
