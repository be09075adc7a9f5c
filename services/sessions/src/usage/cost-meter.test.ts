import assert from "node:assert/strict";
import { createCatalog } from "@muster/catalog";
import { test } from "vitest";
import { CostMeter } from "./session-usage.ts";

const usage = (input: number, output: number, cacheRead?: number) => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});
const tiered = "google/gemini-2.5-pro";

test("calls are priced one by one, so small ones never reach the tier of a large one", () => {
  const catalog = createCatalog();
  const [tier] = catalog.entries.find(({ id }) => id === tiered)?.pricing.tiers ?? [];
  assert.ok(tier !== undefined && tier.minInputTokens > 150_000 && tier.minInputTokens <= 300_000);
  const small = new CostMeter(catalog);
  small.add(tiered, usage(150_000, 0), { byok: false });
  small.add(tiered, usage(150_000, 0), { byok: false });
  const large = new CostMeter(catalog);
  large.add(tiered, usage(300_000, 0), { byok: false });
  assert.deepEqual([small.fees.providerFee, large.fees.providerFee], ["0.375", "0.75"]);
});

test("costs of different models and of cached tokens add up to the last digit", () => {
  const meter = new CostMeter(createCatalog({ bandwidthPer1M: "0.01" }));
  meter.add("openai/gpt-4o-mini", usage(1_000, 1, 600), { byok: false });
  meter.add("anthropic/claude-sonnet-4-5", usage(7, 3), { byok: false });
  meter.add("nobody/knows", usage(1_000, 1_000), { byok: false });
  // 400 x 0.15 + 600 x 0.075 + 0.6, and 7 x 3 + 3 x 15, in millionths; 1,011 tokens of models that are known.
  assert.deepEqual(meter.fees, { providerFee: "0.0001716", bandwidthFee: "0.00001011", byok: false });
});

test("tokens that a provider does not report cost nothing", () => {
  const meter = new CostMeter(createCatalog());
  const untold = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
  meter.add("openai/gpt-4o-mini", { ...usage(0, 0), inputTokens: untold }, { byok: false });
  assert.deepEqual(meter.fees, { providerFee: "0", bandwidthFee: "0", byok: false });
});

test("a cost is one of the project's own keys only if all of its calls used them", () => {
  for (const [calls, byok] of [
    [[], undefined],
    [[true], true],
    [[false], false],
    [[true, true], true],
    [[true, false, true], false],
    [[false, true], false],
  ] as const) {
    const meter = new CostMeter(createCatalog());
    for (const isOwn of calls) meter.add("nobody/knows", usage(1, 1), { byok: isOwn });
    assert.equal(meter.fees.byok, byok, JSON.stringify(calls));
    assert.equal(new CostMeter(createCatalog(), meter.fees).fees.byok, byok);
  }
});
