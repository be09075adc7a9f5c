import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { addDoomed, leaseMs, Reader } from "./support/adoption-harness.ts";
import { research } from "./support/definitions.ts";
import {
  type Event,
  type Instance,
  openSession,
  readAll,
  readSession,
  refusal,
  result,
  say,
  type World,
} from "./support/harness.ts";
import {
  asksForOwls,
  eventOf,
  executionIdOf,
  goOn,
  reports,
  start,
  startPaused,
  startWorkerWorld,
  storedExecutions,
} from "./support/worker-harness.ts";

const timings = { busyWaitMs: 60_000 };
const hangs = { parts: [{ text: "Half" }], ending: "hang" as const };
const outputOf = (events: readonly Event[]) => eventOf(events, "worker-result")?.output;

function send(
  world: World,
  { client }: Instance,
  request: object,
  principal: Parameters<World["as"]>[0] = {},
) {
  return readAll(client.executeWorker(request, world.as(principal)));
}

describe("worker executions and sessions", () => {
  test("worker executions and sessions cannot be reached by each other's ids", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls]);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await openSession(world, instance);
    const executionId = await startPaused(world, instance);
    const before = await storedExecutions(world);
    const asSession = { sessionId: executionId };
    const toolResults = [result("call_a", 1)];
    const calls = [
      () => readSession(client, asSession, world.as()),
      () => client.clearSession(asSession, world.as()),
      () => client.restoreSession({ ...asSession, messagesJson: "[]" }, world.as()),
      () => client.cancelExecution(asSession, world.as()),
      () => readAll(client.trigger(say(executionId, "hi"), world.as())),
      () => readAll(client.trigger({ ...say(executionId, "hi"), toolResults }, world.as())),
      () => send(world, instance, goOn(sessionId)),
    ];
    for (const call of calls) assert.equal((await refusal(call())).reason, Reason.NOT_FOUND);
    assert.deepEqual(await storedExecutions(world), before);
  });

  test("a worker execution belongs to one agent of one project", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    world.agents.set("agt_other", [research]);
    const instance = await world.addInstance();
    const executionId = await startPaused(world, instance);
    const byOther = { ...goOn(executionId), agent: { case: "agentId" as const, value: "agt_other" } };
    const refused = [
      () => send(world, instance, byOther),
      () => send(world, instance, goOn(executionId), { projectId: "prj_other" }),
    ];
    for (const call of refused) assert.equal((await refusal(call())).reason, Reason.NOT_FOUND);
    assert.equal(outputOf(await send(world, instance, goOn(executionId))), "Owls fly by night.");
  });
});

describe("permission to run workers", () => {
  test("a credential for an agent runs only its workers; one for a session or without the permission runs none", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const instance = await world.addInstance();
    const own = { agentId: "agt_research" };
    const bySlug = { ...start(), agent: { case: "agentSlug" as const, value: "agt-research" } };
    const paused = await send(world, instance, start(), own);
    const next = goOn(executionIdOf(paused));
    const nextBySlug = { ...next, agent: bySlug.agent };
    for (const principal of [
      { agentId: "agt_chat" },
      { agentId: "agt_research", sessionId: "ses_1" },
      { permissions: new Set(["agents", "workforce"] as const) },
    ]) {
      for (const request of [start(), bySlug, next, nextBySlug]) {
        const { reason } = await refusal(send(world, instance, request, principal));
        assert.equal(reason, Reason.FORBIDDEN);
      }
    }
    assert.equal(outputOf(await send(world, instance, next, own)), "Owls fly by night.");
  });
});

