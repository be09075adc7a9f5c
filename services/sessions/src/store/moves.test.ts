import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import { describe, test } from "vitest";
import { type Held, phaseOf, type SessionPhase } from "./moves.ts";
import type { SessionDocument } from "./session-document.ts";
import { createSessionStore, type SessionStore } from "./session-store.ts";

interface Move {
  /** A bystander's move changes only fields that no execution writes, and leaves the right to write unchanged. */
  by: "holder" | "bystander" | "anyone";
  from: readonly SessionPhase[];
}

// A holder whose lease expired, or whose session timed out meanwhile, may write until another party has moved the
// session: the epoch decides, not the time.
const whileHeld: Move = { by: "holder", from: ["locked", "abandoned", "expired"] };

/** Every change to a session, by whom, and where it may start. */
const moves = {
  lock: { by: "anyone", from: ["idle", "paused", "asking", "abandoned"] },
  adopt: { by: "anyone", from: ["abandoned"] },
  abandon: whileHeld,
  handOver: whileHeld,
  renew: whileHeld,
  save: whileHeld,
  settle: whileHeld,
  release: whileHeld,
  undoLock: whileHeld,
  requestCancel: whileHeld,
  describe: { by: "bystander", from: ["idle", "paused", "asking", "locked", "abandoned"] },
  clear: { by: "anyone", from: ["idle", "paused", "asking", "locked", "abandoned", "expired"] },
  restore: { by: "anyone", from: ["expired"] },
  strip: { by: "anyone", from: ["expired"] },
} as const satisfies Record<string, Move>;

const nowMs = Date.UTC(2026, 5, 1);
const now = new Date(nowMs);
const held: Held = { projectId: "prj_1", sessionId: "ses_1", epoch: 4, runId: "run_1" };
const later = new Date(nowMs + 60_000);
const conversation = { head: [], tail: "[]", memory: "{}" };
const state = { ...conversation, execution: null };

const idle: SessionDocument = {
  _id: held.sessionId,
  projectId: held.projectId,
  agentId: "agt_1",
  agentVersion: 1,
  status: "active",
  input: "{}",
  ...conversation,
  createdAt: now,
  updatedAt: now,
  expiresAt: new Date(nowMs + 1),
  epoch: held.epoch,
  lease: null,
  execution: null,
};
const lease = (untilMs: number) => ({
  runId: held.runId,
  holder: "run_0",
  until: new Date(untilMs),
  cancelRequested: false,
});

/** Several documents can be in the same phase; each must allow the same moves. */
const documents: Record<SessionPhase, SessionDocument[]> = {
  idle: [idle, { ...idle, expiresAt: null }],
  paused: [{ ...idle, execution: { id: "exe_1", state: "paused", frame: "{}" } }],
  asking: [{ ...idle, execution: { id: "exe_1", state: "asking", frame: "{}" } }],
  locked: [{ ...idle, lease: lease(nowMs + 1) }],
  abandoned: [
    { ...idle, lease: lease(nowMs) },
    { ...idle, lease: lease(nowMs - 1), execution: { id: "exe_1", state: "running", frame: "{}" } },
  ],
  expired: [
    { ...idle, expiresAt: now },
    { ...idle, status: "expired", expiresAt: null, input: null, tail: null, memory: null },
  ],
};

const renews = async (store: SessionStore, which: Held, until = now): Promise<boolean> =>
  (await store.renew([{ held: which, until, expiresAt: null }])).has(which.runId);

const perform: Record<keyof typeof moves, (store: SessionStore) => Promise<boolean>> = {
  lock: async (store) =>
    (await store.lock(held, { runId: "run_2", holder: "run_0", until: now }, null, now)).locked,
  adopt: async (store) => {
    const lease = { runId: "run_2", holder: "run_0", until: now, executionId: "exe_1", run: 3 };
    return (await store.adopt(held, lease, null, now)) !== undefined;
  },
  abandon: (store) => store.abandon(held, {}),
  handOver: (store) => store.handOver(held, state, now, { last: 7, hasProgress: true }),
  renew: (store) => renews(store, held),
  save: (store) => store.save(held, state, now),
  settle: (store) => store.settle(held, state, null, now),
  release: (store) => store.release(held, null),
  undoLock: (store) => store.undoLock(held, idle),
  describe: (store) => store.describe(held, undefined, ['["plan","free"]'], now),
  requestCancel: (store) => store.requestCancel(held),
  clear: async (store) => (await store.clear(held, now, later)) !== null,
  restore: (store) => store.restore(held, held.epoch, { input: "{}", ...conversation, expiresAt: null }, now),
  strip: (store) => store.strip(held, now, later),
};

