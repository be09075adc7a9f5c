import assert from "node:assert/strict";
import { test, vi } from "vitest";
import { medianRatio, percentile, printAtMost } from "./figures.ts";

test("a percentile is rounded up to a measured value", () => {
  assert.equal(percentile([3, 1, 2], 0.5), 2);
  assert.equal(percentile([1, 2, 3, 4], 0.95), 4);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test("a value is compared with the other one of the same round", () => {
  assert.equal(medianRatio([180, 350, 1_000], [100, 200, 1_000]), 1.75);
});

test("a missed target fails the process, and a reached one does not", (t) => {
  const exitCode = process.exitCode;
  t.onTestFinished(() => {
    process.exitCode = exitCode;
  });
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  process.exitCode = 0;
  printAtMost("compile", 4, 5, "ms");
  assert.equal(process.exitCode, 0);
  printAtMost("compile", 5.5, 5, "ms");
  assert.equal(process.exitCode, 1);
  const [first = "", second = ""] = log.mock.calls.map(([line]) => String(line));
  assert.match(first, /^compile +4\.00 ms {2}at most 5 ms pass$/);
  assert.match(second, /^compile +5\.50 ms {2}at most 5 ms MISS$/);
});
