import assert from "node:assert/strict";
import { createModels, readModelsConfig } from "@muster/models";
import { Reason, workforcePrincipal } from "@muster/rpc";
import { type TestContext, test } from "vitest";
import { projectId, refusal, startWorld } from "./support/harness.ts";

async function start(t: TestContext) {
  const world = await startWorld(t);
  const models = createModels(
    readModelsConfig({
      OPENAI_API_KEY: "sk-platform",
      OPENROUTER_API_KEY: "sk-platform",
      LOCAL_BASE_URL: world.provider.baseUrl,
    }),
  );
  const { client } = await world.addInstance({}, { models });
  const problemsOf = async (...models: string[]) => {
    const { problems } = await client.checkModels({ models }, world.as(workforcePrincipal(projectId)));
    return problems.map(({ model, message }) => [model, message]);
  };
  return { world, client, problemsOf };
}

const viaAggregator = "aggregator/openai/gpt-4o-mini";

test("models that are in the catalog and have a key, and those that need none, have no problem", async (t) => {
  const { problemsOf } = await start(t);
  assert.deepEqual(await problemsOf("openai/gpt-4o-mini", "demo/echo", "local/anything"), []);
});

test("each model that cannot be run is named with the remedy, in the order of the request", async (t) => {
  const { problemsOf } = await start(t);
  const problems = await problemsOf(
    "openai/gpt-none-9",
    "demo/echo",
    "anthropic/claude-sonnet-4-5",
    "nowhere/model",
    "gpt-4o-mini",
    viaAggregator,
  );
  const expected: Array<[string, RegExp]> = [
    ["openai/gpt-none-9", /not in the catalog/],
    ["anthropic/claude-sonnet-4-5", /not configured; the operator must set ANTHROPIC_API_KEY/],
    ["nowhere/model", /not a model provider/],
    ["gpt-4o-mini", /not a model id/],
    [viaAggregator, /only with a key of the project for aggregator/],
  ];
  assert.deepEqual(
    problems.map(([model]) => model),
    expected.map(([model]) => model),
  );
  for (const [index, [, pattern]] of expected.entries()) assert.match(problems[index]?.[1] ?? "", pattern);
});

test("a project's own key makes models runnable for that project only", async (t) => {
  const { world, client, problemsOf } = await start(t);
  world.auth.set(projectId, { anthropic: "sk-own", aggregator: "sk-own" });
  assert.deepEqual(await problemsOf("anthropic/claude-sonnet-4-5", viaAggregator), []);
  const theirs = await client.checkModels(
    { models: ["anthropic/claude-sonnet-4-5", viaAggregator] },
    world.as(workforcePrincipal("prj_other")),
  );
  assert.equal(theirs.problems.length, 2);
});

test("a key that cannot be decrypted is the problem, and unknown keys are an outage", async (t) => {
  const { world, client, problemsOf } = await start(t);
  world.auth.set(projectId, { openai: { problem: "The key cannot be decrypted." } });
  assert.deepEqual(await problemsOf("openai/gpt-4o-mini"), [
    ["openai/gpt-4o-mini", "The key cannot be decrypted."],
  ]);
  world.auth.isDown = true;
  const request = { models: ["openai/gpt-4o-mini"] };
  const { reason } = await refusal(client.checkModels(request, world.as(workforcePrincipal("prj_new"))));
  assert.equal(reason, Reason.UNAVAILABLE);
});

test("more than ten models, and ids that are empty or too long, are refused", async (t) => {
  const { world, client } = await start(t);
  const as = world.as();
  for (const [models, path] of [
    [Array.from({ length: 11 }, () => "demo/echo"), "models"],
    [["demo/echo", ""], "models.1"],
    [["x".repeat(201)], "models.0"],
  ] as const) {
    const { reason, issues } = await refusal(client.checkModels({ models: [...models] }, as));
    assert.deepEqual([reason, issues[0]?.path], [Reason.INVALID_REQUEST, path]);
  }
  const { reason } = await refusal(
    client.checkModels({ models: [] }, world.as({ permissions: new Set(["agents"]) })),
  );
  assert.equal(reason, Reason.FORBIDDEN);
});
