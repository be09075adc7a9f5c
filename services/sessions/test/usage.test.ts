import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  type Instance,
  openSession,
  readAll,
  readSession,
  result,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";
import { pricedModels } from "./support/worker-harness.ts";

const model = "openai/gpt-4o-mini";
const asks = {
  parts: [{ toolCall: { id: "call_a", name: "get-order", arguments: { number: "7" } } }],
  usage: { inputTokens: 1_000, outputTokens: 100 },
};
const answers = { parts: [{ text: "It has arrived." }], usage: { inputTokens: 2_000, outputTokens: 50 } };

/** With prices of 0.15 and 0.60 dollars per million tokens, and 0.5 for the platform. */
async function startPriced(t: Parameters<typeof startWorld>[0], steps: Parameters<typeof startWorld>[1]) {
  const world = await startWorld(t, steps);
  const instance = await world.addInstance({ bandwidthPer1M: "0.5" }, { models: pricedModels(world) });
  return { world, instance, sessionId: await openSession(world, instance, { MODEL: model }) };
}

async function usageOf(world: World, { client }: Instance, sessionId: string) {
  const { session } = await readSession(client, { sessionId }, world.as());
  return JSON.parse(session?.usageJson ?? "");
}

const cost = (providerFee: number, bandwidthFee: number, totalFee: number) => ({
  currency: "USD",
  providerFee,
  bandwidthFee,
  totalFee,
  byok: false,
});
const tokens = (inputTokens: number, outputTokens: number) => ({
  inputTokens,
  outputTokens,
  totalTokens: inputTokens + outputTokens,
});

describe("the usage of a session", () => {
  test("a session adds up the tokens by model and the exact cost of its turns and their continuations", async (t) => {
    const { world, instance, sessionId } = await startPriced(t, [asks, answers, answers, answers]);
    const { client } = instance;
    assert.deepEqual(await usageOf(world, instance, sessionId), {
      cost: cost(0, 0, 0),
      tokens: tokens(0, 0),
      models: {},
    });
    await readAll(client.trigger(say(sessionId, "where is 7?"), world.as()));
    assert.deepEqual(await usageOf(world, instance, sessionId), {
      cost: cost(0.00021, 0.00055, 0.00076),
      tokens: tokens(1_000, 100),
      models: { [model]: tokens(1_000, 100) },
    });
    const toolResults = [result("call_a", "arrived")];
    await readAll(client.trigger({ ...say(sessionId, "where is 7?"), toolResults }, world.as()));
    await readAll(client.trigger(say(sessionId, "and 8?"), world.as()));
    await readAll(client.trigger({ ...say(sessionId, "and 9?"), rollback: {} }, world.as()));
    assert.deepEqual(await usageOf(world, instance, sessionId), {
      cost: cost(0.0012, 0.003625, 0.004825),
      tokens: tokens(7_000, 250),
      models: { [model]: tokens(7_000, 250) },
    });
  });

  test("the usage includes steps of a failed turn, and survives a restoration", async (t) => {
    const fails = { status: 400, error: { message: "No." } };
    const { world, instance, sessionId } = await startPriced(t, [asks, fails]);
    const { client } = instance;
    await readAll(client.trigger(say(sessionId, "where is 7?"), world.as()));
    const request = { ...say(sessionId, "where is 7?"), toolResults: [result("call_a", "arrived")] };
    assert.equal((await readAll(client.trigger(request, world.as()))).at(-1)?.type, "error");
    const before = await usageOf(world, instance, sessionId);
    assert.deepEqual(before.tokens, tokens(1_000, 100));
    await client.clearSession({ sessionId }, world.as());
    await client.restoreSession({ sessionId, messagesJson: "[]" }, world.as());
    assert.deepEqual(await usageOf(world, instance, sessionId), before);
  });

  test("a turn that is too large to be stored still counts", async (t) => {
    const long = { parts: [{ text: "x".repeat(12_000) }], usage: answers.usage };
    const world = await startWorld(t, [long, long]);
    const instance = await world.addInstance({ maxStateBytes: 20_000 });
    const sessionId = await openSession(world, instance);
    await readAll(instance.client.trigger(say(sessionId, "one"), world.as()));
    const events = await readAll(instance.client.trigger(say(sessionId, "two"), world.as()));
    assert.equal(events.at(-1)?.code, "PAYLOAD_TOO_LARGE");
    assert.deepEqual((await usageOf(world, instance, sessionId)).tokens, tokens(4_000, 100));
  });
});

describe("the usage event of a trigger", () => {
  test("a reader of one document gets the usage so far at a pause as well", async (t) => {
    const { world, instance, sessionId } = await startPriced(t, [asks]);
    const request = { ...say(sessionId, "where is 7?"), usage: true, wantsResult: true };
    const events: string[] = [];
    for await (const batch of instance.client.trigger(request, world.as()))
      events.push(...batch.events.map(({ json }) => json));
    assert.deepEqual(JSON.parse(events.at(-1) ?? ""), {
      type: "usage",
      cost: cost(0.00021, 0.00055, 0.00076),
      tokens: tokens(1_000, 100),
    });
  });

  test("a usage event follows finish only if the trigger asks for it, and covers the turn from its start", async (t) => {
    const { world, instance, sessionId } = await startPriced(t, [answers, asks, answers]);
    const { client } = instance;
    const silent = await readAll(client.trigger(say(sessionId, "hello"), world.as()));
    assert.equal(silent.at(-1)?.type, "finish");
    const request = { ...say(sessionId, "where is 7?"), usage: true };
    assert.deepEqual((await readAll(client.trigger(request, world.as()))).at(-1), {
      type: "finish",
      finishReason: "tool-calls",
      executionId: (await world.document(sessionId)).execution?.id,
    });
    const toolResults = [result("call_a", "arrived")];
    const done = await readAll(client.trigger({ ...request, toolResults }, world.as()));
    assert.deepEqual(done.at(-1), {
      type: "usage",
      cost: cost(0.00054, 0.001575, 0.002115),
      tokens: tokens(3_000, 150),
    });
  });
});
