import assert from "node:assert/strict";
import { createModels, readModelsConfig } from "@muster/models";
import { DisconnectPolicy } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import {
  addDoomed,
  assertWhole,
  continuing,
  hasText,
  type Ids,
  leaseMs,
  openTurn,
  Reader,
  resume,
  type Seen,
  startAdoptionWorld,
  survivorTimings,
  typesIn,
} from "./support/adoption-harness.ts";
import { type Instance, readAll, refusal, result, say, textOf, type World } from "./support/harness.ts";

const half = { parts: [{ text: "Half an ans" }], ending: "hang" as const };
const whole = { parts: [{ text: "Whole." }] };
const survivor = { timings: survivorTimings };

/** A turn whose model hangs, on an instance that is about to be frozen. */
async function hangingTurn(world: World, doomed: Instance, request: object = {}) {
  const { sessionId, reader } = await openTurn(world, doomed, request);
  await reader.until(hasText("Half"));
  return { ids: { sessionId, executionId: reader.executionId }, reader, seen: [...reader.seen] };
}

/** A turn that was adopted so many times, by instances that are all frozen in the middle of an answer. */
async function adoptedTurn(world: World, adoptions: number) {
  const { ids, seen } = await hangingTurn(world, await addDoomed(world));
  return { ids, pieces: await adoptAgain(world, ids, [seen], adoptions) };
}

async function adoptAgain(world: World, ids: Ids, seen: Seen[][], adoptions: number): Promise<Seen[][]> {
  const pieces = [...seen];
  for (let adoption = 0; adoption < adoptions; adoption += 1) {
    const { client } = await addDoomed(world);
    world.clock.advance(leaseMs);
    const afterSequence = pieces.at(-1)?.at(-1)?.sequence ?? 0;
    const leaving = new AbortController();
    const call = world.as({}, { signal: leaving.signal });
    const reader = new Reader(client.resumeExecution({ ...ids, afterSequence }, call));
    pieces.push((await reader.until(hasText("Half"))).seen.slice());
    // The instance learns from a late write that its turn has moved. A reader that stays would make it adopt the turn again.
    leaving.abort();
  }
  return pieces;
}

describe("a process that is not dead", () => {
  test("a holder that wakes up after its turn was adopted reaches no reader but its own, which learns why", async (t) => {
    const hold = Promise.withResolvers<void>();
    const long = Array.from({ length: 1_500 }, (_, index) => ({ text: `late${index} ` }));
    const world = await startAdoptionWorld(t, [
      { parts: [{ text: "Half an ans" }, { until: hold.promise }, ...long] },
      { parts: [{ text: "Wh" }, { until: hold.promise }, { text: "ole." }] },
    ]);
    const doomed = await addDoomed(world);
    const other = await world.addInstance(survivor);
    const { ids, reader, seen } = await hangingTurn(world, doomed);
    // Follows the memory of the holder.
    const joined = new Reader(doomed.client.resumeExecution({ ...ids, afterSequence: 0 }, world.as()));
    await joined.until(hasText("Half"));
    world.clock.advance(leaseMs);
    const adopted = new Reader(
      other.client.resumeExecution({ ...ids, afterSequence: seen.length }, world.as()),
    );
    await adopted.until(hasText("Wh"));
    hold.resolve();
    await Promise.all([adopted.ended, joined.ended, reader.ended]);
    assert.match(reader.seen.at(-1)?.json ?? "", /SESSION_BUSY/);
    const all = await resume(world, other, ids);
    await assertWhole(world, other, ids.sessionId, [], all);
    await assertWhole(world, other, ids.sessionId, [], seen, adopted.seen);
    const joinedEarly = joined.seen.filter(({ sequence }) => sequence <= (adopted.seen[0]?.sequence ?? 0));
    assert.deepEqual(joined.seen.slice(joinedEarly.length), adopted.seen.slice(1));
    assert.ok(joinedEarly.length < 1_100 + seen.length);
    assert.ok(!JSON.stringify(all).includes("late1499"));
  });
});

describe("a holder that has not noticed the adoption of its turn", () => {
  test("its readers get the adopted turn, whatever their cursor, while it runs and when it has ended", async (t) => {
    const hold = Promise.withResolvers<void>();
    const slow = { parts: [{ text: "Wh" }, { until: hold.promise }, { text: "ole." }] };
    const world = await startAdoptionWorld(t, [half, slow]);
    const unaware = await addDoomed(world);
    const other = await world.addInstance(survivor);
    const { ids, seen } = await hangingTurn(world, unaware);
    world.clock.advance(leaseMs);
    const adopted = new Reader(
      other.client.resumeExecution({ ...ids, afterSequence: seen.length }, world.as()),
    );
    await adopted.until(hasText("Wh"));
    const cursor = adopted.seen.at(-1)?.sequence ?? 0;
    const request = { ...ids, afterSequence: cursor };
    const joined = new Reader(unaware.client.resumeExecution(request, world.as()));
    hold.resolve();
    assert.equal(await joined.ended, undefined);
    await adopted.ended;
    assert.deepEqual(joined.seen, adopted.seen.slice(-joined.seen.length));
    assert.ok(joined.seen.length > 0);
    for (const after of [0, seen.length, cursor, adopted.seen.at(-1)?.sequence]) {
      assert.deepEqual(await resume(world, unaware, ids, after), await resume(world, other, ids, after));
    }
  });
});

