import assert from "node:assert/strict";
import { Code, Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import {
  type Event,
  eventsOf,
  type Instance,
  messagesOf,
  openSession,
  readAll,
  refusal,
  say,
  startWorld,
  textOf,
  typesOf,
  type World,
} from "./support/harness.ts";

const hangs = { parts: [{ text: "Half an answer" }], ending: "hang" as const };

/** Triggers, reads until the first text, and leaves the rest to the caller. */
async function startReading(world: World, { client }: Instance, sessionId: string, extra: object = {}) {
  const leaving = new AbortController();
  const request = { ...say(sessionId, "one"), ...extra };
  const events = eventsOf(client.trigger(request, world.as({}, { signal: leaving.signal })));
  const seen: Event[] = [];
  while (true) {
    const { value, done } = await events.next();
    assert.ok(!done, "the stream ended too early");
    seen.push(value);
    if (value.type === "text-delta") break;
  }
  const rest = (async () => {
    for await (const event of events) seen.push(event);
    return seen;
  })();
  rest.catch(() => undefined);
  return { seen, rest, leave: () => leaving.abort() };
}

async function isFree(world: World, sessionId: string): Promise<boolean> {
  return (await world.document(sessionId)).lease === null;
}

async function assertUsable(world: World, instance: Instance, sessionId: string): Promise<void> {
  world.provider.add({ parts: [{ text: "Fine." }] });
  assert.equal(textOf(await readAll(instance.client.trigger(say(sessionId, "ok?"), world.as()))), "Fine.");
}

describe("a caller that leaves", () => {
  test("a caller that leaves ends the model call at once, and the partial output is kept as done", async (t) => {
    const world = await startWorld(t, [hangs]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const reading = await startReading(world, instance, sessionId);
    reading.leave();
    await world.provider.requests[0]?.clientGone;
    await until("the session is free", () => isFree(world, sessionId));
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.equal(answer?.status, "done");
    assert.deepEqual([answer?.parts[0]?.type, answer?.parts[0]?.status], ["text", "done"]);
    assert.match(String(answer?.parts[0]?.text), /^Half/);
    await assertUsable(world, instance, sessionId);
  });

  test("an execution with `continue` keeps running after its caller leaves", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [
      { parts: [{ text: "First " }, { until: hold.promise }, { text: "last." }] },
    ]);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance);
    const reading = await startReading(world, instance, sessionId, { onDisconnect: 2 });
    reading.leave();
    await assert.rejects(reading.rest);
    hold.resolve();
    await until("the session is free", () => isFree(world, sessionId));
    const [, answer] = await messagesOf(world, instance, sessionId);
    assert.equal(answer?.parts[0]?.text, "First last.");
  });

  test("a caller that leaves while it waits for a busy session starts nothing", async (t) => {
    const world = await startWorld(t, [hangs]);
    const instance = await world.addInstance({ timings: { busyWaitMs: 5_000 } });
    const sessionId = await openSession(world, instance);
    const first = await startReading(world, instance, sessionId);
    const leaving = new AbortController();
    const second = readAll(
      instance.client.trigger(say(sessionId, "two"), world.as({}, { signal: leaving.signal })),
    );
    const failure = assert.rejects(second);
    setTimeout(() => leaving.abort(), 30);
    await failure;
    first.leave();
    await until("the session is free", () => isFree(world, sessionId));
    assert.equal((await messagesOf(world, instance, sessionId)).length, 2);
  });
});

describe("cancelling", () => {
  for (const [where, lost] of [
    ["the same instance", false],
    ["another instance", false],
    ["another instance whose event is lost", true],
  ] as const) {
    test(`cancelling on ${where} ends the execution, keeps its text and finishes its stream`, async (t) => {
      const world = await startWorld(t, [hangs]);
      const timings = { renewEveryMs: lost ? 30 : 3_000, leaseMs: 10_000 };
      const holder = await world.addInstance({ timings });
      const caller = where === "the same instance" ? holder : await world.addInstance();
      const sessionId = await openSession(world, holder);
      const reading = await startReading(world, holder, sessionId);
      world.bus.isDeaf = lost;
      assert.equal((await caller.client.cancelExecution({ sessionId }, world.as())).cancelled, true);
      // The lease is renewed once half a round has passed.
      if (lost) world.clock.advance(2_000);
      const events = await reading.rest;
      assert.deepEqual(typesOf(events).slice(-4), ["text-end", "block-end", "persisted", "finish"]);
      assert.equal(events.at(-1)?.finishReason, "other");
      assert.equal((await caller.client.cancelExecution({ sessionId }, world.as())).cancelled, false);
      const [, answer] = await messagesOf(world, holder, sessionId);
      assert.match(String(answer?.parts[0]?.text), /^Half/);
      await assertUsable(world, holder, sessionId);
    });
  }

  test("cancelling an idle or expired session succeeds, an unknown one is not found", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, {});
    const cancel = (id: string) => instance.client.cancelExecution({ sessionId: id }, world.as());
    assert.equal((await cancel(sessionId)).cancelled, false);
    await instance.client.clearSession({ sessionId }, world.as());
    assert.equal((await cancel(sessionId)).cancelled, false);
    assert.equal((await refusal(cancel("ses_nothing"))).reason, Reason.NOT_FOUND);
  });
});

