import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import type { UsageRecord } from "../src/store/usage-document.ts";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  openSession,
  projectId,
  readAll,
  refusal,
  result,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";
import { readStart, scripted, startSaying } from "./support/starting.ts";
import { pricedModels } from "./support/worker-harness.ts";

const model = "openai/gpt-4o-mini";
const usage = { inputTokens: 1_000, outputTokens: 100 };
const asks: ScriptedStep = {
  parts: [{ toolCall: { id: "call_a", name: "get-order", arguments: { number: "7" } } }],
  usage,
};
const asksAgain: ScriptedStep = {
  parts: [{ toolCall: { id: "call_b", name: "get-order", arguments: { number: "8" } } }],
  usage,
};
const answers: ScriptedStep = { parts: [{ text: "It has arrived." }], usage };
/** The cost of a call, at 0.15 and 0.60 dollars per million tokens. */
const costOfCall = 0.00021;

async function startLimited(t: TestContext, steps: ScriptedStep[]) {
  const world = await startWorld(t, steps);
  const instance = await world.addInstance({}, { models: pricedModels(world) });
  return { world, instance, sessionId: await openSession(world, instance, { MODEL: model }) };
}

const trigger = (world: World, { client }: Instance, request: object, keyId = "key_test") =>
  readAll(client.trigger(request, world.as({ keyId })));

const records = (world: World) =>
  world.store.db.client.db(`${world.store.databasePrefix}_sessions`).collection<UsageRecord>("usage");

