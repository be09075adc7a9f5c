import assert from "node:assert/strict";
import { calcPrice } from "@pydantic/genai-prices";
import fc from "fast-check";
import { test } from "vitest";
import { costAt } from "./catalog.ts";
import { pricesAt } from "./published.ts";
import { readProvider } from "./read-provider.ts";

const ids = ["anthropic", "openai", "google", "x-ai", "openrouter"];

const priced = ids.flatMap((providerId) =>
  readProvider(providerId).models.map((model) => ({ providerId, model })),
);

test("the cost of any usage equals the data set's own calculation at any time", () => {
  const usage = fc.record({
    inputTokens: fc.integer({ min: 0, max: 1_500_000 }),
    outputTokens: fc.integer({ min: 0, max: 200_000 }),
    cached: fc.float({ min: 0, max: 1, noNaN: true }),
    atMs: fc.date({ min: new Date("2024-01-01"), max: new Date("2028-01-01"), noInvalidDate: true }),
  });
  fc.assert(
    fc.property(fc.constantFrom(...priced), usage, ({ providerId, model }, { cached, atMs, ...tokens }) => {
      const prices = pricesAt(model, atMs.getTime());
      if (prices === undefined || model.isFamily) return;
      const cacheReadTokens =
        prices.base.cacheRead === undefined ? 0 : Math.floor(tokens.inputTokens * cached);
      const ours = Number(costAt(prices, 0n, { ...tokens, cacheReadTokens }).providerFee);
      const reported = {
        input_tokens: tokens.inputTokens,
        output_tokens: tokens.outputTokens,
        ...(cacheReadTokens === 0 ? {} : { cache_read_tokens: cacheReadTokens }),
      };
      const theirs = calcPrice(reported, model.id, { providerId, timestamp: atMs });
      assert.ok(theirs);
      assert.ok(Math.abs(ours - theirs.total_price) < 1e-9, `${model.id}: ${ours}, ${theirs.total_price}`);
    }),
    { numRuns: 2_000 },
  );
});

test("the tier boundaries match those of the data set", () => {
  for (const { providerId, model } of priced) {
    const prices = pricesAt(model, Date.now());
    for (const { minInputTokens, input } of prices?.tiers ?? []) {
      const charged = (inputTokens: number) =>
        calcPrice({ input_tokens: inputTokens }, model.id, { providerId })?.input_price ?? 0;
      const marginal = charged(minInputTokens) - charged(minInputTokens - 1);
      const jumps = input !== prices?.base.input;
      if (jumps) assert.ok(marginal > 1e-3, `${model.id} at ${minInputTokens}: ${marginal}`);
    }
  }
});

test("reading a provider that is missing from the data set throws immediately", () => {
  assert.throws(() => readProvider("no-such-provider"), /no-such-provider/);
});
