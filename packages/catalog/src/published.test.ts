import assert from "node:assert/strict";
import { test } from "vitest";
import { nextChangeMs, type PriceVariant, type PublishedModel, pricesAt } from "./published.ts";

const always = Number.NEGATIVE_INFINITY;

function variant(input: bigint, fromMs = always, onlySomeHours = false): PriceVariant {
  const rates = { input, output: 0n, cacheRead: undefined, cacheWrite: undefined, reasoning: undefined };
  return { fromMs, onlySomeHours, prices: { base: rates, tiers: [] } };
}

const model = (...variants: PriceVariant[]): PublishedModel => ({
  id: "m",
  name: undefined,
  contextLength: null,
  isFamily: false,
  variants,
});

const cases: Array<[title: string, PublishedModel, nowMs: number, input: bigint]> = [
  ["a single set of prices always applies", model(variant(1n)), 0, 1n],
  ["a dated set of prices does not apply before its date", model(variant(1n), variant(2n, 100)), 99, 1n],
  ["a dated set of prices applies from its date", model(variant(1n), variant(2n, 100)), 100, 2n],
  [
    "the latest of several past sets of prices applies",
    model(variant(1n), variant(2n, 10), variant(3n, 20)),
    15,
    2n,
  ],
  ["the first set of prices applies before every date", model(variant(2n, 10), variant(3n, 20)), 0, 2n],
  [
    "the most expensive hourly prices apply",
    model(variant(1n), variant(5n, always, true), variant(3n, always, true)),
    0,
    5n,
  ],
  ["cheap hours do not lower a price", model(variant(4n), variant(1n, always, true)), 0, 4n],
  [
    "hourly prices compete with the dated set before them",
    model(variant(9n), variant(2n, 10), variant(3n, always, true)),
    10,
    3n,
  ],
];
for (const [title, published, nowMs, input] of cases) {
  test(title, () => assert.equal(pricesAt(published, nowMs)?.base.input, input));
}

test("the next price change is the nearest future date", () => {
  const models = [model(variant(1n)), model(variant(1n), variant(2n, 50), variant(3n, 70))];
  assert.deepEqual(
    [0, 50, 70].map((nowMs) => nextChangeMs(models, nowMs)),
    [50, 70, Number.POSITIVE_INFINITY],
  );
});
