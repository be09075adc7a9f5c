import assert from "node:assert/strict";
import { test } from "vitest";
import { aThread } from "./support/documents.ts";
import { startWithAgent } from "./support/harness.ts";

/** The number of documents that a query of the threads reads. */
async function examined(cursor: { explain(): Promise<{ executionStats?: { totalDocsExamined?: number } }> }) {
  return (await cursor.explain()).executionStats?.totalDocsExamined;
}

test("a dispatch, a poll, a list and the status of an agent read as much with 2,000 finished threads as with none", async (t) => {
  const { world, client, agentId, own, key, start } = await startWithAgent(t, {
    limits: { monthlyRuns: 50 },
  });
  const threads = world.collection("threads");
  const finished = Array.from({ length: 2_000 }, (_, index) => {
    const { openSince: _open, ...thread } = aThread({
      _id: `thr_0${index}`,
      ...key,
      accepted: true,
      status: "completed",
    });
    return { ...thread, idem: { key: `key-${index}`, hash: "h" } };
  });
  // @ts-expect-error The ids of threads are texts.
  await threads.insertMany(finished);
  for (let run = 0; run < 10; run++)
    await world.runs.record({ ...key, threadId: `thr_0${run}` }, 1, new Date(world.clock.now()));
  const { threadId } = await start("one", { idempotencyKey: "new" });
  const { projectId } = key;
  const queries = {
    poll: threads.find({ _id: threadId, projectId, agentId } as object),
    replay: threads.find({ projectId, agentId, "idem.key": "new" }),
    open: threads.find({ openSince: { $lt: new Date(0) } }).sort({ openSince: 1 }),
    list: threads
      .find({ projectId, agentId, accepted: true })
      .sort({ projectId: 1, agentId: 1, _id: -1 })
      .limit(51),
    runs: world.collection("runs").find({ projectId, agentId, month: "2026-11" }).limit(50),
    agent: world.collection("agents").find({ _id: agentId, projectId } as object),
  };
  const counts: Record<string, unknown> = {};
  for (const [name, cursor] of Object.entries(queries)) counts[name] = await examined(cursor);
  assert.deepEqual(counts, { poll: 1, replay: 1, open: 0, list: 51, runs: 10, agent: 1 });
  assert.equal((await client.getAgent({ agentId }, own)).agent?.currentThreadId, threadId);
});
