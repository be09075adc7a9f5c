import assert from "node:assert/strict";
import { test } from "vitest";
import { emptySamples, idealPacedMs } from "./measure.ts";
import { readOptions } from "./options.ts";
import { formatMarkdown, formatTable, makeRows } from "./report.ts";
import { percentile } from "./statistics.ts";

test("a rate is compared with the other server's of the same round", () => {
  const samples = (...rates: number[]) => ({ ...emptySamples(), streamsPerSecond: { 32: rates } });
  const verdict = (...muster: number[]) =>
    makeRows({ bare: samples(100, 200, 1000), muster: samples(...muster) }).find(
      ({ metric }) => metric === "streams/s, 32 concurrent",
    )?.target;
  assert.equal(verdict(180, 360, 1000)?.reached, true);
  assert.equal(verdict(180, 350, 1000)?.reached, false);
  assert.match(verdict(180, 350, 1000)?.text ?? "", /1\.8 x bare \(is 1\.75\)/);
  const alone = makeRows({ muster: samples(180) });
  assert.equal(alone.find(({ metric }) => metric === "streams/s, 32 concurrent")?.target, undefined);
});

test("slow streams are compared with the median of the bare server", () => {
  const samples = (ms: number) => ({ ...emptySamples(), pacedSpreadMs: [ms] });
  const reached = (muster: number) =>
    makeRows({ bare: samples(1000), muster: samples(muster) }).find(
      ({ metric }) => metric === "200 paced streams, p95",
    )?.target?.reached;
  assert.equal(reached(1100), true);
  assert.equal(reached(1101), false);
});

test("the table has a line for each row and marks missed targets", () => {
  const slow = { ...emptySamples(), pacedAtOnceMs: [idealPacedMs() * 2] };
  const rows = makeRows({ proxy: slow, muster: slow });
  const lines = formatTable(rows, ["proxy", "muster"]).split("\n");
  assert.equal(lines.length, rows.length + 1);
  assert.match(
    lines.find((line) => line.startsWith("200 paced, all start at once, p50")) ?? "",
    /2,560.*FAIL$/,
  );
});

test("the table for documents has as many cells in every line", () => {
  const some = { ...emptySamples(), coldStartMs: [100] };
  const names = ["bare", "muster"] as const;
  const lines = formatMarkdown(makeRows({ bare: some, muster: some }), names).split("\n");
  assert.deepEqual(new Set(lines.map((line) => line.split("|").length)), new Set([8]));
  assert.match(lines[0] ?? "", /^\| {2}\| bare \| muster \| muster \/ bare \| to reach \| {2}\|$/);
  assert.match(lines.at(-1) ?? "", /cold start.*\| 1.00 \| 1,200 ms, or 3 x bare \| pass \|$/);
});

test("a line of which nothing was measured is left out", () => {
  const rows = makeRows({ muster: { ...emptySamples(), coldStartMs: [100] } });
  assert.deepEqual(
    rows.map(({ metric }) => metric),
    ["cold start to first response"],
  );
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
  assert.deepEqual(readOptions(["--quick"]).names, ["bare", "unlogged", "triggered", "muster"]);
  assert.throws(() => readOptions(["--only", "all"]), /direct, proxy, bare, unlogged, triggered, muster/);
  assert.throws(() => readOptions(["--fast"]), /fast/);
});
