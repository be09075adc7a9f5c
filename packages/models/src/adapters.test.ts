import assert from "node:assert/strict";
import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { describe, type TestContext, test } from "vitest";
import {
  type ScriptedFormat,
  type ScriptedStep,
  startScriptedProvider,
} from "../test/support/scripted-provider.ts";
import { createModels, readModelsConfig, streamModel } from "./index.ts";

const prompt: LanguageModelV4CallOptions["prompt"] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: [{ type: "text", text: "Hello" }] },
];
const tools: NonNullable<LanguageModelV4CallOptions["tools"]> = ["get-order", "get-user"].map((name) => ({
  type: "function",
  name,
  inputSchema: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
}));

const providers: Array<{ format: ScriptedFormat; modelId: string; variable: string }> = [
  { format: "openai", modelId: "local/test", variable: "LOCAL" },
  { format: "openai", modelId: "openai/gpt-4.1", variable: "OPENAI" },
  { format: "openai", modelId: "aggregator/vendor/test", variable: "OPENROUTER" },
  { format: "openai-responses", modelId: "openai/gpt-5", variable: "OPENAI" },
  { format: "openai-responses", modelId: "xai/grok-4", variable: "XAI" },
  { format: "anthropic", modelId: "anthropic/claude-sonnet-4-5", variable: "ANTHROPIC" },
  { format: "google", modelId: "google/gemini-2.5-flash", variable: "GOOGLE" },
];

async function call(
  t: TestContext,
  { format, modelId, variable }: (typeof providers)[number],
  step: ScriptedStep,
  options: Partial<LanguageModelV4CallOptions> = {},
): Promise<LanguageModelV4StreamPart[]> {
  const provider = await startScriptedProvider(t, { format, steps: [step] });
  const models = createModels(
    readModelsConfig({
      [`${variable}_BASE_URL`]: provider.baseUrl,
      [`${variable}_API_KEY`]: "sk-test",
      ...(format === "openai-responses" && { OPENAI_API: "responses" }),
    }),
  );
  const resolved = await models.resolve(modelId);
  assert.ok(resolved.ok);
  const parts: LanguageModelV4StreamPart[] = [];
  for await (const part of streamModel(resolved.model, { prompt, ...options })) parts.push(part);
  return parts;
}

function textOf(parts: LanguageModelV4StreamPart[], type: "text-delta" | "reasoning-delta"): string {
  return parts.map((part) => (part.type === type ? part.delta : "")).join("");
}

function closed(properties: Record<string, JSONSchema7>, required: string[]): JSONSchema7 {
  return { type: "object", properties, required, additionalProperties: false };
}

/** A variant of a union, all of whose properties are required. */
function variant(kind: string, properties: Record<string, JSONSchema7>): JSONSchema7 {
  return closed({ kind: { type: "string", const: kind }, ...properties }, [
    "kind",
    ...Object.keys(properties),
  ]);
}

