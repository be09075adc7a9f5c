import assert from "node:assert/strict";
import { View } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { chat, requiresInput, worker } from "./support/definitions.ts";
import {
  messagesOf,
  openSession,
  readAll,
  readSession,
  refusal,
  say,
  startWorld,
  textOf,
} from "./support/harness.ts";

const hourMs = 3_600_000;

describe("creating a session", () => {
  test("creating a session pins the version and fills in defaults", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, {});
    const other = { ...chat, protocol: chat.protocol.replace("Lantern", "Candle") };
    world.agents.set("agt_chat", [chat, other]);
    const { session } = await readSession(instance.client, { sessionId }, world.as());
    assert.match(sessionId, /^ses_/);
    assert.equal(session?.agentId, "agt_chat");
    assert.deepEqual(JSON.parse(session?.inputJson ?? ""), { SHOP: "Lantern", MODEL: "demo/echo" });
    assert.deepEqual(JSON.parse(session?.variablesJson ?? ""), { MOOD: "calm" });
    assert.deepEqual(JSON.parse(session?.resourcesJson ?? ""), { NOTES: "none" });
    assert.equal((await world.document(sessionId)).agentVersion, 1);
    const newer = await openSession(world, instance, {});
    assert.equal((await world.document(newer)).agentVersion, 2);
  });

  test("a session cannot be created with an unknown, archived or worker agent, or with invalid input", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    world.agents.set("agt_archived", [{ ...chat, archived: true }]);
    world.agents.set("agt_worker", [worker]);
    world.agents.set("agt_strict", [requiresInput]);
    world.agents.set("agt_foreign", [chat], "prj_other");
    const create = (agentId: string, inputJson = "") =>
      refusal(client.createSession({ agentId, inputJson }, world.as()));
    assert.equal((await create("agt_nobody")).reason, Reason.NOT_FOUND);
    assert.equal((await create("agt_foreign")).reason, Reason.NOT_FOUND);
    assert.equal((await create("agt_archived")).reason, Reason.AGENT_ARCHIVED);
    assert.equal((await create("agt_worker")).reason, Reason.INVALID_REQUEST);
    assert.equal((await create("")).reason, Reason.INVALID_REQUEST);
    assert.equal((await create("agt_chat", "{")).reason, Reason.INVALID_REQUEST);
    assert.equal((await create("agt_chat", "[]")).reason, Reason.INVALID_REQUEST);
    assert.equal((await create("agt_chat", '{"__proto__":{}}')).reason, Reason.INVALID_REQUEST);
    const missing = await create("agt_strict");
    assert.equal(missing.reason, Reason.INVALID_INPUT);
    assert.equal(missing.issues[0]?.path, "input.SHOP");
  });
});

describe("creating a session by slug", () => {
  test("a session by slug belongs to the agent that has the slug now, and unknown or archived slugs are NOT_FOUND", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    const create = (agentSlug: string, agentId = "") =>
      client.createSession({ agentSlug, agentId }, world.as());
    const { sessionId } = await create("agt-chat");
    assert.equal((await world.document(sessionId)).agentId, "agt_chat");
    world.agents.set("agt_archived", [{ ...chat, archived: true }]);
    assert.equal((await refusal(create("agt-archived"))).reason, Reason.NOT_FOUND);
    assert.equal((await refusal(create("nobody"))).reason, Reason.NOT_FOUND);
    assert.equal((await refusal(create("agt-chat", "agt_chat"))).issues[0]?.path, "agentSlug");
    world.agents.set("agt_worker", [worker]);
    assert.equal((await refusal(create("agt-worker"))).issues[0]?.path, "agentSlug");
  });
});

