import assert from "node:assert/strict";
import { ensureIndexes } from "@muster/store";
import { openTestStore } from "@muster/store/testing";
import type { TestScope } from "@muster/testing";
import { describe, test } from "vitest";
import { aMessage, aThread } from "../../test/support/documents.ts";
import { keyOfThread, type ThreadDocument } from "./thread-document.ts";
import {
  accept,
  append,
  assign,
  beginTurn,
  cancel,
  complete,
  fail,
  maxInbox,
  offer,
  reopen,
  takeOver,
  withdrawOffer,
} from "./thread-moves.ts";
import { createThreadStore, threadIndexes } from "./thread-store.ts";

const now = new Date("2026-11-22T12:00:00Z");
const driver = { runId: "run_1", epoch: 1 };
const request = { id: "run_1:1:0", calls: [] };

async function storeWith(t: TestScope, changed: Partial<ThreadDocument> = {}) {
  const { db } = await openTestStore(t);
  await ensureIndexes(db, [threadIndexes]);
  const store = createThreadStore(db);
  const thread = aThread(changed);
  await store.insert(thread);
  return { store, thread, key: keyOfThread(thread), db };
}

describe("changes of a thread", () => {
  test("a thread goes from acceptance to its end, and each move happens once", async (t) => {
    const { store, key } = await storeWith(t);
    const moves = [
      accept("pending"),
      assign("pending", driver),
      beginTurn({ status: "pending" }, aMessage(), driver, { request, startedAt: now }),
      complete(driver, now),
    ];
    const statuses: unknown[] = [];
    for (const move of moves) {
      statuses.push((await store.move(key, move))?.status);
      assert.equal(await store.move(key, move), null);
    }
    assert.deepEqual(statuses, ["pending", "pending", "running", "completed"]);
    const { rev, turn, inbox, message, openSince } = (await store.find(key)) ?? {};
    assert.deepEqual([rev, turn, inbox, message?.id, openSince], [4, 1, [], "msg_1", undefined]);
  });

  test("a run does not end while a message waits, and the same run takes it", async (t) => {
    const running = {
      status: "running",
      accepted: true,
      inbox: [],
      turn: 1,
      ...driver,
    } satisfies Partial<ThreadDocument>;
    const { store, key } = await storeWith(t, running);
    const second = aMessage("msg_2");
    assert.ok(await store.move(key, append(second)));
    assert.equal(await store.move(key, complete(driver, now)), null);
    assert.equal(await store.move(key, fail(driver, { type: "provider", reason: "No." }, now)), null);
    assert.equal(
      (await store.move(key, beginTurn({ status: "running" }, second, driver, { request })))?.turn,
      2,
    );
    assert.ok(await store.move(key, complete(driver, now)));
  });

  test("a driver that another process has replaced cannot write", async (t) => {
    const { store, key } = await storeWith(t, { status: "running", accepted: true, inbox: [], ...driver });
    const next = { ...driver, epoch: 2 };
    assert.ok(await store.move(key, takeOver(next)));
    assert.equal(await store.move(key, complete(driver, now)), null);
    assert.ok(await store.move(key, complete(next, now)));
  });

  test("a follow-up reopens a finished thread once, or leaves no trace if it is refused", async (t) => {
    const ended = {
      status: "failed",
      accepted: true,
      inbox: [],
      failureType: "provider",
      completedAt: now,
    } satisfies Partial<ThreadDocument>;
    const { store, key } = await storeWith(t, ended);
    const made = { message: aMessage("msg_2"), entry: "k:h" };
    assert.equal((await store.move(key, offer(made, now)))?.status, "failed");
    assert.equal(await store.move(key, offer({ message: aMessage("msg_3") }, now)), null);
    const withdrawn = await store.move(key, withdrawOffer(made));
    assert.deepEqual(
      [withdrawn?.offer, withdrawn?.openSince, withdrawn?.followUpKeys],
      [null, undefined, []],
    );
    assert.equal(await store.move(key, reopen(made, "running")), null);
    await store.move(key, offer(made, now));
    const reopened = await store.move(key, reopen(made, "running"));
    assert.deepEqual(
      [reopened?.status, reopened?.completedAt, reopened?.failureType, reopened?.followUpKeys],
      ["running", null, null, ["k:h"]],
    );
  });

  test("a cancelled thread that never ran keeps its first message and runs none", async (t) => {
    const { store, thread, key } = await storeWith(t, { accepted: true });
    assert.equal(await store.move(key, cancel(thread, now, "cancel")), null);
    const cancelled = await store.move(key, cancel(thread, now, "withdraw"));
    assert.deepEqual(
      [cancelled?.status, cancelled?.message?.id, cancelled?.inbox],
      ["cancelled", "msg_1", []],
    );
  });

  test("a thread keeps at most the allowed number of waiting messages", async (t) => {
    const inbox = Array.from({ length: maxInbox }, (_, index) => aMessage(`msg_${index}`));
    const { store, key } = await storeWith(t, { status: "running", accepted: true, inbox });
    assert.equal(await store.move(key, append(aMessage("msg_more"))), null);
  });
});

describe("threads in the store", () => {
  test("of threads with the same idempotency key one is stored, and the others learn which", async (t) => {
    const idem = { key: "build-77", hash: "h" };
    const { store } = await storeWith(t, { _id: "thr_0" });
    const ids = Array.from({ length: 20 }, (_, index) => `thr_${index + 1}`);
    const found = await Promise.all(ids.map((_id) => store.insert(aThread({ _id, idem }))));
    const stored = ids.filter((_, index) => found[index] === null);
    assert.equal(stored.length, 1);
    assert.deepEqual([...new Set(found.flatMap((thread) => thread?._id ?? []))], stored);
    assert.equal(await store.insert(aThread({ _id: "thr_x", agentId: "agt_other", idem })), null);
  });

  test("lists and open threads are read by an index, however many threads have ended", async (t) => {
    const { store, db, thread } = await storeWith(t);
    for (let index = 0; index < 200; index++) {
      const { openSince: _, ...rest } = aThread({
        _id: `thr_a${index}`,
        accepted: true,
        status: "completed",
      });
      await store.insert(rest);
    }
    const collection = db.collection("threads");
    const { projectId, agentId } = thread;
    const list = collection
      .find({ projectId, agentId, accepted: true })
      .sort({ projectId: 1, agentId: 1, _id: -1 });
    const open = collection.find({ openSince: { $lt: now } }).sort({ openSince: 1 });
    assert.equal((await list.limit(10).explain()).executionStats.totalDocsExamined, 10);
    assert.equal((await open.explain()).executionStats.totalDocsExamined, 1);
    assert.equal((await store.findOpen(now, 10)).length, 1);
    assert.equal((await store.list({ projectId, agentId }, 10)).length, 10);
  });
});
