import assert from "node:assert/strict";
import { ConfigError } from "@muster/service";
import { test } from "vitest";
import { createModels, readModelsConfig } from "./index.ts";

test("a provider is configured by a key or a base URL, a local one only by its base URL", () => {
  const names = (env: Record<string, string>) => Object.keys(readModelsConfig(env).providers);
  assert.deepEqual(names({}), []);
  assert.deepEqual(names({ OPENROUTER_API_KEY: "k" }), ["aggregator"]);
  assert.deepEqual(names({ ANTHROPIC_BASE_URL: "http://127.0.0.1:9" }), ["anthropic"]);
  assert.deepEqual(names({ LOCAL_API_KEY: "k" }), []);
  assert.deepEqual(names({ LOCAL_BASE_URL: "http://127.0.0.1:11434/v1" }), ["local"]);
});

test("the configuration never reveals keys", () => {
  const config = readModelsConfig({
    OPENAI_API_KEY: "sk-secret",
    OPENAI_BASE_URL: "https://proxy.example/v1/",
  });
  assert.doesNotMatch(JSON.stringify(config), /sk-secret/);
  assert.equal(config.providers.openai?.baseUrl, "https://proxy.example/v1");
});

test("OpenAI itself is called with responses, other servers behind its base URL with chat completions", () => {
  const chosen = (env: Record<string, string>) => readModelsConfig(env).providers.openai?.interface;
  assert.equal(chosen({ OPENAI_API_KEY: "k" }), "responses");
  assert.equal(chosen({ OPENAI_BASE_URL: "https://api.openai.com/v1" }), "responses");
  assert.equal(chosen({ OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" }), "chat");
  assert.equal(chosen({ OPENAI_BASE_URL: "http://127.0.0.1:8000/v1", OPENAI_API: "responses" }), "responses");
});

for (const [variable, value] of [
  ["LOCAL_BASE_URL", "localhost:11434"],
  ["LOCAL_BASE_URL", "ftp://host/"],
  ["OPENAI_BASE_URL", "https://user:pass@host/v1"],
  ["OPENAI_BASE_URL", "https://host/v1?key=1"],
  ["OPENAI_API", "completions"],
  ["MODEL_STALL_TIMEOUT_MS", "soon"],
] as const) {
  test(`the setting ${variable}=${value} is refused with an error that names it`, () => {
    assert.throws(
      () => readModelsConfig({ [variable]: value }),
      (error) => error instanceof ConfigError && error.message.includes(variable),
    );
  });
}

test("the configured providers can be listed, and the demo model is always one of them", () => {
  const models = createModels(
    readModelsConfig({ ANTHROPIC_API_KEY: "k", LOCAL_BASE_URL: "http://127.0.0.1:1/v1" }),
  );
  assert.deepEqual(models.configuredProviders(), [
    { name: "anthropic", models: "anthropic/<model>" },
    { name: "local", models: "local/<model>", baseUrl: "http://127.0.0.1:1/v1" },
    { name: "demo", models: "demo/echo" },
  ]);
});