describe("clearing a session that runs", () => {
  for (const [where, lost] of [
    ["the same instance", false],
    ["another instance", false],
    ["another instance whose event is lost", true],
  ] as const) {
    test(`clearing a running session on ${where} aborts the execution, which writes nothing more`, async (t) => {
      const world = await startWorld(t, [hangs]);
      const holder = await world.addInstance({ timings: { renewEveryMs: lost ? 30 : 3_000 } });
      const caller = where === "the same instance" ? holder : await world.addInstance();
      const sessionId = await openSession(world, holder);
      const reading = await startReading(world, holder, sessionId);
      world.bus.isDeaf = lost;
      await caller.client.clearSession({ sessionId }, world.as());
      const cleared = await world.document(sessionId);
      if (lost) world.clock.advance(2_000);
      const events = await reading.rest;
      assert.deepEqual(typesOf(events).slice(-3), ["text-end", "block-end", "error"]);
      assert.equal(events.at(-1)?.code, "SESSION_EXPIRED");
      await world.provider.requests[0]?.clientGone;
      assert.deepEqual(await world.document(sessionId), cleared);
      assert.doesNotMatch(JSON.stringify(cleared), /Half/);
    });
  }

  test("clearing and restoring a session keeps the old execution out of the new conversation", async (t) => {
    const world = await startWorld(t, [hangs]);
    const [holder, caller] = [await world.addInstance(), await world.addInstance()];
    const sessionId = await openSession(world, holder);
    const reading = await startReading(world, holder, sessionId);
    world.bus.isDeaf = true;
    await caller.client.clearSession({ sessionId }, world.as());
    await caller.client.restoreSession({ sessionId, messagesJson: "[]" }, world.as());
    const restored = await world.document(sessionId);
    reading.leave();
    await world.provider.requests[0]?.clientGone;
    await assert.rejects(reading.rest);
    await holder.stop();
    assert.deepEqual(await world.document(sessionId), restored);
  });
});

describe("stopping the service", () => {
  test("a stopping service allows an execution to end", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [
      { parts: [{ text: "First " }, { until: hold.promise }, { text: "last." }] },
    ]);
    const instance = await world.addInstance({ timings: { drainMs: 5_000 } });
    const sessionId = await openSession(world, instance);
    const reading = await startReading(world, instance, sessionId);
    const stopped = instance.stop();
    hold.resolve();
    const events = await reading.rest;
    assert.equal(textOf(events), "First last.");
    assert.equal(events.at(-1)?.type, "finish");
    await stopped;
  });

  test("a stopping service without another instance ends a long execution, stores its state and ends its stream", async (t) => {
    const world = await startWorld(t, [hangs]);
    const instance = await world.addInstance({ onlyInstance: true, timings: { drainMs: 50 } });
    const sessionId = await openSession(world, instance);
    const reading = await startReading(world, instance, sessionId);
    await instance.stop();
    const events = await reading.rest;
    assert.deepEqual(typesOf(events).slice(-2), ["persisted", "error"]);
    assert.deepEqual([events.at(-1)?.code, events.at(-1)?.retryable], ["UNAVAILABLE", true]);
    const successor = await world.addInstance();
    const [, answer] = await messagesOf(world, successor, sessionId);
    assert.match(String(answer?.parts[0]?.text), /^Half/);
    await assertUsable(world, successor, sessionId);
  });

  test("a stopping service refuses new triggers at once", async (t) => {
    const world = await startWorld(t, [hangs]);
    const instance = await world.addInstance({ timings: { drainMs: 300, busyWaitMs: 100_000 } });
    const sessionId = await openSession(world, instance);
    const reading = await startReading(world, instance, sessionId);
    const waiting = refusal(readAll(instance.client.trigger(say(sessionId, "two"), world.as())));
    await until("the turn holds its lease", async () => (await world.document(sessionId)).lease !== null);
    await instance.stop();
    // Refused by the service, or by the connection if it had not arrived yet.
    assert.equal((await waiting).code, Code.Unavailable);
    // Its turn was handed over.
    assert.equal((await refusal(reading.rest)).code, Code.Unavailable);
    const successor = await world.addInstance();
    assert.equal((await messagesOf(world, successor, sessionId)).length, 2);
  });
});
