import assert from "node:assert/strict";
import { View } from "@muster/proto/sessions";
import { type CallPrincipal, permissions, Reason, workforcePrincipal } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import { chat } from "./support/definitions.ts";
import {
  type Instance,
  projectId,
  readAll,
  readSession,
  refusal,
  say,
  startWorld,
  type World,
} from "./support/harness.ts";
import {
  hiddenSessions,
  newSessionId,
  openThread,
  runSaying,
  workforceAgentId,
} from "./support/workforce.ts";

async function start(t: TestContext) {
  const world = await startWorld(t);
  return { world, instance: await world.addInstance() };
}

/** Every RPC that names a session, for a caller who does not know whether it exists. */
function callsOn({ client }: Instance, sessionId: string, as: ReturnType<World["as"]>) {
  const read = async (stream: AsyncIterable<unknown>) => {
    for await (const _ of stream);
  };
  return {
    GetSession: () => read(client.getSession({ sessionId }, as)),
    "GetSession of users": () => read(client.getSession({ sessionId, view: View.UI }, as)),
    RestoreSession: () => client.restoreSession({ sessionId, messagesJson: "[]" }, as),
    ClearSession: () => client.clearSession({ sessionId }, as),
    Trigger: () => read(client.trigger(say(sessionId, "Hi"), as)),
    "Trigger with results": () =>
      read(client.trigger({ sessionId, executionId: "exe_1", toolResults: [{ toolCallId: "c" }] }, as)),
    CancelExecution: () => client.cancelExecution({ sessionId }, as),
    ReadSessionLog: () => read(client.readSessionLog({ sessionId }, as)),
    ReadLogEntry: () => read(client.readLogEntry({ sessionId, entryId: "log_1_1048577" }, as)),
    UpdateSession: () => client.updateSession({ sessionId, metadataJson: '{"a":"b"}' }, as),
    LocateSession: () => client.locateSession({ sessionId }, as),
    ResumeExecution: () => read(client.resumeExecution({ sessionId, executionId: "exe_1" }, as)),
  };
}

