import assert from "node:assert/strict";
import { describe, test } from "vitest";
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

describe("prices that depend on time", () => {
  const cases: Array<[title: string, PublishedModel, nowMs: number, input: bigint]> = [
    ["one set holds always", model(variant(1n)), 0, 1n],
    ["a dated set does not hold before its date", model(variant(1n), variant(2n, 100)), 99, 1n],
    ["and holds from its date on", model(variant(1n), variant(2n, 100)), 100, 2n],
    [
      "of several dates the latest past one holds",
      model(variant(1n), variant(2n, 10), variant(3n, 20)),
      15,
      2n,
    ],
    ["before every date the first set holds", model(variant(2n, 10), variant(3n, 20)), 0, 2n],
    [
      "of hours the dearest count",
      model(variant(1n), variant(5n, always, true), variant(3n, always, true)),
      0,
      5n,
    ],
    ["cheap hours do not lower a price", model(variant(4n), variant(1n, always, true)), 0, 4n],
    [
      "hours join the date before them",
      model(variant(9n), variant(2n, 10), variant(3n, always, true)),
      10,
      3n,
    ],
  ];
  for (const [title, published, nowMs, input] of cases) {
    test(title, () => assert.equal(pricesAt(published, nowMs)?.base.input, input));
  }

  test("the next change is the nearest date to come", () => {
    const models = [model(variant(1n)), model(variant(1n), variant(2n, 50), variant(3n, 70))];
    assert.deepEqual(
      [0, 50, 70].map((nowMs) => nextChangeMs(models, nowMs)),
      [50, 70, Number.POSITIVE_INFINITY],
    );
  });
});