describe("undeclared input", () => {
  const misspelt = JSON.stringify({ SHPO: "Candle", MODE: "demo/echo" });

  test("a session is neither created nor restored with input that its agent does not declare", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const created = await refusal(
      client.createSession({ agentId: "agt_chat", inputJson: misspelt }, world.as()),
    );
    assert.equal(created.reason, Reason.INVALID_INPUT);
    assert.deepEqual(
      created.issues.map(({ path, message }) => [path, message]),
      [
        ["input.SHPO", "SHPO is not declared. Did you mean SHOP?"],
        ["input.MODE", "MODE is not declared. Did you mean MODEL?"],
      ],
    );
    assert.match(created.message, /SHPO is not declared\. Did you mean SHOP\? MODE is not declared\./);
    const sessionId = await openSession(world, instance, {});
    await client.clearSession({ sessionId }, world.as());
    const restore = (inputJson: string) =>
      client.restoreSession({ sessionId, inputJson, messagesJson: "[]" }, world.as());
    assert.equal((await refusal(restore(misspelt))).reason, Reason.INVALID_INPUT);
    assert.ok((await restore('{"SHOP":"Candle"}')).restored);
  });

  test("a trigger ignores undeclared input, so that clients can be newer than their sessions", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const sessionId = await openSession(world, instance, {});
    const trigger = (input: object) =>
      instance.client.trigger({ ...say(sessionId, ""), inputJson: JSON.stringify(input) }, world.as());
    const events = await readAll(trigger({ TEXT: "hi", TONE: "warm" }));
    assert.equal(events.at(-1)?.finishReason, "stop");
    const misspelt = await refusal(readAll(trigger({ TXET: "hi" })));
    assert.equal(misspelt.reason, Reason.INVALID_INPUT);
    assert.equal(misspelt.message, "TEXT is required. Rename TXET, which is not declared.");
  });
});

describe("access to a session", () => {
  test("a token drives the sessions of its scope, and neither lists nor changes any", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await openSession(world, instance, {});
    const ofAgent = { tokenId: "tok_1", agentId: "agt_chat" };
    const ofSession = { ...ofAgent, sessionId };
    for (const token of [ofAgent, ofSession]) {
      const as = world.as(token);
      assert.match(textOf(await readAll(client.trigger(say(sessionId, "hi"), as))), /hi/);
      await readSession(client, { sessionId }, as);
      assert.equal((await client.cancelExecution({ sessionId }, as)).cancelled, false);
      for (const call of [
        () => client.listSessions({}, as),
        () => client.updateSession({ sessionId, metadataJson: '{"a":"b"}' }, as),
        () => client.checkProviders({}, as),
        () => client.locateSession({ sessionId }, as),
      ]) {
        assert.equal((await refusal(call())).reason, Reason.FORBIDDEN);
      }
    }
    assert.match((await client.createSession({ agentId: "agt_chat" }, world.as(ofAgent))).sessionId, /^ses_/);
    const second = client.createSession({ agentId: "agt_chat" }, world.as(ofSession));
    assert.equal((await refusal(second)).reason, Reason.FORBIDDEN);
  });
});

describe("expiry", () => {
  test("session expiry is exact to the millisecond, and activity postpones it", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ sessionTtlMs: hourMs });
    const sessionId = await openSession(world, instance, {});
    world.clock.advance(hourMs - 1);
    assert.equal(await isActive(), true);
    await readAll(instance.client.trigger(say(sessionId, "still here"), world.as()));
    world.clock.advance(hourMs - 1);
    assert.equal(await isActive(), true);
    world.clock.advance(1);
    assert.equal(await isActive(), false);
    const late = await refusal(readAll(instance.client.trigger(say(sessionId, "late"), world.as())));
    assert.equal(late.reason, Reason.SESSION_EXPIRED);

    async function isActive() {
      const { session } = await readSession(instance.client, { sessionId }, world.as());
      return session?.active;
    }
  });

  test("a session with a time to live of 0 never expires", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ sessionTtlMs: 0 });
    const sessionId = await openSession(world, instance, {});
    world.clock.advance(10_000 * hourMs);
    assert.match(textOf(await readAll(instance.client.trigger(say(sessionId, "old"), world.as()))), /old/);
  });

  test("the sweep removes the state of expired sessions and of no others", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance({ sessionTtlMs: hourMs, timings: { sweepEveryMs: 20 } });
    const expired = await openSession(world, instance, {});
    world.clock.advance(hourMs);
    const active = await openSession(world, instance, {});
    await until("the session is swept", async () => (await world.document(expired)).tail === null);
    const left = await world.document(expired);
    assert.deepEqual([left.status, left.input, left.execution], ["expired", null, null]);
    assert.deepEqual(
      left.outbox?.map(({ type }) => type),
      ["session.expired"],
    );
    assert.notEqual((await world.document(active)).tail, null);
  });
});

