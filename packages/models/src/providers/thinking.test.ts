import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { type ScriptedFormat, startScriptedProvider } from "../../test/support/scripted-provider.ts";
import {
  createModels,
  providerSettings,
  readModelsConfig,
  streamModel,
  type thinkingLevels,
} from "../index.ts";
import { effortFor } from "../thinking.ts";
import { providerNamed } from "./index.ts";

/** The level that is sent for off, low, medium, high, xhigh and max; "-" is none at all. */
const families: Record<"anthropic" | "google" | "openai" | "xai" | "local", Record<string, string>> = {
  openai: {
    "gpt-3.5-turbo": "- - - - - -",
    "gpt-4o-mini": "- - - - - -",
    "gpt-4.1-2025-04-14": "- - - - - -",
    "ft:gpt-4o:acme": "- - - - - -",
    "ft:o4-mini:x": "low low medium high high high",
    "ft:gpt-5:acme": "minimal low medium high high high",
    "ft:gpt-5-mini:a": "minimal low medium high high high",
    "chatgpt-4o-latest": "- - - - - -",
    "gpt-5-chat-latest": "- - - - - -",
    "gpt-5.1-chat-latest": "- - - - - -",
    "o1-mini": "- - - - - -",
    o1: "low low medium high high high",
    "o3-mini": "low low medium high high high",
    "o4-mini-2025-04-16": "low low medium high high high",
    "o3-deep-research": "medium medium medium medium medium medium",
    "gpt-5": "minimal low medium high high high",
    "gpt-5-nano-2025-08-07": "minimal low medium high high high",
    "gpt-5-codex": "low low medium high high high",
    "gpt-5-pro": "high high high high high high",
    "gpt-5.1": "none low medium high high high",
    "gpt-5.1-codex": "low low medium high high high",
    "gpt-5.1-codex-max": "low low medium high xhigh xhigh",
    "gpt-5.2": "none low medium high xhigh xhigh",
    "gpt-5.2-pro": "medium medium medium high xhigh xhigh",
    "gpt-5.4-mini": "none low medium high xhigh xhigh",
    "gpt-5.6": "none low medium high xhigh max",
    "gpt-6-sol": "low low medium high xhigh max",
    "my-deployment": "- - - - - -",
  },
  anthropic: {
    "claude-3-haiku-20240307": "- - - - - -",
    "claude-3-5-haiku-latest": "- - - - - -",
    "claude-3-7-sonnet-20250219": "none low medium high xhigh max",
    "claude-sonnet-4-5": "none low medium high xhigh max",
    "claude-opus-4-6": "none low medium high xhigh max",
  },
  google: {
    "gemini-1.5-pro": "- - - - - -",
    "gemini-2.0-flash": "- - - - - -",
    "gemma-3-27b-it": "- - - - - -",
    "gemini-2.5-flash-image": "- - - - - -",
    "gemini-2.5-flash": "none low medium high xhigh max",
    "gemini-3-pro-preview": "low low low high high high",
    "gemini-3.1-pro-preview": "low low medium high high high",
    "gemini-3-flash-preview": "minimal low medium high high high",
    "gemini-flash-latest": "minimal low medium high high high",
  },
  xai: {
    "grok-3": "- - - - - -",
    "grok-4": "- - - - - -",
    "grok-4-fast-non-reasoning": "- - - - - -",
    "grok-4.20-0309-reasoning": "- - - - - -",
    "grok-code-fast-1": "- - - - - -",
    "grok-3-mini": "low low low high high high",
    "grok-4.20-multi-agent": "low low medium high high high",
    "grok-4.3": "none low medium high high high",
  },
  local: {
    "llama3.2:3b": "- - - - - -",
    "Qwen/Qwen3-30B-A3B-Instruct-2507": "- - - - - -",
    "qwen3-coder:30b": "- - - - - -",
    "gpt-oss:20b": "low low medium high high high",
    "openai/gpt-oss-120b": "low low medium high high high",
    "qwen3:8b": "none low medium high high high",
    "deepseek-r1:14b": "none low medium high high high",
  },
};

const levels = ["off", "low", "medium", "high", "xhigh", "max"] as const;

for (const name of ["openai", "anthropic", "google", "xai", "local"] as const) {
  const { thinkingFamilies } = providerNamed(name);
  describe(`levels of thinking of ${name}`, () => {
    for (const [model, expected] of Object.entries(families[name])) {
      test(`${name}/${model} is sent only the levels that it accepts`, () => {
        const sent = levels.map((level) => effortFor(thinkingFamilies, model, level) ?? "-");
        assert.equal(sent.join(" "), expected);
        for (const thinking of ["auto", undefined] as const)
          assert.equal(effortFor(thinkingFamilies, model, thinking), undefined);
      });
    }
  });

  test(`every family of ${name} has a tested model`, () => {
    const models = Object.keys(families[name]);
    const found = models.map((model) => thinkingFamilies.find((family) => family.models.test(model)));
    for (const family of thinkingFamilies) assert.ok(found.includes(family), String(family.models));
  });
}

/** The part of a request about thinking, under any of the names that providers use. */
async function sentTo(
  t: Parameters<typeof startScriptedProvider>[0],
  modelId: string,
  format: ScriptedFormat,
  thinking: (typeof thinkingLevels)[number],
): Promise<unknown> {
  const provider = await startScriptedProvider(t, { format, steps: [{ parts: [{ text: "Hi" }] }] });
  const variables = ["ANTHROPIC", "OPENAI", "OPENROUTER", "LOCAL"].map((name) => `${name}_BASE_URL`);
  const environment = Object.fromEntries(variables.map((name) => [name, provider.baseUrl]));
  const resolved = await createModels(
    readModelsConfig({ ...environment, OPENAI_API: format === "openai" ? "chat" : "responses" }),
  ).resolve(modelId);
  assert.ok(resolved.ok);
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];
  for await (const _ of streamModel(resolved.model, { prompt, ...providerSettings(modelId, { thinking }) }));
  const body = provider.requests[0]?.body ?? {};
  return body.reasoning ?? body.reasoning_effort ?? body.thinking;
}

describe("levels of thinking in a provider's request", () => {
  for (const [modelId, format, thinking, expected] of [
    ["openai/o3", "openai", "off", "low"],
    ["openai/o3", "openai", "max", "high"],
    ["openai/gpt-4.1", "openai", "high", undefined],
    ["openai/gpt-5", "openai", "xhigh", "high"],
    ["openai/gpt-4.1", "openai-responses", "high", undefined],
    ["aggregator/openai/o3", "openai", "xhigh", { effort: "high" }],
    ["aggregator/openai/o3-mini:free", "openai", "off", { effort: "low" }],
    ["aggregator/openai/gpt-4.1", "openai", "high", undefined],
    ["aggregator/x-ai/grok-4", "openai", "off", undefined],
    ["aggregator/~anthropic/claude-sonnet-latest", "openai", "max", { effort: "xhigh" }],
    ["aggregator/vendor/model", "openai", "xhigh", { effort: "high" }],
    ["local/llama3.2", "openai", "high", undefined],
    ["local/gpt-oss:20b", "openai", "off", "low"],
    ["anthropic/claude-3-5-haiku-latest", "anthropic", "high", undefined],
  ] as const) {
    test(`${modelId} over ${format} is sent ${JSON.stringify(expected)} for ${thinking}`, async (t) => {
      assert.deepEqual(await sentTo(t, modelId, format, thinking), expected);
    });
  }
});