describe("an adoption while the auth service is down", () => {
  test("is refused as unavailable, however often, and succeeds once the project's keys can be read", async (t) => {
    const world = await startAdoptionWorld(t, [half, whole]);
    const { ids, seen } = await hangingTurn(world, await addDoomed(world));
    const other = await world.addInstance(survivor);
    world.clock.advance(leaseMs);
    world.auth.isDown = true;
    // More often than a turn may be adopted.
    for (let times = 0; times < 5; times++) {
      const { reason } = await refusal(resume(world, other, ids, seen.length));
      assert.equal(reason, Reason.UNAVAILABLE);
    }
    world.auth.isDown = false;
    const adopted = await resume(world, other, ids, seen.length);
    await assertWhole(world, other, ids.sessionId, [], seen, adopted);
    assert.equal(world.provider.requests.length, 2);
  });
});

describe("an adopted turn", () => {
  test("it can be adopted again, and again", async (t) => {
    const world = await startAdoptionWorld(t, [half, half, half, whole]);
    const { ids, pieces } = await adoptedTurn(world, 2);
    const last = await world.addInstance(survivor);
    world.clock.advance(leaseMs);
    pieces.push(await resume(world, last, ids, pieces.at(-1)?.at(-1)?.sequence));
    await assertWhole(world, last, ids.sessionId, [], ...pieces);
    await assertWhole(world, last, ids.sessionId, [], await resume(world, last, ids));
    assert.equal(typesIn(pieces.flat()).filter((type) => type === "step-discard").length, 3);
  });

  test("a turn whose step kills every process is adopted three times, then it ends with an error, and the session answers", async (t) => {
    const world = await startAdoptionWorld(t, [half, half, half, half, whole]);
    const { ids, pieces } = await adoptedTurn(world, 3);
    const last = await world.addInstance(survivor);
    world.clock.advance(leaseMs);
    pieces.push(await resume(world, last, ids, pieces.at(-1)?.at(-1)?.sequence));
    const error = JSON.parse(pieces.at(-1)?.at(-1)?.json ?? "{}");
    assert.deepEqual([error.type, error.code, error.retryable], ["error", "INTERNAL", false]);
    assert.equal(world.provider.requests.length, 4);
    await assertWhole(world, last, ids.sessionId, [], ...pieces);
    const next = await readAll(last.client.trigger(say(ids.sessionId, "again"), world.as()));
    assert.equal(textOf(next), "Whole.");
  });

  test("a turn whose end after too many adoptions kills its process too is left to the next trigger", async (t) => {
    const world = await startAdoptionWorld(t, [half, half, half, half, whole]);
    const { ids, pieces } = await adoptedTurn(world, 3);
    const last = await world.addInstance(survivor);
    world.clock.advance(leaseMs);
    await world.sessions.updateOne({ _id: ids.sessionId }, { $inc: { "lease.adoptions": 1 } });
    const rest = resume(world, last, ids, pieces.at(-1)?.at(-1)?.sequence);
    assert.equal((await refusal(rest)).reason, Reason.EVENTS_GONE);
    const next = await readAll(last.client.trigger(say(ids.sessionId, "again"), world.as()));
    assert.equal(textOf(next), "Whole.");
  });

  test("a step that is completed makes the adoptions before it count no more, an instance that cannot run the turn neither", async (t) => {
    const todo = { name: "platform_todo_write", arguments: { todos: [] } };
    const world = await startAdoptionWorld(t, [half, half, half, { parts: [{ toolCall: todo }] }, half]);
    const { ids, pieces } = await adoptedTurn(world, 3);
    await world.provider.received(5);
    const poor = await world.addInstance(survivor, { models: createModels(readModelsConfig({})) });
    world.clock.advance(leaseMs);
    for (let attempt = 0; attempt < 4; attempt += 1) {
      assert.equal((await refusal(resume(world, poor, ids))).reason, Reason.MODEL_NOT_RUNNABLE);
    }
    world.provider.add(half, half, whole);
    const more = await adoptAgain(world, ids, pieces, 2);
    const last = await world.addInstance(survivor);
    world.clock.advance(leaseMs);
    more.push(await resume(world, last, ids, more.at(-1)?.at(-1)?.sequence));
    await assertWhole(world, last, ids.sessionId, [], ...more);
  });

  test("a turn that was cancelled before its process died ends without another model call", async (t) => {
    const world = await startAdoptionWorld(t, [half]);
    const doomed = await addDoomed(world);
    const other = await world.addInstance(survivor);
    const { ids, seen } = await hangingTurn(world, doomed);
    world.bus.isDeaf = true;
    assert.ok((await other.client.cancelExecution({ sessionId: ids.sessionId }, world.as())).cancelled);
    world.clock.advance(leaseMs);
    const rest = await resume(world, other, ids, seen.length);
    assert.match(rest.at(-1)?.json ?? "", /"finishReason":"other"/);
    await assertWhole(world, other, ids.sessionId, [], seen, rest);
  });

  test("with onDisconnect cancel it ends when the reader leaves that adopted it; with continue it keeps running", async (t) => {
    for (const [onDisconnect, reason] of [
      [DisconnectPolicy.CANCEL, "other"],
      [DisconnectPolicy.CONTINUE, "stop"],
    ] as const) {
      const hold = Promise.withResolvers<void>();
      const slow = { parts: [{ text: "Wh" }, { until: hold.promise }, { text: "ole." }] };
      const world = await startAdoptionWorld(t, [half, slow]);
      const doomed = await addDoomed(world);
      const other = await world.addInstance(survivor);
      const { ids, seen } = await hangingTurn(world, doomed, { onDisconnect });
      world.clock.advance(leaseMs);
      const leaving = new AbortController();
      const call = world.as({}, { signal: leaving.signal });
      const reader = new Reader(other.client.resumeExecution({ ...ids, afterSequence: seen.length }, call));
      await reader.until(hasText("Wh"));
      leaving.abort();
      await reader.ended;
      if (reason === "stop") hold.resolve();
      const rest = await resume(world, other, ids, seen.length);
      hold.resolve();
      assert.match(rest.at(-1)?.json ?? "", new RegExp(`"finishReason":"${reason}"`));
    }
  });

  test("a cursor that no event can have is refused, and the turn is not adopted for it", async (t) => {
    const world = await startAdoptionWorld(t, [half, whole]);
    const doomed = await addDoomed(world);
    const other = await world.addInstance(survivor);
    const { ids, seen } = await hangingTurn(world, doomed);
    world.clock.advance(leaseMs);
    const beyond = resume(world, other, ids, seen.length + 1_025);
    assert.equal((await refusal(beyond)).reason, Reason.INVALID_REQUEST);
    assert.equal(world.provider.requests.length, 1);
    const rest = await resume(world, other, ids, seen.length + 900);
    await assertWhole(world, other, ids.sessionId, [], seen, rest);
  });

  test("an instance that cannot run the turn says so and leaves it to the next one", async (t) => {
    const world = await startAdoptionWorld(t, [half, whole]);
    const doomed = await addDoomed(world);
    const poor = await world.addInstance(survivor, { models: createModels(readModelsConfig({})) });
    const other = await world.addInstance(survivor);
    const { ids, seen } = await hangingTurn(world, doomed);
    world.clock.advance(leaseMs);
    assert.equal((await refusal(resume(world, poor, ids))).reason, Reason.MODEL_NOT_RUNNABLE);
    const rest = await resume(world, other, ids, seen.length);
    await assertWhole(world, other, ids.sessionId, [], seen, rest);
  });

  test("its usage counts the model calls that were stored, and a usage event ends it if the trigger asked for one", async (t) => {
    const todo = { name: "platform_todo_write", arguments: { todos: [] } };
    const world = await startAdoptionWorld(t, [{ parts: [{ toolCall: todo }] }, half, whole]);
    const doomed = await addDoomed(world);
    const other = await world.addInstance(survivor);
    const { ids, seen } = await hangingTurn(world, doomed, { usage: true });
    world.clock.advance(leaseMs);
    const rest = await resume(world, other, ids, seen.length);
    const usage = JSON.parse(rest.at(-1)?.json ?? "{}");
    assert.deepEqual([usage.type, usage.tokens?.inputTokens], ["usage", 20]);
  });
});

