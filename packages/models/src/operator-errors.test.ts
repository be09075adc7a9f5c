import assert from "node:assert/strict";
import type { LanguageModelV4 } from "@ai-sdk/provider";
import { describe, test } from "vitest";
import { say, serve } from "../test/support/fake-provider.ts";
import { startScriptedProvider } from "../test/support/scripted-provider.ts";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "./index.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];

const variables = { anthropic: "ANTHROPIC", google: "GOOGLE", local: "LOCAL", openai: "OPENAI", xai: "XAI" };
type Name = keyof typeof variables;

/** The failure of a call to which the provider responds with this status and body. */
async function failureOf(
  t: Parameters<typeof serve>[0],
  name: Name,
  status: number,
  body: unknown,
  apiKey?: string,
): Promise<ModelFailure> {
  const provider = await serve(t, say(status, body));
  const models = createModels(
    readModelsConfig({
      [`${variables[name]}_BASE_URL`]: provider.baseUrl,
      ...(apiKey !== undefined && { [`${variables[name]}_API_KEY`]: apiKey }),
      OPENAI_API: "responses",
    }),
  );
  const resolved = await models.resolve(`${name}/model`);
  assert.ok(resolved.ok);
  return failureIn(resolved.model);
}

async function failureIn(model: LanguageModelV4): Promise<ModelFailure> {
  try {
    for await (const _ of streamModel(model, { prompt }));
  } catch (error) {
    assert.ok(error instanceof ModelFailure, String(error));
    return error;
  }
  return assert.fail("The call did not fail");
}

const googleKey = {
  error: {
    code: 400,
    message: "API key not valid. Please pass a valid API key.",
    status: "INVALID_ARGUMENT",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }],
  },
};
const anthropicCredit = {
  type: "error",
  error: {
    type: "invalid_request_error",
    message: "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
  },
};
const xaiKey = {
  code: "Client specified an invalid argument",
  error: "Incorrect%20API%20key%20provided:%20ba***na. Get one at console.x.ai.",
};
const xaiCredit = { code: "permission-denied", error: "Your team has used all available credits." };
const localKey = { error: { message: "Authentication Error: invalid api_key in request", code: "400" } };

describe("failures that only the operator can end", () => {
  for (const { what, name, status, body, errorType } of [
    {
      what: "a wrong Google key",
      name: "google",
      status: 400,
      body: googleKey,
      errorType: "authentication_error",
    },
    { what: "a wrong xAI key", name: "xai", status: 400, body: xaiKey, errorType: "authentication_error" },
    {
      what: "a wrong gateway key",
      name: "local",
      status: 400,
      body: localKey,
      errorType: "authentication_error",
    },
    {
      what: "an empty account at Anthropic",
      name: "anthropic",
      status: 400,
      body: anthropicCredit,
      errorType: "quota_exceeded_error",
    },
    {
      what: "an empty account at xAI",
      name: "xai",
      status: 403,
      body: xaiCredit,
      errorType: "quota_exceeded_error",
    },
  ] as const) {
    test(`${what} is reported as ${errorType}, and only the log contains the provider's words`, async (t) => {
      const failure = await failureOf(t, name, status, body);
      assert.equal(failure.errorType, errorType);
      assert.equal(failure.retryable, false);
      assert.doesNotMatch(failure.message, /It says|credit balance|pass a valid|ba\*\*\*na|Billing/);
      assert.ok((failure.said ?? "").length > 10);
      assert.doesNotMatch(failure.said ?? "", /\n/);
    });
  }

  test("a bad request that only mentions credit or keys is a validation error", async (t) => {
    const body = {
      error: { message: "messages.0: the field credit_card is not valid for api key rotation" },
    };
    const failure = await failureOf(t, "local", 400, body);
    assert.equal(failure.errorType, "validation_error");
    assert.match(failure.message, /credit_card/);
  });

  test("the log never contains a key that the provider repeats", async (t) => {
    const body = { error: { message: "Incorrect API key provided: sk-abcdefgh1234." } };
    const failure = await failureOf(t, "openai", 401, body);
    assert.equal(failure.said, "Incorrect API key provided: [secret].");
  });
});

