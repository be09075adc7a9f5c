import assert from "node:assert/strict";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { freePort } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import {
  type ScriptedFormat,
  type ScriptedStep,
  startScriptedProvider,
} from "../test/support/scripted-provider.ts";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "./index.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];

const providers: Array<{ format: ScriptedFormat; modelId: string; variable: string }> = [
  { format: "openai", modelId: "local/test", variable: "LOCAL" },
  { format: "openai", modelId: "openai/gpt-4.1", variable: "OPENAI" },
  { format: "openai", modelId: "aggregator/vendor/test", variable: "OPENROUTER" },
  { format: "openai-responses", modelId: "openai/gpt-5", variable: "OPENAI" },
  { format: "openai-responses", modelId: "xai/grok-4", variable: "XAI" },
  { format: "anthropic", modelId: "anthropic/claude-sonnet-4-5", variable: "ANTHROPIC" },
  { format: "google", modelId: "google/gemini-2.5-flash", variable: "GOOGLE" },
];
type Provider = (typeof providers)[number];

async function resolve({ format, modelId, variable }: Provider, baseUrl: string): Promise<LanguageModelV4> {
  const environment = {
    [`${variable}_BASE_URL`]: baseUrl,
    [`${variable}_API_KEY`]: "sk-very-secret-key",
    OPENAI_API: format === "openai-responses" ? "responses" : "chat",
  };
  const resolved = await createModels(readModelsConfig(environment)).resolve(modelId);
  assert.ok(resolved.ok);
  return resolved.model;
}

interface Outcome {
  parts: LanguageModelV4StreamPart[];
  failure: ModelFailure;
}

const shortLimits = { firstPartTimeoutMs: 150, stallTimeoutMs: 150 };

async function failureOf(
  model: LanguageModelV4,
  limits = { firstPartTimeoutMs: 100_000, stallTimeoutMs: 100_000 },
): Promise<Outcome> {
  const parts: LanguageModelV4StreamPart[] = [];
  try {
    for await (const part of streamModel(model, { prompt }, limits)) parts.push(part);
  } catch (error) {
    assert.ok(error instanceof ModelFailure, String(error));
    return { parts, failure: error };
  }
  assert.fail("The call did not fail");
}

async function failWith(
  t: TestContext,
  provider: Provider,
  step: ScriptedStep,
  limits?: typeof shortLimits,
): Promise<Outcome> {
  const scripted = await startScriptedProvider(t, { format: provider.format, steps: [step] });
  return failureOf(await resolve(provider, scripted.baseUrl), limits);
}

const httpErrors = [
  { status: 400, errorType: "validation_error", transient: false, retryable: false },
  { status: 401, errorType: "authentication_error", transient: false, retryable: false },
  { status: 402, errorType: "quota_exceeded_error", transient: true, retryable: false },
  { status: 403, errorType: "permission_error", transient: false, retryable: false },
  { status: 404, errorType: "not_found_error", transient: false, retryable: false },
  { status: 408, errorType: "provider_timeout", transient: true, retryable: true },
  { status: 413, errorType: "validation_error", transient: false, retryable: false },
  { status: 429, errorType: "rate_limit_error", transient: true, retryable: true },
  { status: 500, errorType: "provider_error", transient: true, retryable: true },
  { status: 502, errorType: "provider_error", transient: true, retryable: true },
  { status: 503, errorType: "provider_overloaded", transient: true, retryable: true },
  { status: 504, errorType: "provider_timeout", transient: true, retryable: true },
  { status: 529, errorType: "provider_overloaded", transient: true, retryable: true },
];