describe("a new trigger on a session whose process died", () => {
  test("it closes the turn, and a reader of the old one gets a clean end", async (t) => {
    const world = await startAdoptionWorld(t, [half, whole]);
    const doomed = await addDoomed(world);
    const other = await world.addInstance(survivor);
    const { ids, seen } = await hangingTurn(world, doomed);
    world.clock.advance(leaseMs);
    const events = await readAll(other.client.trigger(say(ids.sessionId, "again"), world.as()));
    assert.equal(textOf(events), "Whole.");
    assert.equal((await refusal(resume(world, other, ids, seen.length))).reason, Reason.EVENTS_GONE);
  });
});

describe("a new trigger that is refused", () => {
  for (const { title, earlySaveMs } of [
    { title: "before anything of it was stored", earlySaveMs: 3_600_000 },
    { title: "after it was stored early", earlySaveMs: 10 },
  ]) {
    test(`it leaves a turn whose process died ${title} to the turn's readers`, async (t) => {
      const world = await startAdoptionWorld(t, [half, whole]);
      const doomed = await addDoomed(world, { earlySaveMs });
      const other = await world.addInstance(survivor);
      const { ids, seen } = await hangingTurn(world, doomed);
      if (earlySaveMs < 1_000) {
        await until(async () => (await world.document(ids.sessionId)).execution?.state === "running");
      }
      world.clock.advance(leaseMs);
      const unknown = { ...say(ids.sessionId, "again"), triggerName: "no-such-trigger" };
      const results = { ...say(ids.sessionId, ""), toolResults: [result("no-such-call", "shipped")] };
      for (const request of [unknown, results]) {
        assert.ok((await refusal(readAll(other.client.trigger(request, world.as())))).reason);
      }
      const rest = await resume(world, other, ids, seen.length);
      await assertWhole(world, other, ids.sessionId, [], seen, rest);
      await assertWhole(world, other, ids.sessionId, [], await resume(world, other, ids));
    });
  }
});