describe("the session of a workforce thread", () => {
  test("it does not exist for anyone but the workforce service of its project: every call gets the answer that an unknown session gets", async (t) => {
    const { world, instance } = await start(t);
    const sessionId = await openThread(world, instance);
    const others: Array<Partial<CallPrincipal>> = [
      { permissions: new Set(permissions) },
      { permissions: new Set(permissions), anyProject: true, keyId: "key_bootstrap" },
      { permissions: new Set(["sessions"]), agentId: "agt_chat" },
      { permissions: new Set(["sessions"]), agentId: workforceAgentId },
      { permissions: new Set(["sessions"]), agentId: "agt_chat", tokenId: "tok_1" },
      { ...workforcePrincipal(projectId), tokenId: "tok_1", agentId: "agt_chat" },
      workforcePrincipal("prj_other"),
    ];
    const before = await hiddenSessions(world).findOne({ _id: sessionId });
    for (const principal of others) {
      const as = world.as(principal);
      const known = callsOn(instance, sessionId, as);
      const unknown = new Map(Object.entries(callsOn(instance, "ses_unknown", as)));
      for (const [name, call] of Object.entries(known)) {
        const answer = await refusal(call());
        const expected = await refusal(unknown.get(name)?.() ?? Promise.reject(new Error(name)));
        assert.deepEqual([name, answer.reason, answer.message], [name, expected.reason, expected.message]);
        assert.notEqual(answer.reason, Reason.UNSPECIFIED, name);
      }
    }
    const elsewhere = world.as(workforcePrincipal("prj_other"));
    const run = runSaying(sessionId, "hi", { requestId: "r" });
    assert.equal((await refusal(readAll(instance.client.trigger(run, elsewhere)))).reason, Reason.NOT_FOUND);
    assert.deepEqual(await hiddenSessions(world).findOne({ _id: sessionId }), before);
  });

  test("a credential that is limited to its id gets the answer for an unknown session, too", async (t) => {
    const { world, instance } = await start(t);
    const sessionId = await openThread(world, instance);
    const token = {
      permissions: new Set(["sessions" as const]),
      agentId: "agt_chat",
      tokenId: "tok_1",
      sessionId,
    };
    for (const [name, call] of Object.entries(callsOn(instance, sessionId, world.as(token)))) {
      const { reason } = await refusal(call());
      const managing = ["ReadSessionLog", "ReadLogEntry", "UpdateSession", "LocateSession"];
      assert.equal(reason, managing.includes(name) ? Reason.FORBIDDEN : Reason.NOT_FOUND, name);
    }
  });

  test("no list has it", async (t) => {
    const { world, instance } = await start(t);
    await openThread(world, instance);
    const admin = world.as({ permissions: new Set(permissions) });
    for (const request of [{}, { agentId: "agt_chat" }, { agentId: workforceAgentId }]) {
      const { sessions } = await instance.client.listSessions(request, admin);
      assert.deepEqual(sessions, []);
    }
  });

  test("only the workforce service opens one, and it opens no other sessions", async (t) => {
    const { world, instance } = await start(t);
    const { client } = instance;
    const workforce = { sessionId: newSessionId(), workforceAgentId };
    const request = { agentId: "agt_chat", workforce };
    const admin = world.as({ permissions: new Set(permissions), anyProject: true });
    assert.equal((await refusal(client.createSession(request, admin))).reason, Reason.FORBIDDEN);
    const own = world.as(workforcePrincipal(projectId));
    assert.equal(
      (await refusal(client.createSession({ agentId: "agt_chat" }, own))).reason,
      Reason.FORBIDDEN,
    );
    for (const sessionId of ["", "x", `ses_${"x".repeat(200)}`]) {
      const bad = { agentId: "agt_chat", workforce: { ...workforce, sessionId } };
      const { reason, issues } = await refusal(client.createSession(bad, own));
      assert.deepEqual([reason, issues[0]?.path], [Reason.INVALID_REQUEST, "workforce.sessionId"]);
    }
    assert.equal(await hiddenSessions(world).countDocuments(), 0);
  });

  test("a repeated request leaves it unchanged, and requests at the same time open one", async (t) => {
    const { world, instance } = await start(t);
    const other = await world.addInstance();
    const sessionId = newSessionId();
    const opened = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        openThread(world, index % 2 ? instance : other, { sessionId }),
      ),
    );
    assert.deepEqual(new Set(opened), new Set([sessionId]));
    const before = await hiddenSessions(world).findOne({ _id: sessionId });
    await openThread(world, instance, { sessionId, agentVersion: 1 });
    assert.deepEqual(await hiddenSessions(world).findOne({ _id: sessionId }), before);
    assert.equal(await hiddenSessions(world).countDocuments(), 1);
    const elsewhere = world.as(workforcePrincipal("prj_other"));
    world.agents.set("agt_theirs", [chat], "prj_other");
    const theirs = { agentId: "agt_theirs", workforce: { sessionId, workforceAgentId } };
    const { reason } = await refusal(instance.client.createSession(theirs, elsewhere));
    assert.equal(reason, Reason.INVALID_REQUEST);
  });

  test("it runs the version that it was opened with, also of an archived agent, and the latest without one", async (t) => {
    const { world, instance } = await start(t);
    world.agents.set("agt_chat", [chat, chat, { ...chat, archived: true }]);
    const pinned = await openThread(world, instance, { agentVersion: 2 });
    assert.equal((await hiddenSessions(world).findOne({ _id: pinned }))?.agentVersion, 2);
    const archived = await refusal(openThread(world, instance));
    assert.equal(archived.reason, Reason.AGENT_ARCHIVED);
    const missing = await refusal(openThread(world, instance, { agentVersion: 9 }));
    assert.equal(missing.reason, Reason.NOT_FOUND);
    world.agents.set("agt_chat", [chat, chat]);
    const latest = await openThread(world, instance);
    assert.equal((await hiddenSessions(world).findOne({ _id: latest }))?.agentVersion, 2);
  });

  test("it never expires, and both views show what it has used", async (t) => {
    const { world, instance } = await start(t);
    const sessionId = await openThread(world, instance);
    world.clock.advance(10 * 365 * 24 * 3_600_000);
    const own = world.as(workforcePrincipal(projectId));
    for (const view of [View.FULL, View.UI]) {
      const { session } = await readSession(instance.client, { sessionId, view }, own);
      assert.equal(session?.active, true);
      assert.equal(JSON.parse(session?.usageJson ?? "").tokens.totalTokens, 0);
    }
  });

  test("a cleared one is expired, and clearing it again succeeds", async (t) => {
    const { world, instance } = await start(t);
    const sessionId = await openThread(world, instance);
    const own = world.as(workforcePrincipal(projectId));
    await instance.client.clearSession({ sessionId }, own);
    await instance.client.clearSession({ sessionId }, own);
    const { session } = await readSession(instance.client, { sessionId }, own);
    assert.equal(session?.active, false);
  });

  test("the workforce service does not reach the sessions of others", async (t) => {
    const { world, instance } = await start(t);
    const { sessionId } = await instance.client.createSession({ agentId: "agt_chat" }, world.as());
    await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const own = world.as(workforcePrincipal(projectId));
    const { reason } = await refusal(readSession(instance.client, { sessionId }, own));
    assert.equal(reason, Reason.NOT_FOUND);
  });
});
