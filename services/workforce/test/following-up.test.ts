import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { describe, test } from "vitest";
import { maxInbox } from "../src/store/thread-moves.ts";
import { refusal, startWithAgent } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

/** The texts of the messages that a thread shows. */
const textsOf = (thread: { messagesJson: string } | undefined): string[] =>
  JSON.parse(thread?.messagesJson ?? "[]").map(
    (message: { parts: [{ text: string }] }) => message.parts[0].text,
  );

describe("a follow-up", () => {
  test("to a running thread waits for its turn, and is taken by the same run before other threads", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    const { threadId } = await start("one");
    await start("other");
    const run = await claimNext(world, agentId);
    await run.begin();
    const followed = await client.followUp({ agentId, threadId, message: "two" }, own);
    assert.deepEqual([followed.status, followed.replayed], ["running", false]);
    assert.deepEqual(textsOf(await read(threadId)), ["one", "two"]);
    await assert.rejects(run.complete(), /refused/);
    assert.equal((await run.begin()).turn, 2);
    await run.complete();
    assert.equal((await read(threadId))?.status, "completed");
  });

  test("to a finished thread of an idle agent runs at once; behind other work it waits", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    await run.fail({ type: "provider", reason: "It is overloaded." });
    await run.free();
    assert.ok((await read(threadId))?.completedAt);
    const { status } = await client.followUp({ agentId, threadId, message: "two" }, own);
    assert.equal(status, "running");
    const thread = await read(threadId);
    assert.deepEqual(
      [thread?.status, thread?.completedAt, thread?.failureType],
      ["running", undefined, undefined],
    );
    const again = await claimNext(world, agentId, "run_2");
    await again.begin();
    await again.complete();
    await again.free();
    await start("other");
    assert.equal((await client.followUp({ agentId, threadId, message: "three" }, own)).status, "queued");
    const { queued } = await client.getQueue({ agentId }, world.as());
    assert.deepEqual(
      queued.map((each) => each.threadId),
      [threadId],
    );
  });

  test("to a waiting thread runs after its first message", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    await start("busy");
    const { threadId } = await start("one");
    assert.equal((await client.followUp({ agentId, threadId, message: "two" }, own)).status, "queued");
    assert.deepEqual(textsOf(await read(threadId)), ["one", "two"]);
    assert.equal((await world.agents.find({ projectId: "prj_test", agentId }))?.queue.length, 2);
  });

  test("repeated with its key is taken once, in every state of the thread", async (t) => {
    const { world, client, agentId, own, start, key } = await startWithAgent(t);
    const { threadId } = await start("one");
    const send = (message: string, idempotencyKey: string) =>
      client.followUp({ agentId, threadId, message, idempotencyKey }, own);
    assert.equal((await send("two", "a")).replayed, false);
    assert.deepEqual([(await send("two", "a")).replayed, (await send("two", "a")).status], [true, "pending"]);
    assert.equal((await refusal(send("three", "a"))).reason, Reason.IDEMPOTENCY_KEY_REUSED);
    const run = await claimNext(world, agentId);
    await run.begin();
    await run.begin();
    await run.complete();
    await run.free();
    assert.deepEqual(
      [(await send("two", "a")).replayed, (await send("two", "a")).status],
      [true, "completed"],
    );
    const many = await Promise.allSettled(Array.from({ length: 20 }, () => send("four", "b")));
    const fresh = many.filter((each) => each.status === "fulfilled" && !each.value.replayed);
    assert.equal(fresh.length, 1);
    for (const each of many) {
      if (each.status === "rejected") {
        assert.equal((await refusal(Promise.reject(each.reason))).reason, Reason.IDEMPOTENCY_KEY_IN_PROGRESS);
      }
    }
    assert.equal((await world.threads.find({ ...key, threadId }))?.inbox.length, 1);
    // A key of another route, or thread, is another key.
    assert.equal((await start("five", { idempotencyKey: "b" })).replayed, false);
  });

  test("sent many times at once with its key to a thread with work, is taken once", async (t) => {
    const { world, client, agentId, own, start, key } = await startWithAgent(t);
    const { client: other } = await world.addInstance();
    const { threadId } = await start("one");
    const send = (index: number, message: string, idempotencyKey: string) =>
      (index % 2 === 0 ? client : other).followUp({ agentId, threadId, message, idempotencyKey }, own);
    const twenty = Array.from({ length: 20 }, (_, index) => index);
    const same = await Promise.all(twenty.map((index) => send(index, "two", "a")));
    assert.equal(same.filter(({ replayed }) => !replayed).length, 1);
    const different = await Promise.allSettled(twenty.map((index) => send(index, `three ${index}`, "b")));
    assert.equal(different.filter(({ status }) => status === "fulfilled").length, 1);
    for (const each of different) {
      if (each.status === "rejected")
        assert.equal((await refusal(Promise.reject(each.reason))).reason, Reason.IDEMPOTENCY_KEY_REUSED);
    }
    const keys = await Promise.all(twenty.map((index) => send(index, `four ${index}`, `key-${index}`)));
    assert.ok(keys.every(({ replayed }) => !replayed));
    assert.equal((await world.threads.find({ ...key, threadId }))?.inbox.length, 23);
  });

  test("of many at the same time, none is lost and each waits once", async (t) => {
    const { world, client, agentId, own, start, key } = await startWithAgent(t);
    const { client: other } = await world.addInstance();
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    await run.complete();
    await run.free();
    const messages = Array.from({ length: 40 }, (_, index) => `message ${index}`);
    await Promise.all(
      messages.map((message, index) =>
        [client, other][index % 2]?.followUp({ agentId, threadId, message }, own),
      ),
    );
    const thread = await world.threads.find({ ...key, threadId });
    assert.deepEqual(thread?.inbox.map(({ text }) => text).sort(), messages.sort());
    assert.deepEqual((await world.agents.find(key))?.queue, [threadId]);
  });

  test("is refused without a trace if the thread is full, closed or unknown, and if the message is bad", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    const { threadId } = await start("one");
    const send = (message: string, more: object = {}) =>
      client.followUp({ agentId, threadId, message, ...more }, own);
    for (const message of ["", "a\0", "x".repeat(100_001)]) {
      const refused = await refusal(send(message));
      assert.deepEqual([refused.reason, refused.issues[0]?.path], [Reason.INVALID_REQUEST, "message"]);
    }
    assert.equal(
      (await refusal(send("two", { idempotencyKey: "a b" }))).reason,
      Reason.INVALID_IDEMPOTENCY_KEY,
    );
    for (const wrong of ["thr_none", "", "x".repeat(300)]) {
      const refused = await refusal(client.followUp({ agentId, threadId: wrong, message: "two" }, own));
      assert.equal(refused.reason, Reason.NOT_FOUND);
    }
    const threads = world.collection("threads");
    const inbox = Array.from({ length: maxInbox }, (_, index) => ({
      id: `msg_${index}`,
      text: "x",
      files: [],
      at: new Date(),
    }));
    await threads.updateOne({ agentId }, { $set: { inbox } });
    const full = await refusal(send("two", { idempotencyKey: "k" }));
    assert.equal(full.reason, Reason.QUEUE_FULL);
    assert.ok((full.retryAfterMs ?? 0) > 0);
    await threads.updateOne({ agentId }, { $set: { inbox: [], closed: true, status: "failed" } });
    assert.equal((await refusal(send("two", { idempotencyKey: "k" }))).reason, Reason.THREAD_CLOSED);
    assert.equal((await read(threadId))?.status, "failed");
    await threads.updateOne({ agentId }, { $set: { closed: false } });
    assert.equal((await send("two", { idempotencyKey: "k" })).replayed, false);
  });

  test("whose thread's agent was paused meanwhile leaves the thread unchanged", async (t) => {
    const { world, client, agentId, own, start, key } = await startWithAgent(t);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    await run.complete();
    await run.free();
    const queue = Array.from({ length: 1_000 }, (_, index) => `thr_${index}`);
    await world.collection("agents").updateOne({ projectId: "prj_test" }, { $set: { queue } });
    const refused = await refusal(
      client.followUp({ agentId, threadId, message: "two", idempotencyKey: "k" }, own),
    );
    assert.equal(refused.reason, Reason.QUEUE_FULL);
    const thread = await world.threads.find({ ...key, threadId });
    assert.deepEqual(
      [thread?.status, thread?.offer, thread?.openSince, thread?.followUpKeys, thread?.inbox],
      ["completed", null, undefined, [], []],
    );
  });
});