describe("the monthly limits of projects and keys", () => {
  test("a limit of dollars ends a turn before the next call, and then refuses turns before anything is stored", async (t) => {
    const { world, instance, sessionId } = await startLimited(t, [asks, answers, answers]);
    world.auth.setLimits(projectId, { limits: { monthlyUsd: String(costOfCall * 2) } });
    const first = await trigger(world, instance, say(sessionId, "where is 7?"));
    assert.equal(first.at(-1)?.type, "finish");
    const second = await trigger(world, instance, {
      ...say(sessionId, "where is 7?"),
      toolResults: [result("call_a", 1)],
    });
    assert.equal(second.at(-1)?.type, "finish");
    const before = await world.document(sessionId);
    const refused = await refusal(readAll(instance.client.trigger(say(sessionId, "And?"), world.as())));
    assert.equal(refused.reason, Reason.SPENDING_LIMIT);
    assert.match(refused.message, /The project has reached its spending limit/);
    const after = await world.document(sessionId);
    assert.deepEqual([after.tail, after.lease], [before.tail, null]);
    assert.equal(world.provider.requests.length, 2);
    world.auth.setLimits(projectId, { limits: { monthlyUsd: "1" } });
    world.clock.advance(5_000);
    const third = await trigger(world, instance, say(sessionId, "And now?"));
    assert.equal(third.at(-1)?.type, "finish");
  });

  test("a limit that is reached during a turn ends it with an error event, and keeps its steps", async (t) => {
    const plan: ScriptedStep = {
      parts: [
        { text: "First a plan." },
        {
          toolCall: {
            name: "platform_todo_write",
            arguments: { todos: [{ content: "a", status: "pending" }] },
          },
        },
      ],
      usage,
    };
    const { world, instance, sessionId } = await startLimited(t, [plan]);
    world.auth.setLimits(projectId, { keyLimits: { key_test: { monthlyTokens: 1_100n } } });
    const events = await trigger(world, instance, say(sessionId, "Go"));
    const { type, errorType, code, retryable } = events.at(-1) ?? assert.fail();
    assert.deepEqual(
      [type, errorType, code, retryable],
      ["error", "quota_exceeded_error", "USAGE_LIMIT", false],
    );
    assert.match((await world.document(sessionId)).tail ?? "", /First a plan/);
    assert.equal(world.provider.requests.length, 1);
  });

  test("the limit of a key counts its own calls, not those of another key", async (t) => {
    const { world, instance, sessionId } = await startLimited(t, [answers, answers, answers]);
    world.auth.setLimits(projectId, { keyLimits: { key_a: { monthlyUsd: "0.0002" } } });
    await trigger(world, instance, say(sessionId, "one"), "key_b");
    await trigger(world, instance, say(sessionId, "two"), "key_a");
    const refused = instance.client.trigger(say(sessionId, "three"), world.as({ keyId: "key_a" }));
    assert.equal((await refusal(readAll(refused))).reason, Reason.SPENDING_LIMIT);
    await trigger(world, instance, say(sessionId, "three"), "key_b");
    const stored = await records(world).find({ keyId: "key_a" }).toArray();
    assert.deepEqual(
      stored.map(({ agentId, modelId, tokens }) => [agentId, modelId, tokens.input + tokens.output]),
      [["agt_chat", model, 1_100]],
    );
  });

  test("a session that would open beyond a limit does not open, and no model is called early", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    world.auth.setLimits(projectId, { limits: { monthlyTokens: 0n } });
    const refused = await refusal(readStart(instance, world, startSaying("Hi", {}, scripted)));
    assert.equal(refused.reason, Reason.USAGE_LIMIT);
    assert.equal(await world.sessions.countDocuments(), 0);
    assert.equal(world.provider.requests.length, 0);
  });

  test("the cost of an execution is limited over its continuations by the lowest of all limits", async (t) => {
    const { world, instance, sessionId } = await startLimited(t, [asks, asksAgain]);
    const asking = { ...say(sessionId, "where is 7?"), maxUsd: String(costOfCall * 1.5) };
    await trigger(world, instance, asking);
    assert.equal((await world.document(sessionId)).execution?.maxUsd, asking.maxUsd);
    const results = { triggerName: "say", sessionId, toolResults: [result("call_a", 1)] };
    await trigger(world, instance, { ...results, maxUsd: "1" });
    const more = { ...results, toolResults: [result("call_b", 1)], maxUsd: "1" };
    const last = (await trigger(world, instance, more)).at(-1);
    assert.deepEqual([last?.type, last?.code], ["error", "SPENDING_LIMIT"]);
    assert.equal(world.provider.requests.length, 2);
    const token = world.as({ maxUsd: "0" });
    const refused = await readAll(instance.client.trigger({ ...asking, inputJson: '{"TEXT":"Hi"}' }, token));
    assert.equal(refused.at(-1)?.code, "SPENDING_LIMIT");
    const wrong = instance.client.trigger({ ...asking, maxUsd: "1e3" }, world.as());
    assert.equal((await refusal(readAll(wrong))).issues[0]?.path, "maxUsd");
  });

  test("the limit of a definition applies to each of its turns, also if the caller's is higher", async (t) => {
    const world = await startWorld(t, [asks, asksAgain]);
    const instance = await world.addInstance({}, { models: pricedModels(world) });
    const protocol = `${chat.protocol}maxUsd: ${costOfCall}\n`;
    world.agents.set("agt_chat", [{ ...chat, protocol }]);
    const sessionId = await openSession(world, instance, { MODEL: model });
    for (const id of ["call_a", "call_b"]) {
      await trigger(world, instance, { ...say(sessionId, "where is it?"), maxUsd: "1" });
      assert.equal((await world.document(sessionId)).execution?.maxUsd, String(costOfCall));
      const results = { triggerName: "say", sessionId, toolResults: [result(id, 1)] };
      assert.equal((await trigger(world, instance, results)).at(-1)?.code, "SPENDING_LIMIT");
    }
  });

  test("a call whose reader leaves counts with an estimate", async (t) => {
    const { world, instance, sessionId } = await startLimited(t, [
      { parts: [{ text: "A long story. ".repeat(50) }, { until: new Promise(() => {}) }], usage },
    ]);
    world.auth.setLimits(projectId, { limits: { monthlyUsd: "1" } });
    const controller = new AbortController();
    const events = instance.client.trigger(say(sessionId, "Tell me"), {
      ...world.as(),
      signal: controller.signal,
    });
    for await (const { events: some } of events) if (some.some(({ json }) => json.includes("story"))) break;
    controller.abort();
    await until("the call is recorded", async () => (await records(world).countDocuments()) === 1);
    const record = await records(world).findOne({});
    assert.ok(record?.isEstimated && record.tokens.output > 100 && record.tokens.input > 0);
  });
});