for (const provider of providers) {
  const format = /^(?:local|openai|aggregator|xai)/.test(provider.modelId) ? "strict" : "own";
  describe(`${provider.modelId} over ${provider.format}`, () => {
    test(`${provider.modelId} over ${provider.format} streams text piece by piece, then usage and the finish reason`, async (t) => {
      // Reasoning models accept no temperature; the package leaves it out.
      const temperature = provider.modelId === "openai/gpt-5" ? undefined : 0.5;
      const parts = await call(
        t,
        provider,
        {
          parts: [{ text: "Hello there, friend" }],
          usage: { inputTokens: 12, outputTokens: 3, cachedInputTokens: 4 },
          check: ({ path, headers, body }) => {
            const key = headers["x-api-key"] ?? headers["x-goog-api-key"];
            assert.equal(key ?? headers.authorization?.slice("Bearer ".length), "sk-test");
            const model = provider.modelId.slice(provider.modelId.indexOf("/") + 1);
            if (provider.format === "google") {
              assert.equal(path, `/v1/models/${model}:streamGenerateContent?alt=sse`);
              assert.deepEqual(body.generationConfig, { temperature });
              return;
            }
            assert.equal(body.stream, true);
            assert.equal(body.temperature, temperature);
            assert.equal(body.model, model);
          },
        },
        { temperature: 0.5 },
      );
      assert.equal(textOf(parts, "text-delta"), "Hello there, friend");
      const deltas = parts.filter((part) => part.type === "text-delta" && part.delta !== "");
      assert.equal(deltas.length, 3);
      const finish = parts.at(-1);
      assert.ok(finish?.type === "finish");
      assert.equal(finish.finishReason.unified, "stop");
      assert.equal(finish.usage.inputTokens.total, 12);
      assert.equal(finish.usage.inputTokens.cacheRead, 4);
      assert.equal(finish.usage.outputTokens.total, 3);
    });

    test(`${provider.modelId} over ${provider.format} streams parallel tool calls whose arguments arrive in pieces`, async (t) => {
      const parts = await call(
        t,
        provider,
        {
          parts: [
            {
              toolCalls: [
                { name: "get-order", arguments: { id: "order 1042" } },
                { name: "get-user", arguments: { id: "user 7" } },
              ],
            },
          ],
          // Google groups them.
          check: ({ body }) => assert.equal(JSON.stringify(body.tools).match(/"name":"get-/g)?.length, 2),
        },
        { tools },
      );
      const calls = parts.filter((part) => part.type === "tool-call");
      assert.deepEqual(
        calls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input: JSON.parse(input) })),
        [
          { toolCallId: "call_1", toolName: "get-order", input: { id: "order 1042" } },
          { toolCallId: "call_2", toolName: "get-user", input: { id: "user 7" } },
        ],
      );
      const pieces = parts.filter(({ type }) => type === "tool-input-delta").length;
      // xAI and Google send the arguments of a call as one piece.
      assert.ok(pieces > 4 || (pieces === 2 && /^(?:xai|google)/.test(provider.modelId)), String(pieces));
      const finish = parts.at(-1);
      assert.ok(finish?.type === "finish" && finish.finishReason.unified === "tool-calls");
    });

    test(`${provider.modelId} over ${provider.format} requests structured output with a schema`, async (t) => {
      const schema = {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
      } as const;
      const parts = await call(
        t,
        provider,
        {
          parts: [{ text: ['{"ci', 'ty":"Oslo"}'] }],
          check: ({ body }) => assert.match(JSON.stringify(body), /"city":\{"type":"string"/),
        },
        { responseFormat: { type: "json", schema } },
      );
      assert.deepEqual(JSON.parse(textOf(parts, "text-delta")), { city: "Oslo" });
    });

    const yes = variant("yes", { why: { type: "string" } });
    const no = variant("no", { days: { type: "integer" } });
    const union = { anyOf: [yes, no] };

    test(`${provider.modelId} over ${provider.format} receives a union with the values of its discriminator, and has it enforced where it can be`, async (t) => {
      const schema = closed({ answer: union }, ["answer"]);
      await call(
        t,
        provider,
        {
          parts: [{ text: ['{"answer":{"kind":"no","days":1}}'] }],
          check: ({ body }) => {
            const sent = JSON.stringify(body);
            assert.match(sent, /"anyOf":\[\{/);
            for (const kind of ["yes", "no"]) {
              assert.match(sent, new RegExp(`"const":"${kind}"|"enum":\\["${kind}"\\]`));
            }
            assert.equal(/"strict":true/.test(sent), format === "strict");
          },
        },
        { responseFormat: { type: "json", name: "Out", schema } },
      );
    });

    test(`${provider.modelId} over ${provider.format} does not enforce a type that the provider would refuse to enforce`, async (t) => {
      const refused = [
        closed({ answer: union, note: { type: "string" } }, ["answer"]),
        closed({ list: { type: "array", items: closed({ any: {} }, ["any"]) } }, ["list"]),
      ];
      for (const schema of refused) {
        await call(
          t,
          provider,
          {
            parts: [{ text: ["{}"] }],
            check: ({ body }) =>
              assert.doesNotMatch(
                JSON.stringify(body),
                provider.modelId === "xai/grok-4" ? /never/ : /"strict":true/,
              ),
          },
          { responseFormat: { type: "json", name: "Out", schema } },
        );
      }
    });
  });
}

// OpenAI's own chat completions never show reasoning.
for (const provider of providers.filter(({ modelId }) => modelId !== "openai/gpt-4.1")) {
  test(`${provider.modelId} over ${provider.format} streams reasoning separately from text`, async (t) => {
    const parts = await call(t, provider, { parts: [{ reasoning: "Let me see." }, { text: "42" }] });
    assert.equal(textOf(parts, "reasoning-delta"), "Let me see.");
    assert.equal(textOf(parts, "text-delta"), "42");
  });
}