describe("cancelling and withdrawing", () => {
  test("a message that was cancelled before it ran stays visible after the follow-up has run", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await client.cancelThread({ agentId, threadId }, own);
    await run.free();
    assert.deepEqual(textsOf(await read(threadId)), ["one"]);
    await client.followUp({ agentId, threadId, message: "two" }, own);
    const second = await claimNext(world, agentId, "run_2");
    await client.cancelThread({ agentId, threadId }, own);
    await second.free();
    await client.followUp({ agentId, threadId, message: "three" }, own);
    const third = await claimNext(world, agentId, "run_3");
    assert.deepEqual(textsOf(await read(threadId)), ["one", "two", "three"]);
    await third.begin();
    await third.complete();
    assert.deepEqual(textsOf(await read(threadId)), ["one", "two", "three"]);
  });

  test("cancel ends a running thread, drops what waits, and answers the same again", async (t) => {
    const { world, client, agentId, own, start, read } = await startWithAgent(t);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    await client.followUp({ agentId, threadId, message: "two" }, own);
    for (let times = 0; times < 2; times++) {
      assert.equal((await client.cancelThread({ agentId, threadId }, own)).status, "cancelled");
    }
    await assert.rejects(run.complete(), /refused/);
    const thread = await read(threadId);
    assert.deepEqual([thread?.status, thread?.failureType], ["cancelled", undefined]);
    assert.ok(thread?.completedAt);
  });

  test("cancel leaves waiting and finished threads unchanged; DELETE withdraws only waiting ones", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const first = await start("one");
    const second = await start("two");
    const third = await start("three");
    const cancel = async (threadId: string) => (await client.cancelThread({ agentId, threadId }, own)).status;
    const withdraw = async (threadId: string) =>
      (await client.withdrawThread({ agentId, threadId }, own)).status;
    assert.equal(await cancel(second.threadId), "queued");
    assert.equal(await withdraw(first.threadId), "pending");
    assert.equal(await withdraw(second.threadId), "cancelled");
    assert.equal(await withdraw(second.threadId), "cancelled");
    const { currentThreadId, queued } = await client.getQueue({ agentId }, world.as());
    assert.deepEqual(
      [currentThreadId, queued.map(({ threadId }) => threadId)],
      [first.threadId, [third.threadId]],
    );
    const run = await claimNext(world, agentId);
    await run.begin();
    await run.complete();
    assert.deepEqual(
      [await cancel(first.threadId), await withdraw(first.threadId)],
      ["completed", "completed"],
    );
    assert.equal(
      (await refusal(client.cancelThread({ agentId, threadId: "thr_none" }, own))).reason,
      Reason.NOT_FOUND,
    );
  });

  test("a thread that was cancelled before it ran leaves the queue, shows its message and can continue", async (t) => {
    const { world, client, agentId, own, start, read, document } = await startWithAgent(t);
    const { threadId } = await start("one");
    assert.equal((await client.cancelThread({ agentId, threadId }, own)).status, "cancelled");
    assert.deepEqual((await document()).queue, []);
    assert.equal((await client.getAgent({ agentId }, own)).agent?.status, "idle");
    assert.deepEqual(textsOf(await read(threadId)), ["one"]);
    assert.equal((await client.followUp({ agentId, threadId, message: "two" }, own)).status, "running");
    assert.equal((await (await claimNext(world, agentId)).begin()).message?.text, "two");
  });
});