describe("a process that dies after the end of a turn", () => {
  test("the turn's last events are there, although they were never stored on their own", async (t) => {
    const world = await startAdoptionWorld(t, [whole]);
    const doomed = await world.addInstance({ timings: { flushEventsEveryMs: 3_600_000 } });
    const other = await world.addInstance(survivor);
    const { sessionId, reader } = await openTurn(world, doomed, { usage: true });
    await reader.ended;
    const ids = { sessionId, executionId: reader.executionId };
    assert.equal(await storedEvents(world).countDocuments(), 0);
    for (const after of [0, 4, reader.seen.length]) {
      assert.deepEqual(await resume(world, other, ids, after), reader.seen.slice(after));
    }
    world.clock.advance(15 * 60_000);
    assert.equal((await refusal(resume(world, other, ids))).reason, Reason.EVENTS_GONE);
  });

  test("a continued execution is never replayed from before its continuation", async (t) => {
    const call = { id: "c1", name: "get-order", arguments: { number: "7" } };
    const world = await startAdoptionWorld(t, [{ parts: [{ toolCall: call }] }, whole]);
    const first = await world.addInstance({ timings: { flushEventsEveryMs: 3_600_000 } });
    const other = await world.addInstance(survivor);
    const { sessionId, reader } = await openTurn(world, first);
    await reader.ended;
    const ids = { sessionId, executionId: reader.executionId };
    const request = { ...say(sessionId, ""), ...continuing, toolResults: [result("c1", "shipped")] };
    const continued = new Reader(first.client.trigger(request, world.as()));
    await continued.ended;
    // The second response has displaced the events of the first one.
    const [displaced, ...more] = await storedEvents(world).find().toArray();
    assert.deepEqual([displaced?.isLast, displaced?.first, more], [true, 1, []]);
    assert.deepEqual(await resume(world, other, ids), continued.seen);
  });

  test("the turn's events can be read however the next turn ends, also if its process dies", async (t) => {
    const world = await startAdoptionWorld(t, [whole, half, whole, whole]);
    const doomed = await addDoomed(world, { flushEventsEveryMs: 3_600_000 });
    const other = await world.addInstance(survivor);
    const { sessionId, reader } = await openTurn(world, doomed);
    await reader.ended;
    const ids = { sessionId, executionId: reader.executionId };
    const dying = new Reader(doomed.client.trigger({ ...say(sessionId, "and?"), ...continuing }, world.as()));
    await dying.until(hasText("Half"));
    await storedEvents(world).deleteMany({
      _id: { $gte: `${ids.executionId}:`, $lt: `${ids.executionId};` },
    });
    assert.deepEqual(await resume(world, other, ids), reader.seen);
    world.clock.advance(leaseMs);
    const rest = await resume(world, other, { sessionId, executionId: dying.executionId });
    assert.match(rest.at(-1)?.json ?? "", /finish/);
    assert.deepEqual(await resume(world, other, ids), reader.seen);
    await readAll(other.client.trigger(say(sessionId, "and now?"), world.as()));
    assert.deepEqual(await resume(world, other, ids), reader.seen);
  });
});

function storedEvents(world: World) {
  return world.sessions.db.collection<{ _id: string; first: number; events: string; isLast: boolean }>(
    "execution_events",
  );
}