describe("the moves of a session", async () => {
  for (const phase of Object.keys(documents) as SessionPhase[]) {
    for (const name of Object.keys(perform) as Array<keyof typeof moves>) {
      test(`the move ${name} of a session that is ${phase} succeeds only if the table allows it`, async (t) => {
        const { db } = await openTestStore(t);
        const store = createSessionStore(db);
        const sessions = db.collection<SessionDocument>("sessions");
        for (const document of documents[phase]) {
          assert.equal(phaseOf(document, nowMs), phase);
          await sessions.replaceOne({ _id: held.sessionId }, document, { upsert: true });
          const moved = await perform[name](store);
          const after = await sessions.findOne({ _id: held.sessionId });
          assert.ok(after);
          const mayMove = moves[name].from.some((from) => from === phase);
          const isHolders = moves[name].by === "holder" && document.lease === null;
          const isStripped = (name === "clear" || name === "strip") && document.status === "expired";
          assert.equal(moved, mayMove && !isHolders && !isStripped);
          if (!moved) assert.deepEqual(after, document);
          else assert.equal(after.epoch - document.epoch, moves[name].by === "anyone" ? 1 : 0);
        }
      });
    }
  }

  test("a move with another project, agent, run or an older epoch changes nothing", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db);
    const locked = { ...idle, lease: lease(nowMs + 1) };
    await store.insert(locked);
    for (const wrong of [{ projectId: "prj_2" }, { epoch: 3 }, { epoch: 5 }, { runId: "run_9" }]) {
      const other = { ...held, ...wrong };
      assert.equal(await store.save(other, state, now), false);
      assert.equal(await store.settle(other, state, null, now), false);
      assert.equal(await renews(store, other), false);
      assert.equal(await store.requestCancel(other), false);
    }
    assert.equal(await store.clear({ ...held, agentId: "agt_2" }, now, later), null);
    assert.equal(await store.clear({ ...held, projectId: "prj_2" }, now, later), null);
    assert.deepEqual(await store.find(held), locked);
  });

  test("leases that are renewed together are renewed each on its own condition, also those of several projects", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db);
    const documents = ["ses_1", "ses_2", "ses_3", "ses_4"].map((_id, index) => ({
      ...idle,
      _id,
      projectId: index < 2 ? "prj_1" : "prj_2",
      lease: { ...lease(nowMs + 1), runId: `run_${index}`, cancelRequested: index === 2 },
    }));
    for (const document of documents) await store.insert(document);
    const [first, second, third, fourth] = documents.map(({ _id, projectId, epoch, lease }) => ({
      ...{ sessionId: _id, projectId, epoch, runId: lease.runId },
    }));
    assert.ok(first && second && third && fourth);
    const wrong = [
      { ...second, epoch: 3 },
      { ...fourth, projectId: "prj_1" },
    ];
    const expiresAt = new Date(nowMs + 99);
    const kept = await store.renew(
      [first, ...wrong, third].map((held) => ({ held, until: later, expiresAt })),
    );
    assert.deepEqual([...kept].map(([runId, { cancelRequested }]) => [runId, cancelRequested]).toSorted(), [
      ["run_0", false],
      ["run_2", true],
    ]);
    for (const { _id, lease, ...before } of documents) {
      const isKept = kept.has(lease.runId);
      assert.deepEqual(await store.find({ ...held, sessionId: _id, projectId: before.projectId }), {
        ...{ _id, ...before, lease },
        ...(isKept && { expiresAt, lease: { ...lease, until: later } }),
      });
    }
  });

  test("a turn that was handed over is no longer held by a late renewal, and its adopter does not count it as a death", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db);
    await store.insert({ ...idle, lease: { ...lease(nowMs + 1), adoptions: 2 } });
    assert.equal(await store.handOver(held, state, now, { last: 7, hasProgress: false }), true);
    assert.equal(await renews(store, held, later), false);
    const taken = { runId: "run_2", holder: "run_0", until: later, executionId: "exe_1", run: 3 };
    const adopted = await store.adopt({ ...held, isHandedOver: true }, taken, null, now);
    assert.equal(adopted?.before.lease?.handedOver, 7);
    const found = (await store.find(held))?.lease;
    assert.deepEqual([found?.adoptions, found?.handedOver], [2, undefined]);
  });

  test("a session that was restored, used and cleared again is not restored by a request that found it before", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db);
    const [expired] = documents.expired;
    assert.ok(expired);
    await store.insert({ ...expired, epoch: held.epoch + 3 });
    assert.equal(await perform.restore(store), false);
    assert.equal((await store.find(held))?.firstRun, undefined);
  });

  test("if no other holder can exist, only the process's own lease locks a session", async (t) => {
    const { db } = await openTestStore(t);
    const store = createSessionStore(db, { onlyHolder: "run_self" });
    const sessions = db.collection<SessionDocument>("sessions");
    for (const [holder, phase] of [
      ["run_dead", "abandoned"],
      ["run_self", "locked"],
    ] as const) {
      const document = { ...idle, lease: { ...lease(nowMs + 1), holder } };
      await sessions.replaceOne({ _id: held.sessionId }, document, { upsert: true });
      assert.equal(phaseOf(document, nowMs, "run_self"), phase);
      assert.equal(await perform.lock(store), phase === "abandoned");
      // The old holder may be alive after all: its epoch must be stale.
      if (phase === "abandoned") assert.equal(await store.settle(held, state, null, now), false);
    }
  });
});