describe("failures that are about the request", () => {
  for (const { what, code, message } of [
    {
      what: "a message quoted in single quotes",
      message: "Invalid 'messages[1].content': 'my API key is invalid, it isn't mine' is too long",
    },
    { what: "a message quoted in double quotes", message: 'Bad text "say \\"invalid api key\\" twice"' },
    { what: "a quotation that was cut off", message: "Bad text `I have insufficient funds and" },
    { what: "a content filter", code: "content_filter", message: "Filtered: I have insufficient funds" },
    {
      what: "a prompt that is too long",
      code: "context_length_exceeded",
      message: "Too long: my api key is invalid",
    },
  ]) {
    test(`${what} is a validation error, whatever the user wrote about keys and money`, async (t) => {
      const failure = await failureOf(t, "local", 400, { error: { message, code } });
      assert.equal(failure.errorType, "validation_error");
    });
  }

  test("a bad request never reaches the log in the provider's words, which may repeat the conversation", async (t) => {
    const message = "1 validation error: input_value='Dear diary' is not a list";
    const failure = await failureOf(t, "local", 400, { error: { message, code: 400 } });
    assert.match(failure.message, /Dear diary/);
    assert.equal(failure.said, undefined);
    assert.doesNotMatch(failure.summary, /Dear diary/);
    assert.doesNotMatch(failure.thrown ?? "", /Dear diary/);
  });

  test("a reply that cannot be read never reaches the log", async (t) => {
    const step = { parts: [{ raw: "data: {Dear diary\n\n" }], ending: "hang" as const };
    const provider = await startScriptedProvider(t, { format: "openai", steps: [step] });
    const resolved = await createModels(readModelsConfig({ LOCAL_BASE_URL: provider.baseUrl })).resolve(
      "local/model",
    );
    assert.ok(resolved.ok);
    const { model } = resolved;
    const error = await (async () => {
      for await (const _ of streamModel(model, { prompt }));
    })().catch((reason: unknown) => reason);
    assert.ok(error instanceof ModelFailure);
    assert.equal(error.said, undefined);
    assert.match(error.thrown ?? "", /AI_JSONParseError/);
    assert.doesNotMatch(JSON.stringify(error), /Dear diary/);
  });
});

describe("the configured key", () => {
  test("the configured key is removed from everything that the provider says, whatever it looks like", async (t) => {
    const apiKey = "my gateway, key";
    const body = { error: { message: `${apiKey} is wrong: ${apiKey}`, code: "bad" } };
    const failure = await failureOf(t, "local", 401, body, apiKey);
    assert.equal(failure.said, "[secret] is wrong: [secret]");
    const shown = await failureOf(t, "local", 400, body, apiKey);
    assert.match(shown.message, /It says: \[secret\] is wrong: \[secret\]$/);
  });

  test("a configured key as the name of a failure does not reach the user", async (t) => {
    const body = { error: { message: "No.", code: "gatewaykey" } };
    const failure = await failureOf(t, "local", 401, body, "gatewaykey");
    assert.equal(failure.provider.errorType, undefined);
  });

  test("a configured key of one letter does not damage the words of the provider", async (t) => {
    const failure = await failureOf(t, "local", 401, { error: { message: "x expired" } }, "x");
    assert.equal(failure.said, "[secret] expired");
  });
});

describe("the host of the provider", () => {
  for (const status of [400, 413, 418]) {
    test(`the provider's words in a failure with ${status} never contain its host`, async () => {
      const error = { message: "ollama: no route to Ollama:11434", code: "ollama" };
      const models = createModels(readModelsConfig({ LOCAL_BASE_URL: "http://ollama:11434/v1" }), {
        fetch: async () => Response.json({ error }, { status }),
      });
      const resolved = await models.resolve("local/model");
      assert.ok(resolved.ok);
      const failure = await failureIn(resolved.model);
      assert.match(failure.message, /It says: \[address\]: no route to \[address\]$/);
      assert.equal(failure.provider.errorType, undefined);
    });
  }
});

test("a host name that is sent as an error code does not reach the user", async (t) => {
  const body = { error: { message: "No.", code: "gpu-7.eu-west-1.acme-corp.systems" } };
  const failure = await failureOf(t, "local", 400, body);
  assert.equal(failure.provider.errorType, undefined);
});

describe("Google's RetryInfo", () => {
  const limited = (retryDelay: unknown) => ({
    error: {
      code: 429,
      message: "You exceeded your current quota, please check your plan.",
      status: "RESOURCE_EXHAUSTED",
      details: [
        { "@type": "type.googleapis.com/google.rpc.QuotaFailure", violations: [] },
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
      ],
    },
  });

  for (const [retryDelay, retryAfterMs] of [
    ["34.074824224s", 34_075],
    ["5s", 5_000],
    ["999999999s", 86_400_000],
    ["soon", undefined],
    [7, undefined],
  ] as const) {
    test(`Google's delay of ${JSON.stringify(retryDelay)} is a retryAfter of ${retryAfterMs} ms`, async (t) => {
      const failure = await failureOf(t, "google", 429, limited(retryDelay));
      assert.equal(failure.errorType, "rate_limit_error");
      assert.equal(failure.retryAfterMs, retryAfterMs);
    });
  }
});
