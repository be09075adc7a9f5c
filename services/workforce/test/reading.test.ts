import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { aThread } from "./support/documents.ts";
import { refusal, startWithAgent } from "./support/harness.ts";
import { claimNext } from "./support/run.ts";

describe("reading a thread", () => {
  test("its session is read with the address that fresh URLs of files begin with", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const { threadId } = await start("one");
    await (await claimNext(world, agentId)).begin();
    const { tag } = await client.getThread({ agentId, threadId }, own);
    for (const request of [{}, { knownTag: `${tag}-old` }]) {
      const filesBaseUrl = `https://muster.example/${Object.keys(request).length}`;
      await client.getThread({ agentId, threadId, filesBaseUrl, ...request }, own);
      assert.equal(world.fake.filesBaseUrl, filesBaseUrl);
    }
  });

  test("its messages are those of its session and then those that are not part of it yet, each once", async (t) => {
    const { world, client, agentId, own, start, read, key } = await startWithAgent(t);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    const { sessionId, message } = await run.begin();
    await client.followUp({ agentId, threadId, message: "two" }, own);
    const ids = async () =>
      JSON.parse((await read(threadId))?.messagesJson ?? "").map(({ id }: { id: string }) => id);
    const waiting = (await world.threads.find({ ...key, threadId }))?.inbox[0]?.id;
    // The session has not stored its first message yet.
    assert.deepEqual(await ids(), [message?.id, waiting]);
    const session = [message?.id, "msg_s2"].map((id) => JSON.stringify({ id, parts: [] }));
    world.fake.conversations.set(sessionId, session);
    assert.deepEqual(await ids(), [message?.id, "msg_s2", waiting]);
    world.fake.conversations.set(sessionId, [...session, JSON.stringify({ id: waiting, parts: [] })]);
    assert.deepEqual(await ids(), [message?.id, "msg_s2", waiting]);
  });

  test("usage is that of its session, in exact decimals, and absent before anything was used", async (t) => {
    const { world, agentId, start, read } = await startWithAgent(t);
    const { threadId } = await start("one");
    const { sessionId } = await (await claimNext(world, agentId)).begin();
    world.fake.conversations.set(sessionId, []);
    world.fake.usage = { cost: {}, tokens: {}, models: {} };
    assert.equal((await read(threadId))?.usage, undefined);
    world.fake.usage = {
      cost: { currency: "USD", providerFee: 1e-7, bandwidthFee: 2e-8, totalFee: 1.2e-7, byok: true },
      tokens: { inputTokens: 10, outputTokens: 2, totalTokens: 12 },
      models: { "demo/echo": {} },
    };
    const { $typeName: _, ...usage } = (await read(threadId))?.usage ?? {};
    assert.deepEqual(usage, {
      ...{ currency: "USD", costUsd: "0.0000001", totalFeeUsd: "0.00000012", byok: true },
      ...{ inputTokens: 10n, outputTokens: 2n, totalTokens: 12n },
    });
  });

  test("a caller that has the thread already gets no copy, and one small document is read", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const { threadId } = await start("one");
    await (await claimNext(world, agentId)).begin();
    const { tag } = await client.getThread({ agentId, threadId }, own);
    world.fake.calls.length = 0;
    const again = await client.getThread({ agentId, threadId, knownTag: tag }, own);
    assert.deepEqual([again.thread, again.tag, world.fake.calls], [undefined, tag, []]);
    await client.cancelThread({ agentId, threadId }, own);
    const changed = await client.getThread({ agentId, threadId, knownTag: tag }, own);
    assert.equal(changed.thread?.status, "cancelled");
    assert.notEqual(changed.tag, tag);
    const other = await client.getThread({ agentId, threadId, knownTag: "nonsense" }, own);
    assert.ok(other.thread);
  });

  test("threads of others, and those whose request is not over, do not exist", async (t) => {
    const { world, client, agentId, own, start, key } = await startWithAgent(t);
    const { threadId } = await start("one");
    const definition = { case: "prebuilt" as const, value: "log-analyst" };
    const other = (await client.hireAgent({ name: "Kim", definition }, world.as())).agent?.agent?.id ?? "";
    const openSince = new Date(world.clock.now());
    await world.threads.insert(aThread({ _id: "thr_open", ...key, openSince }));
    const calls = [
      client.getThread({ agentId: other, threadId }, world.asAgent(other)),
      client.getThread({ agentId, threadId: "thr_open" }, own),
      client.getThread({ agentId, threadId: "thr_open", waitSeconds: 30 }, own),
      client.cancelThread({ agentId: other, threadId }, world.asAgent(other)),
      client.getThread({ agentId, threadId }, world.as({ agentId, projectId: "prj_other" })),
    ];
    for (const { reason } of await Promise.all(calls.map(refusal))) assert.equal(reason, Reason.NOT_FOUND);
    const tooLong = await refusal(client.getThread({ agentId, threadId, waitSeconds: 31 }, own));
    assert.deepEqual(
      tooLong.issues.map(({ path }) => path),
      ["wait"],
    );
  });
});

