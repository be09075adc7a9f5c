import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { describe, type TestContext, test } from "vitest";
import type { SessionDocument, SessionState } from "./session-document.ts";
import { createSessionStore } from "./session-store.ts";

const now = new Date(Date.UTC(2026, 5, 1));
const later = new Date(now.getTime() + 60_000);
const count = 12;

function sessionAt(index: number): SessionDocument {
  return {
    ...{ _id: `ses_${index}`, projectId: "prj_1", agentId: "agt_1", agentVersion: 1 },
    ...{ status: "active", input: "{}", head: [], tail: "[]", memory: "{}", title: null, messageCount: 0 },
    ...{ createdAt: now, updatedAt: now, expiresAt: null, epoch: index, lease: null, execution: null },
  };
}

const leaseAt = (index: number) => ({ runId: `run_${index}`, holder: "me", until: now });

/** The last write of the turn that has this number. */
const endAt = (index: number): SessionState => ({
  ...{ tail: `["${index}"]`, memory: "{}", execution: null },
  pendingEvents: {
    ...{ executionId: `exe_${index}`, run: index + 1, first: 1, count: 1, events: "finish {}\n" },
    ...{ isLast: true, keptUntil: now },
  },
});

const all = Array.from({ length: count }, (_, index) => index);

async function startHeld(t: TestContext) {
  const { db } = await openTestStore(t);
  const store = createSessionStore(db);
  const held = await Promise.all(all.map((index) => store.insertHeld(sessionAt(index), leaseAt(index))));
  return { store, sessions: db.collection<SessionDocument>("sessions"), held };
}

describe("turns whose writes meet", () => {
  test("all begin and end, each in its own session", async (t) => {
    const { store, sessions, held } = await startHeld(t);
    assert.deepEqual(
      held.map((each) => [each?.sessionId, each?.epoch, each?.runId]),
      all.map((index) => [`ses_${index}`, index + 1, `run_${index}`]),
    );
    const ends = held.map((each, index) => each && store.settle(each, endAt(index), null, now));
    assert.deepEqual(await Promise.all(ends), Array(count).fill(true));
    for (const { _id, tail, lease } of await sessions.find().toArray())
      assert.deepEqual([tail, lease], [`["${_id.slice(4)}"]`, null]);
  });

  test("a turn that has lost its session loses it alone: the others are stored, and know it", async (t) => {
    const { store, sessions, held } = await startHeld(t);
    await sessions.updateOne({ _id: "ses_5" }, { $inc: { epoch: 1 } });
    const ends = held.map((each, index) => each && store.settle(each, endAt(index), null, now));
    assert.deepEqual(
      await Promise.all(ends),
      all.map((index) => index !== 5),
    );
    assert.equal((await sessions.findOne({ _id: "ses_5" }))?.tail, "[]");
  });

  test("all lock their own sessions and read them; those that are in use or in other hands stay unlocked", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db);
    for (const index of all) await store.insert({ ...sessionAt(index), tail: `["${index}"]` });
    const sessions = db.collection<SessionDocument>("sessions");
    const inUse = {
      runId: "run_0",
      holder: "other",
      until: new Date(now.getTime() + 1),
      cancelRequested: false,
    };
    await sessions.updateOne({ _id: "ses_4" }, { $set: { lease: inUse } });
    await sessions.updateOne({ _id: "ses_6" }, { $set: { lease: { ...inUse, until: now } } });
    const locks = [...all, 9].map((index, nth) => {
      const key = { projectId: index === 8 ? "prj_2" : "prj_1", sessionId: `ses_${index}` };
      return store.lock(key, { ...leaseAt(100 + nth), until: later }, null, now);
    });
    const outcomes = await Promise.all(locks);
    const taken = outcomes.map(
      (each) => each.locked && [each.before.tail, each.held.epoch, each.before.epoch],
    );
    const ownOf = (index: number) => ![4, 8].includes(index) && [`["${index}"]`, index + 1, index];
    assert.deepEqual(taken.slice(0, 9), all.slice(0, 9).map(ownOf));
    assert.deepEqual(taken.slice(10, -1), all.slice(10).map(ownOf));
    assert.deepEqual([taken[9], taken.at(-1)].filter(Boolean), [ownOf(9)], "one of two has a session");
    for (const [index, outcome] of outcomes.entries()) {
      if (!outcome.locked) continue;
      const { lease } = (await sessions.findOne({ _id: outcome.held.sessionId })) ?? {};
      assert.equal(lease?.runId, `run_${100 + index}`);
    }
  });

  test("a session in which another process completes a turn between the read and the shared lock is read again", async (t) => {
    const { db } = await openTestStore(t);
    const other = createSessionStore(db);
    for (const index of all.slice(0, 4)) await other.insert(sessionAt(index));
    let isFirst = true;
    const completeTurn = async () => {
      if (!isFirst) return;
      isFirst = false;
      const key = { projectId: "prj_1", sessionId: "ses_2" };
      const outcome = await other.lock(key, { ...leaseAt(50), until: later }, null, now);
      assert.ok(outcome.locked && (await other.settle(outcome.held, endAt(2), null, now)));
    };
    const sessions = (name: string) =>
      new Proxy(db.collection(name), {
        get: (real, property) => {
          const value: unknown = Reflect.get(real, property, real);
          if (typeof value !== "function") return value;
          if (property !== "bulkWrite") return value.bind(real);
          return (...args: unknown[]) => completeTurn().then(() => Reflect.apply(value, real, args));
        },
      });
    const store = createSessionStore(
      new Proxy(db, { get: (_, name) => (name === "collection" ? sessions : Reflect.get(db, name)) }),
    );
    const locks = [0, 1, 2, 3].map((index) =>
      store.lock(
        { projectId: "prj_1", sessionId: `ses_${index}` },
        { ...leaseAt(index), until: later },
        null,
        now,
      ),
    );
    const outcomes = await Promise.all(locks);
    assert.equal(isFirst, false);
    assert.deepEqual(
      outcomes.map((each) => each.locked && [each.before.tail, each.held.epoch]),
      [
        ["[]", 1],
        ["[]", 2],
        ['["2"]', 4],
        ["[]", 4],
      ],
    );
  });

  test("a session that exists is not begun again, and the others are", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db);
    await store.insert(sessionAt(7));
    const held = await Promise.all(all.map((index) => store.insertHeld(sessionAt(index), leaseAt(index))));
    assert.deepEqual(
      held.map((each) => each !== null),
      all.map((index) => index !== 7),
    );
  });
});