for (const provider of providers) {
  describe(`${provider.modelId} over ${provider.format}`, () => {
    for (const { status, ...expected } of httpErrors) {
      test(`${provider.modelId} over ${provider.format}: HTTP ${status} is reported as ${expected.errorType}`, async (t) => {
        const headers = { "x-request-id": "req-7" };
        const { failure } = await failWith(t, provider, { status, headers });
        const { errorType, transient, retryable } = failure;
        assert.deepEqual({ errorType, transient, retryable }, expected);
        assert.equal(failure.source, "provider");
        assert.equal(failure.provider.name, provider.modelId.split("/")[0]);
        assert.equal(failure.provider.model, provider.modelId.slice(provider.modelId.indexOf("/") + 1));
        assert.equal(failure.provider.statusCode, status);
        assert.equal(failure.provider.requestId, "req-7");
        assert.doesNotMatch(failure.message, /127\.0\.0\.1|secret/);
      });
    }

    test(`${provider.modelId} over ${provider.format}: a 429 reports when to try again`, async (t) => {
      const { failure } = await failWith(t, provider, { status: 429, headers: { "retry-after": "7" } });
      assert.equal(failure.retryAfterMs, 7000);
      const name = provider.format === "google" ? "RESOURCE_EXHAUSTED" : "rate_limit_error";
      assert.equal(failure.provider.errorType, name);
    });

    test(`${provider.modelId} over ${provider.format}: an HTML error page is classified by its status`, async (t) => {
      const body = "<html>nginx at 10.0.0.7</html>";
      const { failure } = await failWith(t, provider, {
        status: 502,
        body,
        headers: { "content-type": "text/html" },
      });
      assert.equal(failure.errorType, "provider_error");
      assert.doesNotMatch(failure.message, /nginx|10\.0/);
    });

    for (const ending of ["cut", "stop-short"] as const) {
      test(`${provider.modelId} over ${provider.format}: a stream that ends early (${ending}) keeps its parts and fails as transient`, async (t) => {
        const { parts, failure } = await failWith(t, provider, {
          parts: [{ text: ["The ", "answer"] }],
          ending,
        });
        const text = parts.map((part) => (part.type === "text-delta" ? part.delta : "")).join("");
        // A broken connection may lose data that was not read yet.
        assert.ok("The answer".startsWith(text));
        assert.ok(!parts.some(({ type }) => type === "finish"));
        assert.equal(failure.errorType, "provider_error");
        assert.ok(failure.transient);
        assert.match(failure.message, /broke off|could not be read/);
      });
    }

    test(`${provider.modelId} over ${provider.format}: a tool call whose arguments break off is never made`, async (t) => {
      const { parts, failure } = await failWith(t, provider, {
        parts: [{ raw: firstPieces(provider.format) }],
        ending: "stop-short",
      });
      assert.ok(!parts.some(({ type }) => type === "tool-call"));
      assert.ok(failure.transient);
    });

    test(`${provider.modelId} over ${provider.format}: silence before the first part is a timeout`, async (t) => {
      const { failure } = await failWith(t, provider, { silent: true }, shortLimits);
      assert.equal(failure.errorType, "provider_timeout");
      assert.ok(failure.transient);
    });

    test(`${provider.modelId} over ${provider.format}: silence in the middle of a reply is a timeout and closes the connection`, async (t) => {
      const steps: ScriptedStep[] = [{ parts: [{ text: "The " }], ending: "hang" }];
      const scripted = await startScriptedProvider(t, { format: provider.format, steps });
      // Longer than a test may take: only the shorter limit can end this call.
      const limits = { ...shortLimits, firstPartTimeoutMs: 600_000 };
      const { failure } = await failureOf(await resolve(provider, scripted.baseUrl), limits);
      assert.equal(failure.errorType, "provider_timeout");
      await scripted.requests[0]?.clientGone;
    });

    test(`${provider.modelId} over ${provider.format}: a malformed stream is a transient provider error`, async (t) => {
      const { failure } = await failWith(t, provider, {
        parts: [{ raw: "data: {nonsense\n\n" }],
        ending: "hang",
      });
      assert.equal(failure.errorType, "provider_error");
      assert.ok(failure.transient);
    });

    test(`${provider.modelId} over ${provider.format}: an overload reported inside the stream is recognised`, async (t) => {
      const type = provider.format === "google" ? "UNAVAILABLE" : "overloaded_error";
      const { failure } = await failWith(t, provider, {
        parts: [{ text: "The" }, { error: { message: "Overloaded", type } }],
        ending: "hang",
      });
      assert.equal(failure.errorType, "provider_overloaded");
      assert.equal(failure.provider.errorType, type);
    });

    test(`${provider.modelId} over ${provider.format}: a refused connection is reported without its address`, async () => {
      const { failure } = await failureOf(await resolve(provider, `http://127.0.0.1:${await freePort()}/v1`));
      assert.equal(failure.errorType, "provider_error");
      assert.ok(failure.transient);
      assert.match(failure.message, /could not be reached/);
      assert.doesNotMatch(failure.message, /127\.0\.0\.1/);
    });

    test(`${provider.modelId} over ${provider.format}: the caller's abort throws its reason and closes the connection`, async (t) => {
      const steps: ScriptedStep[] = [{ parts: [{ text: "The " }], ending: "hang" }];
      const scripted = await startScriptedProvider(t, { format: provider.format, steps });
      const model = await resolve(provider, scripted.baseUrl);
      const controller = new AbortController();
      const reason = new Error("The reader left");
      const reading = async () => {
        for await (const part of streamModel(model, { prompt, abortSignal: controller.signal }))
          if (part.type === "text-delta") controller.abort(reason);
      };
      await assert.rejects(reading, (error) => error === reason);
      await scripted.requests[0]?.clientGone;
    });

    test(`${provider.modelId} over ${provider.format}: leaving the loop closes the connection`, async (t) => {
      const steps: ScriptedStep[] = [{ parts: [{ text: "The " }], ending: "hang" }];
      const scripted = await startScriptedProvider(t, { format: provider.format, steps });
      for await (const part of streamModel(await resolve(provider, scripted.baseUrl), { prompt }))
        if (part.type === "text-delta") break;
      await scripted.requests[0]?.clientGone;
    });
  });
}