describe("waiting for a thread", () => {
  test("an event wakes all callers of every instance at once, and a final thread answers at once", async (t) => {
    const { world, client, agentId, own, start } = await startWithAgent(t);
    const slow = { timings: { readEveryMs: 600_000, pollEveryMs: 20 } };
    const { client: other } = await world.addInstance(slow);
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    const { tag } = await client.getThread({ agentId, threadId }, own);
    const wait = { agentId, threadId, waitSeconds: 30, knownTag: tag };
    const waiting = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? client : other).getThread(wait, own),
    );
    let answered = 0;
    for (const each of waiting)
      void each.then(() => {
        answered += 1;
      });
    await client.followUp({ agentId, threadId, message: "two" }, own);
    const seen = await Promise.all(waiting);
    assert.deepEqual([...new Set(seen.map(({ thread }) => thread?.status))], ["running"]);
    await client.cancelThread({ agentId, threadId }, own);
    const last = await other.getThread({ agentId, threadId, waitSeconds: 30 }, own);
    assert.equal(last.thread?.status, "cancelled");
    assert.equal(answered, 20);
  });

  test("however many callers hear of a change, the conversation is read once", async (t) => {
    const { world, agentId, own, start } = await startWithAgent(t);
    const { client } = await world.addInstance({ timings: { readEveryMs: 600_000 } });
    const { threadId } = await start("one");
    await (await claimNext(world, agentId)).begin();
    const { tag } = await client.getThread({ agentId, threadId }, own);
    const wait = { agentId, threadId, waitSeconds: 30, knownTag: tag };
    const waiting = Array.from({ length: 50 }, () => client.getThread(wait, own));
    // Read later, so all of them wait by now.
    assert.equal((await client.getThread({ agentId, threadId, knownTag: tag }, own)).thread, undefined);
    world.fake.calls.length = 0;
    await client.followUp({ agentId, threadId, message: "two" }, own);
    const seen = await Promise.all(waiting);
    assert.equal(new Set(seen.map(({ tag: now }) => now)).size, 1);
    assert.ok(seen.every(({ thread }) => thread?.messagesJson.includes("two")));
    const reads = world.fake.calls.filter((call) => call === "getSession").length;
    // A caller that a busy machine has delayed can arrive after the change.
    assert.ok(reads <= 10, `${reads} reads`);
  });

  test("without events, a poll of the store finds the change", async (t) => {
    const { world, agentId, own, start } = await startWithAgent(t);
    const { client } = await world.addInstance({ timings: { readEveryMs: 20 } });
    const { threadId } = await start("one");
    const run = await claimNext(world, agentId);
    const waiting = client.getThread({ agentId, threadId, waitSeconds: 30 }, own);
    await run.begin();
    await run.complete();
    const status = (await waiting).thread?.status;
    assert.ok(status === "running" || status === "completed");
  });

  test("a caller with an old copy is answered at once, and one whose time has passed gets nothing new", async (t) => {
    const { client, agentId, own, start } = await startWithAgent(t);
    const { threadId } = await start("one");
    const { tag } = await client.getThread({ agentId, threadId }, own);
    const old = await client.getThread({ agentId, threadId, waitSeconds: 30, knownTag: "0" }, own);
    assert.equal(old.thread?.status, "pending");
    const late = await client.getThread({ agentId, threadId, waitSeconds: 1, knownTag: tag }, own);
    assert.deepEqual([late.thread, late.tag], [undefined, tag]);
  });

  test("a service that stops releases its callers", async (t) => {
    const { world, agentId, own, start } = await startWithAgent(t);
    const instance = await world.addInstance({ timings: { readEveryMs: 600_000 } });
    const { threadId } = await start("one");
    let isOver = false;
    const waiting = instance.client.getThread({ agentId, threadId, waitSeconds: 30 }, own).finally(() => {
      isOver = true;
    });
    await instance.client.getThread({ agentId, threadId }, own);
    await instance.stop();
    await until("the caller is answered", () => isOver);
    assert.equal((await waiting).thread?.status, "pending");
  });
});

describe("lists of threads", () => {
  test("are complete and newest first over any page size, also while threads are added", async (t) => {
    const { world, client, agentId, own, key } = await startWithAgent(t);
    const ids = Array.from({ length: 23 }, (_, index) => `thr_${String(index).padStart(4, "0")}`);
    for (const _id of ids) {
      const { openSince: _, ...thread } = aThread({ _id, ...key, accepted: true, status: "completed" });
      await world.threads.insert(thread);
    }
    const seen: string[] = [];
    let cursor = "";
    do {
      const page = await client.listThreads({ agentId, pageSize: 5, cursor }, own);
      seen.push(...page.threads.map(({ id }) => id));
      cursor = page.nextCursor;
      await world.threads.insert(aThread({ _id: `thr_9${seen.length}`, ...key, accepted: true }));
    } while (cursor !== "");
    assert.deepEqual(seen, ids.toReversed());
    const [first] = (await client.listThreads({ agentId, pageSize: 1 }, own)).threads;
    assert.equal(first?.title, "Go");
    assert.ok(first?.createdAt);
  });

  test("a manager lists the threads of all agents of the project, or those with one status", async (t) => {
    const { world, client, agentId, key, start } = await startWithAgent(t);
    const running = await start("one");
    const run = await claimNext(world, agentId);
    await run.begin();
    const other = { ...key, agentId: "agt_other" };
    await world.threads.insert(aThread({ _id: "thr_0", ...other, accepted: true }));
    const list = async (request: object) => {
      const { threads } = await client.listThreads(request, world.as());
      return threads.map((thread) => [thread.id, thread.agentId]);
    };
    const both = [
      [running.threadId, agentId],
      ["thr_0", "agt_other"],
    ].toSorted(([one = ""], [two = ""]) => (one < two ? 1 : -1));
    assert.deepEqual(await list({}), both);
    assert.deepEqual(await list({ agentId }), [[running.threadId, agentId]]);
    assert.deepEqual(await list({ status: "running" }), [[running.threadId, agentId]]);
    assert.deepEqual(await list({ agentId, status: "queued" }), []);
    const wrong = await refusal(client.listThreads({ status: "lost" }, world.as()));
    assert.deepEqual(
      wrong.issues.map(({ path }) => path),
      ["status"],
    );
    const own = await refusal(client.listThreads({}, world.asAgent(agentId)));
    assert.equal(own.reason, Reason.FORBIDDEN);
  });
});
