import assert from "node:assert/strict";
import { Reason, readRpcError } from "@muster/rpc";
import { silentLogger } from "@muster/service";
import { openStore } from "@muster/store";
import { type TestScope, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import {
  type Callers,
  runs,
  says,
  startWorkforceWorld,
  type WorldOptions,
} from "../support/workforce/world.ts";

/** Commands of agents wait for decisions; a message with "ask" makes the model run one. */
async function startAskingWorld(scope: TestScope, options: WorldOptions = {}) {
  const world = await startWorkforceWorld(scope, {
    sessions: { timings: { drainMs: 500, sweepApprovalsEveryMs: 50 } },
    // Only events wake callers that wait.
    workforce: { timings: { readEveryMs: 3_600_000 } },
    ...options,
  });
  const { first, as, asApprover, sessions, computerLog, db, env } = world;
  world.provider.answerBy(({ body }) => {
    const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
    if (last?.role === "tool") return says(`After ${JSON.stringify(last.content)}`);
    return /ask/.test(JSON.stringify(last)) ? runs("echo one") : says("Other.");
  });
  const approvals = await openStore({
    uri: env.STORE_URI,
    database: `${env.DATABASE_PREFIX}_sessions`,
    log: silentLogger,
  });
  scope.onTestFinished(() => approvals.close());
  return {
    ...world,
    hire: async () => {
      const lou = await world.hire();
      await first.client.updateAgent({ agentId: lou.agentId, approvals: { rules: { shell: "ask" } } }, as());
      return lou;
    },
    /** Starts a thread, and returns it with its approval once it waits. */
    ask: async (lou: Callers, message = "ask") => {
      const threadId = await lou.start(message);
      return { threadId, id: await approvalOf(lou, threadId) };
    },
    decide: (id: string, decision: "approve" | "deny", message = "") =>
      sessions.decideApproval({ id, decision, message }, asApprover()),
    statusOf: async (id: string) => (await sessions.getApproval({ id }, asApprover())).approval?.status,
    /** Commands that have begun on the agent's computer. */
    begun: async ({ agentId }: Callers) =>
      new Set((await computerLog(agentId)).map(({ callId }) => callId)).size,
    expire: (id: string) =>
      approvals.db
        .collection<{ _id: string }>("approvals")
        .updateOne({ _id: id }, { $set: { expiresAt: new Date(0), wakeAt: new Date(0) } }),
    threads: db.collection<{ _id: string }>("threads"),
  };
}

async function approvalOf(lou: Callers, threadId: string): Promise<string> {
  await until("the thread waits", async () => (await lou.read(threadId)).waitingFor !== undefined);
  return (await lou.read(threadId)).waitingFor?.approvalIds[0] ?? "";
}

describe("a thread that waits for a decision", () => {
  const scope = suiteScope();
  let world: Awaited<ReturnType<typeof startAskingWorld>>;
  beforeAll(async () => {
    world = await startAskingWorld(scope);
  });

  test("it occupies no agent, continues once the call is approved, and its events name the decision", async () => {
    const { hire, ask, decide, begun, sessions, asApprover } = world;
    const lou = await hire();
    const { agentId } = lou;
    const { threadId, id } = await ask(lou);
    assert.equal((await lou.read(threadId)).status, "queued");
    const { approvals } = await sessions.listApprovals({ agentId, threadId }, asApprover());
    assert.deepEqual(
      approvals.map(({ id, agentId, threadId, sessionId }) => [id, agentId, threadId, sessionId]),
      [[id, agentId, threadId, ""]],
    );
    await until("the agent is idle", async () => (await lou.status())?.status === "idle");
    assert.equal((await lou.ended(await lou.start("Other"))).status, "completed");
    const events = lou.events(threadId);
    await decide(id, "approve");
    assert.match((await lou.ended(threadId)).messagesJson, /After .*one/);
    const statuses = (await events).flatMap(({ type, json }) =>
      type === "thread-status" ? JSON.parse(json) : [],
    );
    assert.partialDeepStrictEqual(statuses, [
      ...[{ status: "pending" }, { status: "running" }],
      { status: "queued", waitingFor: { type: "approval", approvalIds: [id] } },
      ...[{ status: "running" }, { status: "completed" }],
    ]);
    assert.equal(await begun(lou), 1);
  });

  test("a denied call, and one that has expired, are not made, and the model reads so", async () => {
    const { hire, ask, decide, expire, begun } = world;
    const lou = await hire();
    const denied = await ask(lou);
    await decide(denied.id, "deny", "Not today.");
    assert.match((await lou.ended(denied.threadId)).messagesJson, /After .*denied: Not today\./);
    const expired = await ask(lou);
    await expire(expired.id);
    assert.match((await lou.ended(expired.threadId)).messagesJson, /After .*no user approved it in time/);
    const late = await decide(expired.id, "approve").catch((error: unknown) => readRpcError(error).reason);
    assert.equal(late, Reason.APPROVAL_EXPIRED);
    assert.equal(await begun(lou), 0);
  });

  test("a thread that is cancelled or withdrawn ends, and its call can no longer be decided", async () => {
    const { hire, ask, first, as, statusOf, begun } = world;
    const lou = await hire();
    const { agentId } = lou;
    const cancelled = await ask(lou);
    const withdrawn = await ask(lou);
    assert.equal((await lou.cancel(cancelled.threadId)).status, "cancelled");
    const { threadId } = withdrawn;
    const { status } = await first.client.withdrawThread({ agentId, threadId }, as(agentId));
    assert.equal(status, "cancelled");
    for (const { id } of [cancelled, withdrawn])
      await until("the approval is closed", async () => (await statusOf(id)) === "cancelled");
    assert.equal((await lou.read(threadId)).waitingFor, undefined);
    assert.equal((await lou.status())?.status, "idle");
    assert.equal(await begun(lou), 0);
    await lou.followUp(threadId, "Other");
    assert.match((await lou.ended(threadId)).messagesJson, /Other\./);
  });

  test("follow-ups wait until the turn has ended, and are answered in their order", async () => {
    const { hire, ask, decide } = world;
    const lou = await hire();
    const { threadId, id } = await ask(lou);
    for (const text of ["First", "Second"])
      assert.equal((await lou.followUp(threadId, text)).status, "queued");
    assert.deepEqual((await lou.read(threadId)).waitingFor?.approvalIds, [id]);
    assert.equal((await lou.status())?.status, "idle");
    await decide(id, "approve");
    const { messagesJson } = await lou.ended(threadId);
    assert.match(messagesJson, /After .*First.*Other\..*Second.*Other\./);
  });

  test("a decided thread continues before those that have waited longer for their agent", async () => {
    const { hire, ask, decide, provider } = world;
    const lou = await hire();
    const waiting = await ask(lou);
    const gate = Promise.withResolvers<void>();
    provider.add({ parts: [{ until: gate.promise }, { text: "Busy." }] });
    const busy = await lou.start("Busy");
    await until("the agent works", async () => (await lou.read(busy)).status === "running");
    const queued = [await lou.start("One"), await lou.start("Two")];
    await decide(waiting.id, "approve");
    await until(
      "the thread is decided",
      async () => (await lou.read(waiting.threadId)).waitingFor === undefined,
    );
    gate.resolve();
    const ended = await Promise.all([waiting.threadId, ...queued].map((threadId) => lou.ended(threadId)));
    const times = ended.map(
      ({ completedAt }) => Number(completedAt?.seconds) * 1e9 + Number(completedAt?.nanos),
    );
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    );
    assert.ok(ended.every(({ status }) => status === "completed"));
  });

  test("a caller that waits for a change is woken when the thread begins to wait, and when it is decided", async () => {
    const { hire, decide, first, as, provider } = world;
    const lou = await hire();
    const { agentId } = lou;
    const gate = Promise.withResolvers<void>();
    const command = { name: "shell__run_command", arguments: { command: "echo one" } };
    provider.add({ parts: [{ until: gate.promise }, { toolCalls: [command] }] });
    const threadId = await lou.start("Gate");
    await until("the thread runs", async () => (await lou.read(threadId)).status === "running");
    const get = (more: object) => first.client.getThread({ agentId, threadId, ...more }, as(agentId));
    type Shown = NonNullable<Awaited<ReturnType<typeof get>>["thread"]>;
    /** The thread as the wake-up shows it that is waited for. Other changes wake its callers, too. */
    const wait = async (known: string, isMeant: (thread: Shown) => boolean): Promise<Shown> => {
      for (let tag = known; ; ) {
        const answer = await get({ waitSeconds: 30, knownTag: tag });
        assert.ok(answer.thread, "nothing has woken the caller");
        if (isMeant(answer.thread)) return answer.thread;
        tag = answer.tag;
      }
    };
    const running = await get({});
    const begins = wait(running.tag, ({ status }) => status === "queued");
    gate.resolve();
    const id = (await begins).waitingFor?.approvalIds[0] ?? "";
    // The thread cannot continue meanwhile, which would wake its callers, too.
    const busy = Promise.withResolvers<void>();
    provider.add({ parts: [{ until: busy.promise }, { text: "Busy." }] });
    const other = await lou.start("Busy");
    await until("the agent works", async () => (await lou.read(other)).status === "running");
    const waiting = await get({});
    const ends = wait(waiting.tag, ({ waitingFor }) => waitingFor === undefined);
    await decide(id, "deny");
    assert.equal((await ends).status, "queued");
    busy.resolve();
    await lou.ended(threadId);
  });

  test("the threads of a deleted agent are removed, and their calls can no longer be decided", async () => {
    const { hire, ask, first, as, statusOf, threads, begun } = world;
    const lou = await hire();
    const { threadId, id } = await ask(lou);
    await first.client.deleteAgent({ agentId: lou.agentId }, as());
    await until("the approval is closed", async () => (await statusOf(id)) === "cancelled");
    await until("the thread is removed", async () => (await threads.findOne({ _id: threadId })) === null);
    assert.equal(await begun(lou), 0);
  });
});

test("a thread waits while no workforce process runs, and the next one continues it", async (t) => {
  const world = await startAskingWorld(t);
  const lou = await world.hire();
  const [approved, cancelled] = [await world.ask(lou), await world.ask(lou)];
  await lou.cancel(cancelled.threadId);
  await world.first.stop();
  await world.decide(approved.id, "approve");
  // No process has received the event, so the next one finds the decision when it is due.
  await world.threads.updateMany(
    { waitingFor: { $exists: true } },
    { $set: { "waitingFor.lookAt": new Date(0) } },
  );
  const next = await world.addWorkforce();
  const after = lou.through(next);
  assert.match((await after.ended(approved.threadId)).messagesJson, /After .*one/);
  assert.equal(await world.begun(lou), 1);
  await until("the approval is closed", async () => (await world.statusOf(cancelled.id)) === "cancelled");
});
