import assert from "node:assert/strict";
import { test } from "vitest";
import { emptySamples, idealPacedMs } from "./measure.ts";
import { readOptions } from "./options.ts";
import { formatTable, makeRows } from "./report.ts";
import { percentile } from "./statistics.ts";

test("a target is compared with the proxy of the same run", () => {
  const samples = (rate: number) => ({ ...emptySamples(), streamsPerSecond: { 32: [rate, rate, 1] } });
  const verdict = (muster: number) =>
    makeRows({ proxy: samples(1000), muster: samples(muster) }).find(
      ({ metric }) => metric === "streams/s, 32 concurrent",
    )?.target?.reached;
  assert.equal(verdict(34), true);
  assert.equal(verdict(33), false);
  assert.equal(
    makeRows({ muster: samples(34) }).some(({ target }) => target !== undefined),
    false,
  );
});

test("the table has a line for each row and marks missed targets", () => {
  const slow = { ...emptySamples(), pacedSpreadMs: [idealPacedMs() * 2] };
  const rows = makeRows({ proxy: slow, muster: slow });
  const lines = formatTable(rows, ["proxy", "muster"]).split("\n");
  assert.equal(lines.length, rows.length + 1);
  assert.match(lines.find((line) => line.startsWith("200 paced streams, p50")) ?? "", /2,560.*FAIL$/);
});

test("a percentile is rounded up to a measured value", () => {
  assert.equal(percentile([3, 1, 2], 0.5), 2);
  assert.equal(percentile([1, 2, 3, 4], 0.95), 4);
  assert.ok(Number.isNaN(percentile([], 0.5)));
});

test("unknown targets and flags are refused", () => {
  assert.deepEqual(readOptions(["--only", "muster,proxy", "--quick"]), {
    names: ["proxy", "muster"],
    quick: true,
    profile: false,
  });
  assert.throws(() => readOptions(["--only", "all"]), /direct, proxy, muster/);
  assert.throws(() => readOptions(["--fast"]), /fast/);
});
