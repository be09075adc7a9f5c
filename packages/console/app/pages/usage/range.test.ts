import assert from "node:assert/strict";
import { test } from "vitest";
import { daysOf, eachDay, rangeOf } from "./range.ts";

const noon = Date.parse("2026-03-01T12:00:00Z");

test("last month ends with its last day, also on the first day of a month", () => {
  assert.deepEqual(daysOf("this-month", noon), { from: "2026-03-01", to: "2026-03-01" });
  assert.deepEqual(daysOf("last-month", noon), { from: "2026-02-01", to: "2026-02-28" });
  assert.deepEqual(daysOf("last-month", Date.parse("2026-01-31T23:59:59Z")), {
    ...{ from: "2025-12-01", to: "2025-12-31" },
  });
});

test("a range of days includes today", () => {
  const week = daysOf("7-days", noon);
  assert.deepEqual(week, { from: "2026-02-23", to: "2026-03-01" });
  assert.equal(eachDay(week).length, 7);
  assert.equal(eachDay(daysOf("30-days", noon)).length, 30);
});

test("an unknown range in the address is this month", () => {
  assert.equal(rangeOf("toString"), "this-month");
  assert.equal(rangeOf(undefined), "this-month");
  assert.equal(rangeOf("30-days"), "30-days");
});