describe("clearing", () => {
  test("clearing a session removes its state, leaves four fields, and can be repeated", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await openSession(world, instance, {});
    await readAll(client.trigger(say(sessionId, "secret"), world.as()));
    await client.clearSession({ sessionId }, world.as());
    await client.clearSession({ sessionId }, world.as());
    const { session, messages } = await readSession(client, { sessionId }, world.as());
    assert.equal(session?.active, false);
    assert.deepEqual([session?.id, session?.agentId], [sessionId, "agt_chat"]);
    assert.ok(session?.createdAt);
    assert.deepEqual([messages, session?.inputJson, session?.updatedAt], [[], "", undefined]);
    assert.doesNotMatch(JSON.stringify(await world.document(sessionId)), /secret/);
    const late = await refusal(readAll(client.trigger(say(sessionId, "hi"), world.as())));
    assert.equal(late.reason, Reason.SESSION_EXPIRED);
    const unknown = await refusal(client.clearSession({ sessionId: "ses_nothing" }, world.as()));
    assert.equal(unknown.reason, Reason.NOT_FOUND);
  });
});

describe("restoring", () => {
  test("restoring a session brings back messages with fresh variables, and the conversation continues", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await openSession(world, instance, {});
    await readAll(client.trigger(say(sessionId, "first"), world.as()));
    const kept = await messagesOf(world, instance, sessionId);
    await client.clearSession({ sessionId }, world.as());
    const request = { sessionId, messagesJson: JSON.stringify(kept), inputJson: '{"SHOP":"Candle"}' };
    assert.equal((await client.restoreSession(request, world.as())).restored, true);
    assert.deepEqual(await messagesOf(world, instance, sessionId), kept);
    const { session } = await readSession(client, { sessionId, view: View.FULL }, world.as());
    assert.deepEqual(JSON.parse(session?.inputJson ?? ""), { SHOP: "Candle", MODEL: "demo/echo" });
    assert.deepEqual(JSON.parse(session?.variablesJson ?? ""), { MOOD: "calm" });
    await readAll(client.trigger(say(sessionId, "second"), world.as()));
    assert.equal((await messagesOf(world, instance, sessionId)).length, kept.length + 2);
  });

  test("two concurrent restores restore once, and an active session stays unchanged", async (t) => {
    const world = await startWorld(t);
    const instances = [await world.addInstance(), await world.addInstance()] as const;
    const sessionId = await openSession(world, instances[0], {});
    await instances[0].client.clearSession({ sessionId }, world.as());
    const outcomes = await Promise.all(
      [0, 1, 2, 3, 4, 5].map((n) =>
        (n % 2 === 0 ? instances[0] : instances[1]).client.restoreSession(
          { sessionId, messagesJson: "[]" },
          world.as(),
        ),
      ),
    );
    assert.equal(outcomes.filter(({ restored }) => restored).length, 1);
    const before = await world.document(sessionId);
    const again = await instances[1].client.restoreSession({ sessionId, messagesJson: "[]" }, world.as());
    assert.equal(again.restored, false);
    assert.deepEqual(await world.document(sessionId), before);
  });

  test("restoring an invalid message reports its index and writes nothing", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const { client } = instance;
    const sessionId = await openSession(world, instance, {});
    await client.clearSession({ sessionId }, world.as());
    const before = await world.document(sessionId);
    const good = { id: "m1", role: "user", parts: [], status: "done", createdAt: "2026-01-01T00:00:00Z" };
    const restore = (messages: unknown) =>
      refusal(client.restoreSession({ sessionId, messagesJson: JSON.stringify(messages) }, world.as()));
    const bad = await restore([good, { ...good, id: "m2", role: "robot" }]);
    assert.equal(bad.reason, Reason.INVALID_REQUEST);
    assert.match(bad.issues[0]?.path ?? "", /^messages\.1/);
    for (const messages of [7, {}, [null], [[]], [{}], "text"]) {
      assert.equal((await restore(messages)).reason, Reason.INVALID_REQUEST);
    }
    assert.deepEqual(await world.document(sessionId), before);
  });
});
