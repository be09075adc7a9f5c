import assert from "node:assert/strict";
import { createCatalog } from "@muster/catalog";
import { CollectedMetrics } from "@muster/metrics/testing";
import { ModelFailure } from "@muster/models";
import { describe, test } from "vitest";
import { TurnMetrics } from "./turn-metrics.ts";

const usageOf = (input: number, output: number, cacheRead: number) => ({
  inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
  outputTokens: { total: output, text: undefined, reasoning: undefined },
});
const fees = { providerFee: "0.25", bandwidthFee: "0.05", byok: false };
const overloaded = new ModelFailure({
  ...{ message: "Busy.", errorType: "provider_overloaded", source: "provider" },
  ...{ retryable: true, transient: true, provider: { name: "openai", model: "gpt-4o" } },
});

function measured() {
  const metrics = new CollectedMetrics("sessions");
  const turns = new TurnMetrics(metrics, createCatalog());
  return { turns, read: () => metrics.read() };
}

describe("the metrics of model calls", () => {
  test("add up tokens and dollars of complete responses, by the model's name in the catalogue", async () => {
    const { turns, read } = measured();
    for (let index = 0; index < 2; index++) {
      const call = turns.call("openai/gpt-4o");
      for (const type of ["stream-start", "text-start", "text-delta"]) call.part(type);
      call.used(usageOf(100, 10, 40), fees);
      call.ended();
    }
    const scraped = await read();
    const model = "openai/gpt-4o";
    for (const [direction, tokens] of [
      ["input", 200],
      ["output", 20],
      ["cached_input", 80],
    ] as const)
      assert.equal(scraped.total("muster_model_tokens_total", { model, direction }), tokens, direction);
    assert.ok(Math.abs(scraped.total("muster_model_cost_usd_total", { model }) - 0.6) < 1e-9);
    assert.equal(scraped.total("muster_model_requests_total", { model, outcome: "ok" }), 2);
    assert.equal(scraped.total("muster_model_first_part_seconds", { provider: "openai" }), 2);
  });

  test("name the kind of a failure, and the failures that had no reader", async () => {
    const { turns, read } = measured();
    const failed = turns.call("openai/gpt-4o");
    failed.part("stream-start");
    failed.failed(overloaded);
    failed.ended();
    turns.call("openai/gpt-4o").ended();
    const scraped = await read();
    assert.deepEqual(scraped.values("muster_model_requests_total", "outcome"), [
      "aborted",
      "provider_overloaded",
    ]);
    assert.equal(scraped.total("muster_model_first_part_seconds"), 0, "nothing of a response has arrived");
  });

  test("have few models, whatever definitions name, and refuse impossible counts", async () => {
    const { turns, read } = measured();
    for (let index = 0; index < 50; index++) {
      for (const id of [
        `local/m${index}`,
        `nobody/m${index}`,
        `openai/${"x".repeat(300)}${index}`,
        `__proto__/${index}`,
      ]) {
        const call = turns.call(id);
        call.used(usageOf(-1, Number.NaN, 1.5), { ...fees, providerFee: "0", bandwidthFee: "0" });
        call.ended();
      }
    }
    const scraped = await read();
    assert.deepEqual(scraped.values("muster_model_requests_total", "model"), ["local/*", "other"]);
    assert.equal(scraped.total("muster_model_tokens_total"), 0);
    assert.equal(scraped.total("muster_model_cost_usd_total"), 0);
  });
});
