import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { startScriptedProvider } from "../test/support/scripted-provider.ts";
import {
  createModels,
  priceFactorOf,
  providerSettings,
  readModelsConfig,
  streamModel,
  thinkingLevels,
} from "./index.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];

describe("settings in a provider's request", () => {
  for (const { modelId, choice, expected } of [
    {
      modelId: "anthropic/claude-sonnet-4-5",
      choice: { thinking: "high" },
      expected: { thinking: { type: "enabled" }, cache_control: { type: "ephemeral" } },
    },
    {
      modelId: "anthropic/claude-opus-4-6",
      choice: { thinking: "max", cache: "extended" },
      expected: {
        thinking: { type: "adaptive" },
        output_config: { effort: "max" },
        cache_control: { ttl: "1h" },
      },
    },
    {
      modelId: "anthropic/claude-sonnet-4-5",
      choice: { cache: "off", thinking: "off" },
      expected: { cache_control: undefined, thinking: { type: "disabled" } },
    },
    {
      modelId: "openai/gpt-5",
      choice: { thinking: "low", cache: "extended" },
      expected: { reasoning: { effort: "low" }, prompt_cache_retention: "24h", store: false },
    },
    {
      modelId: "openai/gpt-5",
      choice: { thinking: "auto" },
      expected: { reasoning: undefined, prompt_cache_retention: undefined },
    },
    {
      modelId: "aggregator/anthropic/claude-sonnet-4.5",
      choice: { thinking: "max" },
      expected: { reasoning: { effort: "xhigh" }, cache_control: { type: "ephemeral" } },
    },
    {
      modelId: "aggregator/vendor/model",
      choice: { thinking: "off" },
      expected: { reasoning: { effort: "none" }, cache_control: undefined },
    },
    {
      modelId: "anthropic/claude-opus-5",
      choice: { speed: "fast" },
      expected: { speed: "fast", cache_control: { type: "ephemeral" } },
    },
    { modelId: "anthropic/claude-opus-5", choice: { speed: "standard" }, expected: { speed: undefined } },
    { modelId: "anthropic/claude-sonnet-4-5", choice: { speed: "fast" }, expected: { speed: undefined } },
    {
      modelId: "openai/gpt-5",
      choice: { speed: "fast" },
      expected: { speed: undefined, service_tier: undefined },
    },
    { modelId: "local/qwen3", choice: { thinking: "max" }, expected: { reasoning_effort: "high" } },
    { modelId: "local/qwen3", choice: {}, expected: { reasoning_effort: undefined } },
  ] as const) {
    test(`the settings ${JSON.stringify(choice)} reach ${modelId} in its own format`, async (t) => {
      const isAnthropic = modelId.startsWith("anthropic/");
      const format = isAnthropic
        ? "anthropic"
        : modelId.startsWith("openai/")
          ? "openai-responses"
          : "openai";
      const provider = await startScriptedProvider(t, {
        format,
        steps: [{ parts: [{ text: "Hi" }], check: ({ body }) => assertContains(body, expected) }],
      });
      const urls = ["ANTHROPIC", "OPENAI", "OPENROUTER", "LOCAL"].map((name) => [
        `${name}_BASE_URL`,
        provider.baseUrl,
      ]);
      const models = createModels(readModelsConfig({ ...Object.fromEntries(urls), OPENAI_API: "responses" }));
      const resolved = await models.resolve(modelId);
      assert.ok(resolved.ok);
      for await (const _ of streamModel(resolved.model, { prompt, ...providerSettings(modelId, choice) }));
    });
  }
});

test("only a fast call of a model with a fast mode costs more than the list price", () => {
  for (const [modelId, speed, factor] of [
    ["anthropic/claude-opus-5", "fast", 2],
    ["anthropic/claude-opus-4-8", "fast", 2],
    ["anthropic/claude-opus-5", "standard", 1],
    ["anthropic/claude-opus-5", undefined, 1],
    ["anthropic/claude-sonnet-4-5", "fast", 1],
    ["openai/gpt-5", "fast", 1],
    ["demo/echo", "fast", 1],
    ["nobody", "fast", 1],
  ] as const)
    assert.equal(priceFactorOf(modelId, { speed }), factor, `${modelId} ${speed}`);
});

test("every provider accepts every level of thinking", () => {
  for (const modelId of [
    "anthropic/a",
    "openai/a",
    "google/a",
    "xai/a",
    "aggregator/a/b",
    "local/a",
    "demo/echo",
  ])
    for (const thinking of thinkingLevels)
      assert.ok(providerSettings(modelId, { thinking, cache: "extended" }));
  assert.deepEqual(providerSettings("nobody/x", { thinking: "high" }), {});
  assert.deepEqual(providerSettings("google/gemini-2.5-pro", { thinking: "low" }), {
    reasoning: "low",
    providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
  });
});

/** Objects may have more fields than expected; `undefined` means absent. */
function assertContains(actual: unknown, expected: unknown): void {
  if (typeof expected !== "object" || expected === null) assert.deepEqual(actual, expected);
  else {
    assert.ok(typeof actual === "object" && actual !== null, `${JSON.stringify(expected)} is missing`);
    for (const [name, value] of Object.entries(expected)) assertContains(Reflect.get(actual, name), value);
  }
}
