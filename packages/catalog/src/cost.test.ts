import assert from "node:assert/strict";
import { priceOfText } from "@muster/service/money";
import fc from "fast-check";
import { test } from "vitest";
import { createCatalog, type TokenUsage } from "./catalog.ts";

const catalog = createCatalog({ bandwidthPer1M: "0.05", clock: { now: () => Date.parse("2026-11-01") } });

function feeOf(id: string, usage: TokenUsage): string {
  const cost = catalog.costOf(id, usage);
  assert.ok(cost, id);
  return cost.providerFee;
}

/** An amount as a whole number of 10^-18 dollars. */
function units(amount: string): bigint {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(18, "0"));
}

const tokens = (max: number) => fc.integer({ min: 0, max });
const usages = fc.record({
  inputTokens: tokens(2_000_000),
  outputTokens: tokens(500_000),
  cacheReadTokens: tokens(2_500_000),
  cacheWriteTokens: tokens(100_000),
  reasoningTokens: tokens(600_000),
});
const ids = fc.constantFrom(...catalog.entries.map(({ id }) => id), "local/anything");

const sonnet = "anthropic/claude-sonnet-4-5";
const cases: Array<[title: string, id: string, TokenUsage, providerFee: string]> = [
  ["input and output", sonnet, { inputTokens: 1_000, outputTokens: 1 }, "0.003015"],
  ["no tokens", sonnet, { inputTokens: 0, outputTokens: 0 }, "0"],
  ["a call by a dated name", `${sonnet}-20250929`, { inputTokens: 1_000, outputTokens: 1 }, "0.003015"],
  ["a cache read", sonnet, { inputTokens: 1_000, outputTokens: 0, cacheReadTokens: 900 }, "0.00057"],
  ["a cache write", sonnet, { inputTokens: 1_000, outputTokens: 0, cacheWriteTokens: 1_000 }, "0.00375"],
  [
    "more cached tokens than input",
    sonnet,
    { inputTokens: 10, outputTokens: 0, cacheReadTokens: 99 },
    "0.000003",
  ],
  ["the last request of the lower tier", sonnet, { inputTokens: 200_000, outputTokens: 1_000 }, "0.615"],
  ["the first request of the higher tier", sonnet, { inputTokens: 200_001, outputTokens: 1_000 }, "1.222506"],
  [
    "reasoning without a price of its own",
    sonnet,
    { inputTokens: 0, outputTokens: 9, reasoningTokens: 5 },
    "0.000135",
  ],
  [
    "reasoning with a price of its own",
    "aggregator/perplexity/sonar-deep-research",
    { inputTokens: 0, outputTokens: 1_000, reasoningTokens: 600 },
    "0.005",
  ],
  [
    "more tokens written to the cache than the rest of the input",
    sonnet,
    { inputTokens: 10, outputTokens: 0, cacheReadTokens: 4, cacheWriteTokens: 99 },
    "0.0000237",
  ],
  [
    "more reasoning than output",
    "aggregator/perplexity/sonar-deep-research",
    { inputTokens: 0, outputTokens: 10, reasoningTokens: 99 },
    "0.00003",
  ],
  ["infinitely many tokens", sonnet, { inputTokens: Number.POSITIVE_INFINITY, outputTokens: 1 }, "0.000015"],
  ["a call of the demo model", "demo/echo", { inputTokens: 5_000, outputTokens: 5_000 }, "0"],
  ["a call of a local model", "local/anything", { inputTokens: 5_000, outputTokens: 5_000 }, "0"],
  ["tokens that are not positive numbers", sonnet, { inputTokens: Number.NaN, outputTokens: -4 }, "0"],
  ["a call at twice the list price", sonnet, { inputTokens: 1, outputTokens: 1, priceFactor: 2 }, "0.000036"],
  ["half a token (counted as one)", sonnet, { inputTokens: 0.5, outputTokens: 0 }, "0.000003"],
];
for (const [title, id, usage, providerFee] of cases) {
  test(`the cost of ${title} is ${providerFee} US dollars`, () =>
    assert.equal(feeOf(id, usage), providerFee));
}

test("the platform's fee applies to input and output alike, and not to the demo model", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 3 };
  assert.deepEqual(catalog.costOf("local/anything", usage), {
    currency: "USD",
    providerFee: "0",
    bandwidthFee: "0.05000015",
    totalFee: "0.05000015",
  });
  assert.equal(catalog.costOf("demo/echo", usage)?.totalFee, "0");
});

test("a model without known prices has no cost", () => {
  assert.equal(catalog.costOf("openai/gpt-99", { inputTokens: 1, outputTokens: 1 }), undefined);
});

test("a fee that is not a decimal is refused", () => {
  for (const bandwidthPer1M of ["", "free", "-1", "1e-7", "NaN"]) {
    assert.throws(() => createCatalog({ bandwidthPer1M }), RangeError);
  }
});

test("the amounts of a cost are canonical decimals, and the total is exactly their sum", () => {
  fc.assert(
    fc.property(ids, usages, (id, usage) => {
      const cost = catalog.costOf(id, usage);
      assert.ok(cost);
      const { providerFee, bandwidthFee, totalFee } = cost;
      for (const fee of [providerFee, bandwidthFee, totalFee])
        assert.match(fee, /^(0|[1-9]\d*)(\.\d*[1-9])?$/);
      assert.equal(units(providerFee) + units(bandwidthFee), units(totalFee));
    }),
  );
});

test("two calls within a tier cost as much as one call with the sum of their tokens", () => {
  fc.assert(
    fc.property(
      ids,
      tokens(50_000),
      tokens(50_000),
      tokens(9_000),
      tokens(9_000),
      (id, in1, in2, out1, out2) => {
        const one = catalog.costOf(id, { inputTokens: in1, outputTokens: out1 });
        const two = catalog.costOf(id, { inputTokens: in2, outputTokens: out2 });
        const both = catalog.costOf(id, { inputTokens: in1 + in2, outputTokens: out1 + out2 });
        assert.ok(one && two && both);
        assert.equal(units(one.totalFee) + units(two.totalFee), units(both.totalFee));
      },
    ),
  );
});

test("a call with more tokens never costs less", () => {
  fc.assert(
    fc.property(ids, usages, tokens(500_000), tokens(500_000), (id, usage, moreInput, moreOutput) => {
      const more = {
        ...usage,
        inputTokens: usage.inputTokens + moreInput,
        outputTokens: usage.outputTokens + moreOutput,
      };
      const [less, most] = [catalog.costOf(id, usage), catalog.costOf(id, more)];
      assert.ok(less && most && units(less.totalFee) <= units(most.totalFee));
    }),
  );
});

test("the prices of an entry are the prices that are charged", () => {
  for (const { id, pricing } of catalog.entries) {
    const charged = units(feeOf(id, { inputTokens: 1_000, outputTokens: 10 }));
    const [input, output] = [priceOfText(pricing.inputPer1M), priceOfText(pricing.outputPer1M)];
    assert.equal(charged, (input ?? -1n) * 1_000n + (output ?? -1n) * 10n, id);
  }
});
