import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { systemClock } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { chat, requiresInput } from "./support/definitions.ts";
import { type Instance, refusal, startWorld, type World } from "./support/harness.ts";
import { startChild } from "./support/start-child.ts";
import { type Request, readStart, scripted, startSaying } from "./support/starting.ts";

const timings = { flushEventsEveryMs: 3_600_000, pollEventsEveryMs: 10 };

function starts(world: World) {
  return world.sessions.db.collection<{ _id: string; sessionId: string; executionId: string }>(
    "session_starts",
  );
}

/** The state that remains if the process dies after it has inserted the start and before it inserts the session. */
async function forgetSession(world: World): Promise<void> {
  await world.sessions.deleteMany({});
  assert.equal(await world.sessions.db.collection("execution_events").countDocuments(), 0);
}

describe("a start whose process died between its two writes", () => {
  test("the next request opens the same session with the same version, although the agent was archived", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings });
    const other = await world.addInstance({ timings });
    const request = startSaying("hi", {}, { idempotencyKey: "k" });
    const lost = await readStart(instance, world, request);
    await forgetSession(world);
    world.agents.set("agt_chat", [chat, { ...requiresInput, archived: true }]);
    const opened = await readStart(other, world, request);
    assert.deepEqual(opened.session, lost.session);
    assert.match(opened.json.at(-1) ?? "", /"finishReason":"stop"/);
    assert.equal((await world.document(opened.session?.sessionId ?? "")).agentVersion, 1);
    const again = await readStart(instance, world, request);
    assert.deepEqual([again.session?.replayed, again.json], [true, opened.json]);
  });

  test("of many requests that arrive at once, one opens it", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Lost." }] }, { parts: [{ text: "Once." }] }]);
    const instances = [await world.addInstance({ timings }), await world.addInstance({ timings })];
    const request = startSaying("hi", {}, { ...scripted, idempotencyKey: "k" });
    const [first, second] = instances;
    assert.ok(first && second);
    await readStart(first, world, request);
    await forgetSession(world);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => readStart(index % 2 === 0 ? first : second, world, request)),
    );
    for (const { json } of responses) assert.deepEqual(json, responses[0]?.json);
    assert.equal(responses.filter(({ session }) => !session?.replayed).length, 1);
    assert.equal(world.provider.requests.length, 2);
  });

  test("a request that can no longer run leaves the start unchanged, for a later one", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ timings });
    const request = startSaying("hi", {}, { idempotencyKey: "k" });
    const lost = await readStart(instance, world, request);
    await forgetSession(world);
    const stopping = await world.addInstance({ timings, maxStateBytes: 10 });
    await refusal(readStart(stopping, world, request));
    assert.equal(await world.sessions.countDocuments(), 0);
    assert.deepEqual((await readStart(instance, world, request)).session, lost.session);
  });
});

test("a process killed at any moment of a start leaves one session at most, and a repeat never opens another", async (t) => {
  const world = await startWorld(t);
  const other = await world.addInstance({ timings }, { clock: systemClock });
  const kills = fc.sample(fc.integer({ min: 0, max: 150 }), Number(process.env.LONG_RUN ?? 1));
  for (const [index, killAfterMs] of kills.entries()) {
    const holder = await startChild(world, 300);
    t.onTestFinished(holder.kill);
    // Callers are signed by the test's clock.
    world.clock.advance(Date.now() - world.clock.now());
    await readStart(holder, world, startSaying("hello", {}, { idempotencyKey: `first-${index}` }));
    const before = await world.sessions.countDocuments();
    const request = startSaying("a few words to echo", {}, { idempotencyKey: `key-${index}` });
    const lost = readStart(holder, world, request).catch(() => undefined);
    await setTimeout(killAfterMs);
    holder.kill();
    await lost;
    const ids = [await repeat(world, other, request), await repeat(world, other, request)];
    const where = `killed after ${killAfterMs} ms`;
    assert.equal(new Set(ids).size, 1, where);
    assert.equal(await world.sessions.countDocuments(), before + 1, where);
    assert.deepEqual(ids[0], await onlyStart(world, index), where);
  }
});

/** The session and execution that the store has for the key. */
async function onlyStart(world: World, index: number): Promise<string> {
  const [found, ...others] = await starts(world)
    .find({}, { sort: { createdAt: -1 } })
    .limit(1)
    .toArray();
  assert.ok(found !== undefined && others.length === 0);
  assert.equal(await starts(world).countDocuments(), (index + 1) * 2);
  return `${found.sessionId} ${found.executionId}`;
}

/** The session and execution that a repeat names. It leaves as soon as it knows. */
async function repeat(world: World, { client }: Instance, request: Request): Promise<string> {
  const leaving = new AbortController();
  try {
    for await (const { session } of client.startSession(request, world.as({}, { signal: leaving.signal }))) {
      if (session !== undefined) return `${session.sessionId} ${session.executionId}`;
    }
  } finally {
    leaving.abort();
  }
  throw new Error("The repeat named no session");
}
