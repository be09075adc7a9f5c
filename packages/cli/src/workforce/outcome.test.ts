import assert from "node:assert/strict";
import { test } from "vitest";
import { costOf, exitCodeOf, usdOf } from "./outcome.ts";

test("an amount has two digits that mean something, however small it is", () => {
  const cases: Array<[number, string]> = [
    [0, "$0.00"],
    [12, "$12.00"],
    [1.239, "$1.24"],
    [0.0123, "$0.012"],
    [0.000_004_56, "$0.0000046"],
    [1e-30, "$0.000000000000"],
  ];
  for (const [amount, text] of cases) assert.equal(usdOf(amount), text);
});

test("a thread without usage has no cost", () => {
  assert.deepEqual(costOf(undefined), []);
  assert.deepEqual(costOf({ totalFeeUsd: 0.5, totalTokens: 1_234 }), ["$0.50", "1,234 tokens"]);
});

test("a pipeline can distinguish completed, failed and blocked runs", () => {
  const codes = ["completed", "failed", "cancelled", "blocked"].map(exitCodeOf);
  assert.deepEqual(codes, [0, 1, 1, 4]);
});
