import assert from "node:assert/strict";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import { describe, test } from "vitest";
import { anAgent } from "../../test/support/documents.ts";
import type { AgentDocument } from "./agent-document.ts";
import { keyOfAgent } from "./agent-document.ts";
import { agentIndexes, createAgentStore, maxQueue } from "./agent-store.ts";

const now = new Date("2026-11-22T12:00:00Z");
const later = new Date("2026-11-22T12:00:10Z");

async function storeWith(t: TestScope, changed: Partial<AgentDocument> = {}) {
  const { db } = await openTestStore(t);
  await ensureIndexes(db, [agentIndexes]);
  const store = createAgentStore(db);
  const agent = anAgent(changed);
  await store.insert(agent);
  return { store, key: keyOfAgent(agent), db };
}

describe("the queue of an agent", () => {
  test("a hundred threads that arrive at once wait in one order, each once, however often it is repeated", async (t) => {
    const { store, key } = await storeWith(t);
    const ids = Array.from({ length: 50 }, (_, index) => `thr_${index}`);
    await Promise.all([...ids, ...ids].map((id) => store.enqueue(key, id)));
    const { queue = [], work } = (await store.find(key)) ?? {};
    assert.deepEqual([...queue].sort(), [...ids].sort());
    assert.equal(work, true);
  });

  test("a paused, a deleted and a full agent refuse, and keep their queue", async (t) => {
    const full = Array.from({ length: maxQueue }, (_, index) => `thr_${index}`);
    const refusing: Array<Partial<AgentDocument>> = [
      { paused: true, queue: ["thr_a"] },
      { deletedAt: now, queue: ["thr_a"] },
      { queue: full },
    ];
    for (const [index, changed] of refusing.entries()) {
      const { store, key } = await storeWith(t, { ...changed, _id: `agt_${index}` });
      assert.equal(await store.enqueue(key, "thr_new"), null);
      assert.deepEqual((await store.findAny(key))?.queue, changed.queue);
    }
  });

  test("with ifIdle, exactly one of many is taken, and none while a run or a thread is there", async (t) => {
    const { store, key } = await storeWith(t);
    const tries = Array.from({ length: 20 }, (_, index) =>
      store.enqueue(key, `thr_${index}`, { ifIdle: {} }),
    );
    const taken = (await Promise.all(tries)).filter((agent) => agent !== null);
    assert.equal(taken.length, 1);
    const current = { threadId: "thr_x", runId: "run_x" };
    const busy = await storeWith(t, { _id: "agt_busy", current });
    assert.equal(await busy.store.enqueue(busy.key, "thr_y", { ifIdle: {} }), null);
    const stale = { ifIdle: { ended: { threadId: "thr_x", runId: "run_w" } } };
    assert.equal(await busy.store.enqueue(busy.key, "thr_y", stale), null);
    assert.ok(await busy.store.enqueue(busy.key, "thr_y", { ifIdle: { ended: current } }));
  });

  test("one of many claims the first thread; the slot is free again only for its own epoch", async (t) => {
    const { store, key } = await storeWith(t, { queue: ["thr_1", "thr_2"] });
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        store.claim(key, { threadId: "thr_1", runId: `run_${index}` }, { holder: `i${index}`, until: later }),
      ),
    );
    const [claimed, ...others] = claims.filter((agent) => agent !== null);
    assert.deepEqual([claimed?.epoch, claimed?.queue, others], [1, ["thr_2"], []]);
    const { runId = "", threadId = "" } = claimed?.current ?? {};
    assert.equal(await store.claim(key, { threadId: "thr_2", runId }, { holder: "x", until: later }), null);
    assert.equal(await store.free(key, 0, runId), null);
    assert.equal(await store.free(key, 1, "run_other"), null);
    assert.equal(threadId, "thr_1");
    assert.deepEqual((await store.free(key, 1, runId))?.current, null);
    assert.ok(await store.claim(key, { threadId: "thr_2", runId: "run_b" }, { holder: "x", until: later }));
  });

  test("a lease is taken over once, after it has run out, and its holder can no longer renew it", async (t) => {
    const current = { threadId: "thr_1", runId: "run_1" };
    const lease = { holder: "a", until: now };
    const { store, key } = await storeWith(t, { current, lease, epoch: 3 });
    const seen = { epoch: 3 };
    const before = new Date(now.getTime() - 1);
    assert.equal(await store.takeOver(key, seen, { holder: "b", until: later }, before), null);
    assert.equal(await store.renew(key, 3, { holder: "a", until: now }), true);
    const takers = ["b", "c"].map((holder) => store.takeOver(key, seen, { holder, until: later }, later));
    const taken = (await Promise.all(takers)).filter((agent) => agent !== null);
    assert.deepEqual(
      taken.map(({ epoch }) => epoch),
      [4],
    );
    assert.equal(await store.renew(key, 3, { holder: "a", until: later }), false);
  });

  test("the only instance takes the slot of an earlier process at once", async (t) => {
    const current = { threadId: "thr_1", runId: "run_1" };
    const { store, key } = await storeWith(t, { current, lease: { holder: "dead", until: later }, epoch: 1 });
    assert.equal(
      (await store.takeOver(key, { epoch: 1 }, { holder: "me", until: later }, now, "me"))?.epoch,
      2,
    );
    assert.equal(await store.takeOver(key, { epoch: 2 }, { holder: "me", until: later }, now, "me"), null);
  });

  test("agents with work are found by an index, until they rest", async (t) => {
    const { store, key, db } = await storeWith(t);
    for (let index = 0; index < 20; index++) await store.insert(anAgent({ _id: `agt_${index}` }));
    await store.enqueue(key, "thr_1");
    assert.deepEqual(
      (await store.withWork(10)).map(({ _id }) => _id),
      ["agt_lou"],
    );
    const plan = await db
      .collection<AgentDocument>("agents")
      .find({ work: true, _id: { $gt: "" } })
      .sort({ work: 1, _id: 1 })
      .explain();
    assert.equal(plan.executionStats.totalDocsExamined, 1);
    assert.equal(await store.dequeue(key, "thr_1", 0), null);
    const before = await store.dequeue(key, "thr_1", 1);
    assert.ok(before);
    await store.rest({ ...before, rev: before.rev - 1 });
    assert.equal((await store.withWork(10)).length, 1);
    await store.rest(before);
    assert.deepEqual(await store.withWork(10), []);
  });
});
