import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { test } from "vitest";
import { runs, says, startWorkforceWorld } from "../support/workforce/world.ts";

test("a thread that waits for a decision occupies no agent, continues once it is made, and ends if it is cancelled", async (t) => {
  const { hire, first, as, asApprover, sessions, computerLog } = await startWorkforceWorld(t, {
    steps: [runs("echo one"), says("Other."), says("Done."), runs("echo two")],
  });
  const lou = await hire();
  const { agentId } = lou;
  await first.client.updateAgent({ agentId, approvals: { rules: { shell: "ask" } } }, as());
  const asked = async (threadId: string) => {
    await until("the thread waits", async () => (await lou.read(threadId)).waitingFor !== undefined);
    return (await lou.read(threadId)).waitingFor?.approvalIds[0] ?? "";
  };
  const waiting = await lou.start("Ask");
  const id = await asked(waiting);
  assert.equal((await lou.read(waiting)).status, "queued");
  const { approvals } = await sessions.listApprovals({ agentId, threadId: waiting }, asApprover());
  assert.deepEqual(
    approvals.map(({ id, agentId, threadId, sessionId }) => [id, agentId, threadId, sessionId]),
    [[id, agentId, waiting, ""]],
  );
  await until("the agent is idle", async () => (await lou.status())?.status === "idle");
  assert.equal((await lou.ended(await lou.start("Other"))).status, "completed");
  const events = lou.events(waiting);
  await sessions.decideApproval({ id, decision: "approve" }, asApprover());
  assert.ok((await lou.ended(waiting)).messagesJson.includes("Done."));
  const statuses = (await events).flatMap(({ type, json }) =>
    type === "thread-status" ? JSON.parse(json) : [],
  );
  assert.partialDeepStrictEqual(statuses, [
    ...[{ status: "pending" }, { status: "running" }],
    { status: "queued", waitingFor: { type: "approval", approvalIds: [id] } },
    ...[{ status: "running" }, { status: "completed" }],
  ]);
  const begun = async () => new Set((await computerLog(agentId)).map(({ callId }) => callId)).size;
  assert.equal(await begun(), 1);
  const cancelled = await lou.start("Ask again");
  const open = await asked(cancelled);
  assert.equal((await lou.cancel(cancelled)).status, "cancelled");
  const statusOf = async () => (await sessions.getApproval({ id: open }, asApprover())).approval?.status;
  await until("the approval is closed", async () => (await statusOf()) === "cancelled");
  assert.equal(await begun(), 1);
});