test("an exhausted quota is reported separately from a rate limit, and as not retryable", async (t) => {
  const [local] = providers;
  assert.ok(local);
  const error = {
    message: "You exceeded your current quota",
    type: "insufficient_quota",
    code: "insufficient_quota",
  };
  const { failure } = await failWith(t, local, { status: 429, error });
  assert.equal(failure.errorType, "quota_exceeded_error");
  assert.ok(!failure.retryable);
});

test("the provider's words about a bad request reach the user without keys, hosts and addresses", async (t) => {
  const [local] = providers;
  assert.ok(local);
  const message =
    "max_tokens is too large: 99999. See https://gpu-7.corp.internal:8000/docs (host gpu-7.internal, 10.1.2.3:8000, key sk-abc123xyz, Bearer eyJhbGciOi.x.y)";
  const { failure } = await failWith(t, local, { status: 400, error: { message } });
  assert.match(failure.message, /max_tokens is too large: 99999/);
  assert.doesNotMatch(failure.message, /gpu-7|10\.1|sk-abc|eyJ|8000/);
});

test("an aborted signal starts no call", async (t) => {
  const [local] = providers;
  assert.ok(local);
  const scripted = await startScriptedProvider(t, { format: "openai", steps: [] });
  const model = await resolve(local, scripted.baseUrl);
  const abortSignal = AbortSignal.abort(new Error("Too late"));
  await assert.rejects(streamModel(model, { prompt, abortSignal }).next(), /Too late/);
  assert.equal(scripted.requests.length, 0);
});

test("a slow reader is not mistaken for a slow provider", async (t) => {
  const [local] = providers;
  assert.ok(local);
  const scripted = await startScriptedProvider(t, {
    format: "openai",
    steps: [{ parts: [{ text: "a b c" }] }],
  });
  const model = await resolve(local, scripted.baseUrl);
  let last: string | undefined;
  for await (const part of streamModel(
    model,
    { prompt },
    { firstPartTimeoutMs: 100_000, stallTimeoutMs: 300 },
  )) {
    last = part.type;
    if (part.type === "text-delta") await new Promise((resolve) => setTimeout(resolve, 450));
  }
  assert.equal(last, "finish");
});

function firstPieces(format: ScriptedFormat): string {
  // A call is one event, which can only break off itself.
  if (format === "google")
    return `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"get-order","args":{"id":"10`;
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "get-order", arguments: '{"id": "10' },
  };
  const block = { type: "tool_use", id: "call_1", name: "get-order", input: {} };
  const item = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: "get-order",
    arguments: "",
    status: "in_progress",
  };
  const events: Record<Exclude<ScriptedFormat, "google">, object[]> = {
    openai: [{ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] }],
    anthropic: [
      { type: "content_block_start", index: 0, content_block: block },
      {
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: '{"id": "10' },
      },
    ],
    "openai-responses": [
      { type: "response.output_item.added", output_index: 0, sequence_number: 1, item },
      {
        type: "response.function_call_arguments.delta",
        item_id: "fc_1",
        output_index: 0,
        sequence_number: 2,
        delta: '{"id": "10',
      },
    ],
  };
  return events[format].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
}
