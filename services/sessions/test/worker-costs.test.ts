import assert from "node:assert/strict";
import type { ScriptedStep } from "@muster/models/testing";
import { UsageScope } from "@muster/proto/sessions";
import { checkEntry } from "@muster/wire/log-entries/check";
import { describe, type TestContext, test } from "vitest";
import type { UsageRecord } from "../src/store/usage-document.ts";
import {
  type Event,
  type Instance,
  readAll,
  readSession,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";
import { pricedModels } from "./support/worker-harness.ts";
import { addFinders, answerAll, callsBoth, openFinders } from "./support/worker-talk.ts";
import { asWorkforce, hiddenSessions, openThread, runSaying } from "./support/workforce.ts";

const ofTurn = { inputTokens: 1_000, outputTokens: 100 };
const ofWorker = { inputTokens: 2_000, outputTokens: 50 };
const tokens = { inputTokens: 6_000, outputTokens: 300, totalTokens: 6_300 };
/** 0.15 and 0.60 dollars per million tokens, and 0.5 for the platform. */
const cost = { currency: "USD", providerFee: 0.00108, bandwidthFee: 0.00315, totalFee: 0.00423, byok: false };

function answer(world: World, work?: ScriptedStep): void {
  const found = (topic: string): ScriptedStep => ({ parts: [{ text: `The ${topic}.` }], usage: ofWorker });
  answerAll(world, (topic) => work ?? found(topic), { ...callsBoth, usage: ofTurn });
}

async function startPriced(t: TestContext) {
  const world = await startWorld(t);
  addFinders(world, { model: "openai/gpt-4o-mini" });
  answer(world);
  const instance = await world.addInstance({ bandwidthPer1M: "0.5" }, { models: pricedModels(world) });
  return { world, instance, sessionId: await openFinders(world, instance) };
}

async function logOf(world: World, { client }: Instance, sessionId: string): Promise<Event[]> {
  const entries: Event[] = [];
  for await (const { entriesJson } of client.readSessionLog({ sessionId }, world.as()))
    for (const json of entriesJson) entries.push(JSON.parse(json));
  for (const entry of entries) checkEntry(entry);
  return entries;
}

describe("the usage of a session's workers", () => {
  test("the usage event and the usage of the session include the steps of all workers", async (t) => {
    const { world, instance, sessionId } = await startPriced(t);
    const request = { ...say(sessionId, "Both"), usage: true };
    const events = await readAll(instance.client.trigger(request, world.as()));
    assert.deepEqual(events.at(-1), { type: "usage", cost, tokens });
    const { session } = await readSession(instance.client, { sessionId }, world.as());
    const shown = JSON.parse(session?.usageJson ?? "");
    assert.deepEqual([shown.cost, shown.tokens], [cost, tokens]);
  });

  test("the log has the start, the model calls and the output of each worker, under its id", async (t) => {
    const { world, instance, sessionId } = await startPriced(t);
    const events = await readAll(instance.client.trigger(say(sessionId, "Both"), world.as()));
    const ids = events.flatMap(({ type, workerId }) => (type === "worker-start" ? workerId : []));
    assert.equal(ids.length, 2);
    const log = await logOf(world, instance, sessionId);
    for (const [index, slug] of ["find-owls", "find-bats"].entries()) {
      const own = log.filter(({ workerId }) => workerId === ids[index]);
      const only = (type: string) => {
        const found = own.filter((entry) => entry.type === type);
        assert.equal(found.length, 1, `${found.length} entries of type ${type}`);
        return found[0];
      };
      const topic = slug.slice("find-".length);
      assert.equal(only("worker-execution")?.workerSlug, slug);
      assert.deepEqual(only("worker-execution")?.input, { TOPIC: topic });
      assert.equal(only("worker-output")?.output, `The ${topic}.`);
      assert.match(JSON.stringify(only("model-request")), new RegExp(`Find ${topic}`));
      only("step-stats");
    }
    const ofTheTurn = log.filter(({ type, workerId }) => type === "model-request" && workerId === undefined);
    assert.equal(ofTheTurn.length, 2);
  });

  test("a worker whose model fails continues on the backup model of its thread", async (t) => {
    const world = await startWorld(t);
    addFinders(world, { settings: "model: local/scripted, backupModel: demo/echo" });
    answer(world, { status: 529 });
    const instance = await world.addInstance();
    const sessionId = await openFinders(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "Both"), world.as()));
    assert.equal(events.at(-1)?.finishReason, "stop");
    const outputs = events.flatMap(({ type, output }) => (type === "worker-result" ? String(output) : []));
    assert.equal(outputs.length, 2);
    for (const topic of ["owls", "bats"])
      assert.ok(
        outputs.some((output) => output.includes(`You said: Find ${topic}`)),
        outputs.join(),
      );
  });
});

describe("workers in the run of a workforce agent", () => {
  async function startRun(t: TestContext, monthlyTokens?: bigint) {
    const world = await startWorld(t);
    addFinders(world);
    answer(world);
    const instance = await world.addInstance();
    const sessionId = await openThread(world, instance, { input: {} });
    const limits = [{ scope: UsageScope.AGENT, monthlyTokens }];
    const run = { requestId: "r", ...(monthlyTokens !== undefined && { limits }) };
    const request = runSaying(sessionId, "Both", run);
    const events = await readAll(instance.client.trigger(request, asWorkforce(world)));
    const db = hiddenSessions(world).db;
    const records = await db.collection<UsageRecord>("usage").find().toArray();
    return { world, events, records };
  }

  test("each step of each worker leaves a record of its own", async (t) => {
    const { events, records } = await startRun(t);
    const [start] = events;
    const ids = events.flatMap(({ type, workerId }) => (type === "worker-start" ? workerId : []));
    assert.deepEqual(
      records.map(({ _id, tokens: { input, output } }) => [_id, input, output]).sort(),
      [
        [`${start?.executionId}:1`, 1_000, 100],
        [`${start?.executionId}:2`, 1_000, 100],
        ...ids.map((id) => [`${start?.executionId}:${id}:1`, 2_000, 50]),
      ].sort(),
    );
  });

  test("a limit that the turn's own step reaches is checked before its workers call their models", async (t) => {
    const { world, events, records } = await startRun(t, 1_100n);
    const last = events.at(-1);
    assert.deepEqual([last?.type, last?.code], ["error", "USAGE_LIMIT"]);
    assert.equal(world.provider.requests.length, 1);
    assert.equal(records.length, 1);
    const cards = events.flatMap(({ type, error }) => (type === "worker-result" ? String(error) : []));
    assert.equal(cards.length, 2);
  });
});
