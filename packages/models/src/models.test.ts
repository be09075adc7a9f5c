import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { createModels, parseModelId, readModelsConfig } from "./index.ts";

const environment = {
  ANTHROPIC_API_KEY: "k",
  OPENAI_API_KEY: "k",
  GOOGLE_API_KEY: "k",
  XAI_API_KEY: "k",
  OPENROUTER_API_KEY: "k",
  LOCAL_BASE_URL: "http://127.0.0.1:1/v1",
};

for (const [modelId, provider] of [
  ["anthropic/claude-sonnet-4-5", "anthropic.messages"],
  ["openai/gpt-5", "openai.responses"],
  ["google/gemini-2.5-pro", "google.generative-ai"],
  ["xai/grok-4", "xai.responses"],
  ["aggregator/meta-llama/llama-3.3-70b-instruct:free", "openrouter"],
  ["aggregator/~anthropic/claude-sonnet-latest", "openrouter"],
  ["local/llama3.2:3b", "local.chat"],
  ["demo/echo", "demo"],
] as const) {
  test(`the model id ${modelId} always resolves to the same instance`, async () => {
    const models = createModels(readModelsConfig(environment));
    const first = await models.resolve(modelId);
    assert.ok(first.ok);
    assert.equal(first.model.provider, provider);
    assert.equal(first.model.specificationVersion, "v4");
    assert.equal(first.model.modelId, modelId.slice(modelId.indexOf("/") + 1));
    const second = await models.resolve(modelId);
    assert.ok(second.ok && second.model === first.model);
  });
}

for (const modelId of [
  "",
  "gpt-5",
  "/gpt-5",
  "openai/",
  "nobody/x",
  "demo/other",
  "google/../../x",
  "google/a?b",
  "local/a b",
  `local/${"x".repeat(300)}`,
  "constructor/x",
  "__proto__/x",
]) {
  test(`the model id ${JSON.stringify(modelId.slice(0, 40))} is reported as a problem and does not throw`, async () => {
    const resolved = await createModels(readModelsConfig(environment)).resolve(modelId);
    assert.ok(!resolved.ok);
    assert.match(resolved.problem, /\.$/);
  });
}

test("concurrent first calls of a model share one instance", async () => {
  const models = createModels(readModelsConfig(environment));
  const all = await Promise.all(Array.from({ length: 20 }, () => models.resolve("local/llama")));
  assert.equal(new Set(all.map((resolved) => resolved.ok && resolved.model)).size, 1);
});

test("a model of a provider that is not configured reports the variable to set", async () => {
  const models = createModels(readModelsConfig({}));
  for (const [modelId, variable] of [
    ["aggregator/a/b", "OPENROUTER_API_KEY"],
    ["local/a", "LOCAL_BASE_URL"],
  ] as const) {
    const resolved = await models.resolve(modelId);
    assert.ok(!resolved.ok);
    assert.match(resolved.problem, new RegExp(variable));
  }
});

test("a model id can never change the path, query or fragment of a URL", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseModelId(`google/${text}`);
      if (!parsed.ok) return;
      const url = new URL(`https://host/v1/models/${parsed.id.model}:x`);
      assert.equal(url.pathname, `/v1/models/${parsed.id.model}:x`);
      assert.equal(url.search + url.hash, "");
    }),
  );
});