describe("the same results", () => {
  test("tool results sent again after a worker has ended are refused and run nothing", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const instance = await world.addInstance();
    const executionId = await startPaused(world, instance);
    await send(world, instance, goOn(executionId));
    const refused = await refusal(send(world, instance, goOn(executionId)));
    assert.equal(refused.reason, Reason.UNKNOWN_TOOL_CALL);
    assert.equal(world.provider.requests.length, 2);
  });

  test("a worker's tool results sent many times at once run the continuation once, across two instances", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })] as const;
    const executionId = await startPaused(world, instances[0]);
    const outcomes = await Promise.allSettled(
      [0, 1, 0, 1, 0, 1].map((n) => send(world, instances[n === 0 ? 0 : 1], goOn(executionId))),
    );
    const done = outcomes.flatMap((outcome) =>
      outcome.status === "fulfilled" ? [outputOf(outcome.value)] : [],
    );
    assert.deepEqual(done, ["Owls fly by night."]);
    assert.equal(world.provider.requests.length, 2);
  });

  test("tool results sent again during a worker's continuation are refused as busy", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorkerWorld(t, [
      asksForOwls,
      { parts: [{ until: hold.promise }, { text: "Owls fly by night." }] },
    ]);
    const instances = [await world.addInstance(), await world.addInstance()] as const;
    const executionId = await startPaused(world, instances[0]);
    const running = send(world, instances[0], goOn(executionId));
    await world.provider.received(2);
    for (const instance of instances) {
      const refused = await refusal(send(world, instance, goOn(executionId)));
      assert.equal(refused.reason, Reason.SESSION_BUSY);
      assert.ok((refused.retryAfterMs ?? 0) > 0);
    }
    hold.resolve();
    assert.equal(outputOf(await running), "Owls fly by night.");
  });

  test("tool results sent again continue a worker from the pause after the first process died", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, hangs, reports]);
    const survivor = await world.addInstance({ timings });
    const executionId = await startPaused(world, survivor);
    const doomed = await addDoomed(world);
    new Reader(doomed.client.executeWorker(goOn(executionId), world.as()));
    await world.provider.received(2);
    world.clock.advance(leaseMs);
    const events = await send(world, survivor, goOn(executionId));
    assert.equal(outputOf(events), "Owls fly by night.");
    // The usage of the dead process is unknown.
    assert.deepEqual(events.at(-1)?.tokens, { inputTokens: 3_000, outputTokens: 150, totalTokens: 3_150 });
  });

  test("tool results sent again continue a worker from the pause after the service stopped", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, hangs, reports]);
    const first = await world.addInstance({ timings: { drainMs: 20 } });
    const executionId = await startPaused(world, first);
    const running = send(world, first, goOn(executionId));
    await world.provider.received(2);
    await first.stop();
    const last = (await running).at(-1);
    assert.deepEqual([last?.type, last?.code, last?.retryable], ["error", "UNAVAILABLE", true]);
    const second = await world.addInstance();
    assert.equal(outputOf(await send(world, second, goOn(executionId))), "Owls fly by night.");
  });

  test("a worker's holder that was cut off writes nothing after another has taken over", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorkerWorld(t, [
      asksForOwls,
      { parts: [{ until: hold.promise }, { text: "Stale." }] },
      reports,
    ]);
    const [first, second] = [await world.addInstance(), await world.addInstance()];
    const executionId = await startPaused(world, first);
    const stale = send(world, first, goOn(executionId));
    await world.provider.received(2);
    world.clock.advance(15_000);
    assert.equal(outputOf(await send(world, second, goOn(executionId))), "Owls fly by night.");
    const after = await storedExecutions(world);
    hold.resolve();
    const events = await stale;
    assert.deepEqual([events.at(-1)?.type, events.at(-1)?.code], ["error", "SESSION_BUSY"]);
    const told = eventOf(events, "worker-result");
    assert.deepEqual([told?.output, told?.error], [undefined, events.at(-1)?.message]);
    assert.deepEqual(await storedExecutions(world), after);
  });
});

describe("a worker execution that waits", () => {
  test("a paused worker execution expires like a session and is then unknown", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls]);
    const instance = await world.addInstance({ sessionTtlMs: 60_000 });
    const executionId = await startPaused(world, instance);
    world.clock.advance(60_000);
    const refused = await refusal(send(world, instance, goOn(executionId)));
    assert.equal(refused.reason, Reason.NOT_FOUND);
    assert.equal(world.provider.requests.length, 1);
  });

  test("a paused worker execution never expires if sessions never do", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const instance = await world.addInstance({ sessionTtlMs: 0 });
    const executionId = await startPaused(world, instance);
    assert.equal((await storedExecutions(world))[0]?.expiresAt, null);
    world.clock.advance(365 * 24 * 3_600_000);
    assert.equal(outputOf(await send(world, instance, goOn(executionId))), "Owls fly by night.");
    assert.notEqual((await storedExecutions(world))[0]?.expiresAt, null);
  });

  test("a paused worker execution refuses results that are too large, and keeps waiting", async (t) => {
    const world = await startWorkerWorld(t, [asksForOwls, reports]);
    const instance = await world.addInstance({ maxStateBytes: 20_000 });
    const executionId = await startPaused(world, instance);
    const tooMuch = goOn(executionId, "call_a", "x".repeat(20_000));
    assert.equal((await refusal(send(world, instance, tooMuch))).reason, Reason.TOO_LARGE);
    assert.equal(outputOf(await send(world, instance, goOn(executionId))), "Owls fly by night.");
  });
});

test("the store removes expired worker executions", async (t) => {
  const world = await startWorkerWorld(t);
  await world.addInstance();
  const database = world.store.db.client.db(`${world.store.databasePrefix}_sessions`);
  const indexes = await database.collection("worker_executions").indexes();
  const expiry = indexes.find(({ key }) => Reflect.get(key, "expiresAt") === 1);
  assert.equal(expiry?.expireAfterSeconds, 0);
});

test("a long-running worker keeps its lease; after a crash its document would expire soon", async (t) => {
  const hold = Promise.withResolvers<void>();
  const world = await startWorkerWorld(t, [{ parts: [{ until: hold.promise }, { text: "Slow." }] }]);
  const instance = await world.addInstance({ timings: { leaseMs: 10_000, renewEveryMs: 20 } });
  const running = send(world, instance, start());
  await world.provider.received(1);
  const leaseUntil = async () => (await storedExecutions(world))[0]?.lease.until.getTime();
  const [begun] = await storedExecutions(world);
  assert.equal(begun?.expiresAt.getTime(), world.clock.now() + 15 * 60_000);
  const first = await leaseUntil();
  world.clock.advance(9_000);
  await until("the lease is renewed", async () => (await leaseUntil()) > first);
  hold.resolve();
  assert.equal(outputOf(await running), "Slow.");
});
