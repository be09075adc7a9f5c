import assert from "node:assert/strict";
import { test } from "vitest";
import { bytes, count, duration, money, plural, price, relative } from "./format.ts";

test("amounts, sizes and times have as many digits as say something", () => {
  assert.deepEqual([money("0"), money("0.0172"), money("0.00002")], ["$0.00", "$0.0172", "< $0.0001"]);
  assert.deepEqual([money("12.4"), money(1_240_000)], ["$12.40", "$1,240,000.00"]);
  assert.deepEqual([price("3"), price("0.0375"), price("0.001")], ["$3.00", "$0.0375", "$0.001"]);
  assert.deepEqual([count(999), count(12_400), count(null)], ["999", "12.4k", "0"]);
  assert.deepEqual([bytes(512), bytes(1_200_000)], ["512 B", "1.2 MB"]);
  assert.deepEqual([duration(412), duration(4_230), duration(180_000)], ["412 ms", "4.2 s", "3 min"]);
  assert.deepEqual([plural(1, "tool"), plural(0, "tool")], ["1 tool", "0 tools"]);
  assert.equal(relative(new Date(0), 120_000), "2 min ago");
});
