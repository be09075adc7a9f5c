import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { describe, test } from "vitest";
import { check, type FakeProvider, say, serve } from "../../test/support/fake-provider.ts";
import { createModels, readModelsConfig } from "../index.ts";

const key = "sk-very-secret-key";
const list = say(200, { data: [], models: [] });

const providers = [
  { name: "anthropic", variable: "ANTHROPIC", path: "/v1/models?limit=1", header: "x-api-key", value: key },
  { name: "openai", variable: "OPENAI", path: "/v1/models", header: "authorization", value: `Bearer ${key}` },
  {
    name: "google",
    variable: "GOOGLE",
    path: "/v1/models?pageSize=1",
    header: "x-goog-api-key",
    value: key,
  },
  { name: "xai", variable: "XAI", path: "/v1/models", header: "authorization", value: `Bearer ${key}` },
  {
    name: "aggregator",
    variable: "OPENROUTER",
    path: "/v1/key",
    header: "authorization",
    value: `Bearer ${key}`,
  },
  { name: "local", variable: "LOCAL", path: "/v1/models", header: "authorization", value: `Bearer ${key}` },
];
type Provider = (typeof providers)[number];

const environment = ({ variable }: Pick<Provider, "variable">, { baseUrl }: FakeProvider) => ({
  [`${variable}_BASE_URL`]: baseUrl,
  [`${variable}_API_KEY`]: key,
});

describe("a provider that accepts the key is ok", () => {
  for (const provider of providers) {
    test(`the check of ${provider.name} requests ${provider.path} with the key in ${provider.header}`, async (t) => {
      const clock = new ManualClock();
      const server = await serve(t, list);
      assert.deepEqual(await check(environment(provider, server), { clock }), {
        name: provider.name,
        status: "ok",
        checkedAtMs: clock.now(),
      });
      const [request] = server.requests;
      assert.equal(server.requests.length, 1);
      assert.deepEqual([request?.method, request?.path], ["GET", provider.path]);
      assert.equal(request?.headers[provider.header], provider.value);
      const version = provider.name === "anthropic" ? "2023-06-01" : undefined;
      assert.equal(request?.headers["anthropic-version"], version);
    });
  }

  test("the check completes Anthropic's base URL as model calls do", async (t) => {
    const server = await serve(t, list);
    const baseUrl = server.baseUrl.replace("/v1", "");
    await check({ ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: key });
    assert.equal(server.requests[0]?.path, "/v1/models?limit=1");
  });

  test("a server without a configured key is checked without one", async (t) => {
    const server = await serve(t, list);
    assert.equal((await check({ LOCAL_BASE_URL: server.baseUrl })).status, "ok");
    assert.equal(server.requests[0]?.headers.authorization, undefined);
  });
});

test("an unconfigured installation contacts no provider, reports the variables to set, and has a working demo", async () => {
  const checks = await createModels(readModelsConfig({}), {
    fetch: () => assert.fail("A provider was asked"),
  }).checkProviders();
  assert.deepEqual(
    checks.map(({ name, status, checkedAtMs }) => [name, status, checkedAtMs]),
    [...providers.map(({ name }) => [name, "not_configured", undefined]), ["demo", "ok", undefined]],
  );
  for (const [index, { variable }] of providers.entries())
    assert.match(checks[index]?.message ?? "", new RegExp(`must set ${variable}_`));
});

describe("the frequency of checks", () => {
  const asking = async (t: Parameters<typeof serve>[0]) => {
    const server = await serve(t, list);
    const clock = new ManualClock();
    const config = readModelsConfig({ LOCAL_BASE_URL: server.baseUrl, OPENAI_BASE_URL: server.baseUrl });
    return { server, clock, models: createModels(config, { clock }) };
  };

  test("concurrent callers share one check of the providers", async (t) => {
    const { server, models } = await asking(t);
    const all = await Promise.all(Array.from({ length: 20 }, () => models.checkProviders()));
    assert.equal(new Set(all).size, 1);
    assert.equal(server.requests.length, 2);
  });

  test("the results of a check are cached for 30 s", async (t) => {
    const { server, clock, models } = await asking(t);
    const first = await models.checkProviders();
    clock.advance(29_999);
    assert.equal(await models.checkProviders(), first);
    assert.equal(server.requests.length, 2);
    clock.advance(1);
    const second = await models.checkProviders();
    assert.equal(server.requests.length, 4);
    const times = [first, second].map((checks) => checks.find(({ name }) => name === "local")?.checkedAtMs);
    assert.deepEqual(times, [clock.now() - 30_000, clock.now()]);
  });

  test("a slow provider does not delay the check of another", async (t) => {
    const waiting: Array<() => void> = [];
    // Responds only when both requests have arrived.
    const server = await serve(t, (request, response) => {
      waiting.push(() => list(request, response));
      if (waiting.length === 2) for (const answer of waiting) answer();
    });
    const config = readModelsConfig({ LOCAL_BASE_URL: server.baseUrl, OPENAI_BASE_URL: server.baseUrl });
    const checks = await createModels(config).checkProviders();
    assert.equal(checks.filter(({ status }) => status === "ok").length, 3);
  });
});
