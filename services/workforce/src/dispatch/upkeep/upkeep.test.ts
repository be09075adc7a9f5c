import assert from "node:assert/strict";
import { anAuditEntry } from "@muster/events/testing";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { aMessage, aThread } from "../../../test/support/documents.ts";
import { startWithAgent } from "../../../test/support/harness.ts";
import { claimNext } from "../../../test/support/run.ts";
import { defaultTimings } from "../../config.ts";
import { offer } from "../../store/thread-moves.ts";

describe("requests that were begun and whose process died", () => {
  test("is completed in time: the wait and a poll together take less than 15 s", () => {
    assert.ok(defaultTimings.completeAfterMs + 2 * defaultTimings.pollEveryMs < 15_000);
  });

  test("a thread that was inserted is put into the queue, or removed if the agent refuses it", async (t) => {
    const { world, key, document, read } = await startWithAgent(t);
    await world.threads.insert(aThread({ ...key, _id: "thr_a", openSince: new Date(world.clock.now()) }));
    world.clock.advance(defaultTimings.completeAfterMs + 1);
    await until("the thread is accepted", async () => (await document()).queue.includes("thr_a"));
    await until(
      "the thread knows",
      async () => (await world.threads.find({ ...key, threadId: "thr_a" }))?.status === "pending",
    );
    assert.equal((await read("thr_a"))?.status, "pending");
    await world.agents.update(key, { paused: true }, anAuditEntry());
    await world.threads.insert(aThread({ ...key, _id: "thr_b" }));
    await until(
      "the thread is gone",
      async () => (await world.threads.find({ ...key, threadId: "thr_b" })) === null,
    );
  });

  test("a thread that wanted an idle agent does not wait behind another", async (t) => {
    const { world, key, start, document } = await startWithAgent(t);
    const { threadId } = await start("one");
    await world.threads.insert(aThread({ ...key, _id: "thr_a", ifIdle: true }));
    await until(
      "the thread is gone",
      async () => (await world.threads.find({ ...key, threadId: "thr_a" })) === null,
    );
    assert.deepEqual((await document()).queue, [threadId]);
  });

  test("a thread that the queue has taken learns of it", async (t) => {
    const { world, key } = await startWithAgent(t);
    await world.threads.insert(aThread({ ...key, _id: "thr_a", openSince: new Date(world.clock.now()) }));
    await world.agents.enqueue(key, "thr_a");
    world.clock.advance(defaultTimings.completeAfterMs + 1);
    await until(
      "the thread is accepted",
      async () => (await world.threads.find({ ...key, threadId: "thr_a" }))?.accepted === true,
    );
    assert.deepEqual((await world.agents.find(key))?.queue, ["thr_a"]);
  });

  test("a message to a finished thread reopens it", async (t) => {
    const { world, agentId, key, start } = await startWithAgent(t);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    await run.complete();
    await run.free();
    const threadKey = { ...key, threadId };
    await world.threads.move(
      threadKey,
      offer({ message: aMessage("msg_2", "two") }, new Date(world.clock.now())),
    );
    world.clock.advance(defaultTimings.completeAfterMs + 1);
    await until(
      "the thread is running",
      async () => (await world.threads.find(threadKey))?.status === "running",
    );
    const thread = await world.threads.find(threadKey);
    assert.deepEqual(
      [thread?.inbox.map(({ text }) => text), thread?.offer, thread?.openSince],
      [["two"], null, undefined],
    );
  });
});
