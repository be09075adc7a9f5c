import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import type { SessionDocument } from "../src/store/session-document.ts";
import { chat, requiresInput, worker } from "./support/definitions.ts";
import {
  eventsOf,
  messagesOf,
  openSession,
  readAll,
  refusal,
  say,
  startWorld,
  textOf,
  typesOf,
} from "./support/harness.ts";
import { all, type Request, scripted, startSaying } from "./support/starting.ts";

describe("a session that is started with its first turn", () => {
  test("the stream is that of a trigger, and its start event and first message name the session", async (t) => {
    const world = await startWorld(t);
    const instance = await world.addInstance();
    const triggered = await readAll(
      instance.client.trigger(say(await openSession(world, instance, {}), "good morning"), world.as()),
    );
    const sessions: unknown[] = [];
    const stream = (async function* () {
      for await (const message of instance.client.startSession(startSaying("good morning"), world.as())) {
        sessions.push(message.session);
        yield message;
      }
    })();
    const events = await readAll(stream);
    assert.deepEqual(typesOf(events), typesOf(triggered));
    assert.equal(textOf(events), textOf(triggered));
    const [start] = events;
    const sessionId = String(start?.sessionId);
    assert.match(sessionId, /^ses_/);
    const [first, ...others] = sessions;
    assert.partialDeepStrictEqual(first, { sessionId, executionId: start?.executionId });
    assert.ok(others.every((session) => session === undefined));
    assert.equal((await messagesOf(world, instance, sessionId)).length, 2);
    const next = await readAll(instance.client.trigger(say(sessionId, "and now?"), world.as()));
    assert.match(textOf(next), /and now\?/);
    assert.equal(next[0]?.sessionId, undefined);
  });

  test("the locked session is stored before the first event leaves", async (t) => {
    const hold = Promise.withResolvers<void>();
    const world = await startWorld(t, [{ parts: [{ until: hold.promise }, { text: "Hello." }] }]);
    const { client } = await world.addInstance();
    let document: SessionDocument | undefined;
    const stream = (async function* () {
      for await (const message of client.startSession(startSaying("hi", {}, scripted), world.as())) {
        if (message.events.length > 0) document ??= (await world.sessions.find().toArray())[0];
        hold.resolve();
        yield message;
      }
    })();
    const events = await readAll(stream);
    assert.ok(document?.lease?.executionId);
    assert.deepEqual([document.epoch, document.execution, document.tail], [1, null, "[]"]);
    assert.equal(events[0]?.executionId, document.lease.executionId);
    const after = await world.document(document._id);
    assert.deepEqual([after.lease, after.messageCount, after.title], [null, 2, "hi"]);
  });

  test("it has the input, metadata and version of a created session", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    const details = { inputJson: '{"SHOP":"Candle"}', metadataJson: '{"customer":"c-1"}' };
    const { sessionId } = await client.createSession({ agentId: "agt_chat", ...details }, world.as());
    const events = await readAll(
      client.startSession(
        { ...startSaying("hi", {}, details), agentId: "", agentSlug: "agt-chat" },
        world.as(),
      ),
    );
    const [created, started] = [
      await world.document(sessionId),
      await world.document(String(events[0]?.sessionId)),
    ];
    for (const field of ["projectId", "agentId", "agentVersion", "status", "input", "metadata"] as const) {
      assert.deepEqual(started[field], created[field], field);
    }
  });

  test("the result and the usage are delivered to a request that wants them", async (t) => {
    const world = await startWorld(t, [{ parts: [{ text: "Fine." }] }]);
    const { client } = await world.addInstance();
    const messages = await all(
      client.startSession({ ...startSaying("hi", {}, scripted), wantsResult: true }, world.as()),
    );
    const types = messages.flatMap(({ events }) => events.map(({ type }) => type));
    assert.deepEqual(types.slice(-2), ["finish", "usage"]);
    assert.equal(messages.at(-1)?.result?.text, "Fine.");
  });
});

describe("a refused start", () => {
  const tool = { name: "extra", description: "", inputSchemaJson: "{}" };
  const cases: Array<[title: string, request: Request, reason: Reason, path?: string]> = [
    ["no trigger", { agentId: "agt_chat" }, Reason.INVALID_REQUEST, "trigger"],
    ["no agent", startSaying("hi", {}, { agentId: "" }), Reason.INVALID_REQUEST, "agentId"],
    ["both agents", startSaying("hi", {}, { agentSlug: "agt-chat" }), Reason.INVALID_REQUEST, "agentSlug"],
    [
      "a long agent id",
      startSaying("hi", {}, { agentId: "x".repeat(201) }),
      Reason.INVALID_REQUEST,
      "agentId",
    ],
    ["an unknown agent", startSaying("hi", {}, { agentId: "agt_none" }), Reason.NOT_FOUND],
    ["an agent of another project", startSaying("hi", {}, { agentId: "agt_foreign" }), Reason.NOT_FOUND],
    ["an archived agent", startSaying("hi", {}, { agentId: "agt_archived" }), Reason.AGENT_ARCHIVED],
    ["a worker", startSaying("hi", {}, { agentId: "agt_worker" }), Reason.INVALID_REQUEST, "agentId"],
    ["input that is not JSON", startSaying("hi", {}, { inputJson: "{" }), Reason.INVALID_REQUEST, "input"],
    [
      "input with a prototype key",
      startSaying("hi", {}, { inputJson: '{"__proto__":{}}' }),
      Reason.INVALID_REQUEST,
      "input",
    ],
    [
      "undeclared input",
      startSaying("hi", {}, { inputJson: '{"SHP":"x"}' }),
      Reason.INVALID_INPUT,
      "input.SHP",
    ],
    ["missing input", startSaying("hi", {}, { agentId: "agt_strict" }), Reason.INVALID_INPUT, "input.SHOP"],
    [
      "metadata that is not text",
      startSaying("hi", {}, { metadataJson: '{"a":1}' }),
      Reason.INVALID_REQUEST,
      "metadata.a",
    ],
    ["no trigger name", startSaying("hi", { triggerName: "" }), Reason.UNKNOWN_TRIGGER],
    [
      "a long trigger name",
      startSaying("hi", { triggerName: "x".repeat(201) }),
      Reason.INVALID_REQUEST,
      "trigger.triggerName",
    ],
    ["an unknown trigger", startSaying("hi", { triggerName: "none" }), Reason.UNKNOWN_TRIGGER],
    [
      "a trigger named as a prototype key",
      startSaying("hi", { triggerName: "constructor" }),
      Reason.UNKNOWN_TRIGGER,
    ],
    ["no trigger input", startSaying("hi", { inputJson: "" }), Reason.INVALID_INPUT, "trigger.input.TEXT"],
    [
      "trigger input of the wrong type",
      startSaying("hi", { inputJson: '{"TEXT":7}' }),
      Reason.INVALID_INPUT,
      "trigger.input.TEXT",
    ],
    [
      "trigger input that is a list",
      startSaying("hi", { inputJson: "[]" }),
      Reason.INVALID_REQUEST,
      "trigger.input",
    ],
    [
      "a long sender",
      startSaying("hi", { sender: { name: "x".repeat(201) } }),
      Reason.INVALID_REQUEST,
      "trigger.sender.name",
    ],
    [
      "an unknown policy",
      startSaying("hi", { onDisconnect: 9 }),
      Reason.INVALID_REQUEST,
      "trigger.onDisconnect",
    ],
    [
      "a tool of the agent's name",
      startSaying("hi", { dynamicTools: [{ ...tool, name: "get-order" }] }),
      Reason.INVALID_REQUEST,
      "trigger.dynamicToolSchemas.0.name",
    ],
    [
      "a tool twice",
      startSaying("hi", { dynamicTools: [tool, tool] }),
      Reason.INVALID_REQUEST,
      "trigger.dynamicToolSchemas.1.name",
    ],
    [
      "a model without a provider",
      startSaying("hi", {}, { inputJson: '{"MODEL":"anthropic/claude"}' }),
      Reason.MODEL_NOT_RUNNABLE,
    ],
    ["an empty model", startSaying("hi", {}, { inputJson: '{"MODEL":""}' }), Reason.MODEL_NOT_RUNNABLE],
    ["a text that is too large", startSaying("x".repeat(12 * 1024 * 1024)), Reason.TOO_LARGE],
  ];

  test("a refused start says why, and stores nothing", async (t) => {
    const world = await startWorld(t);
    const { client } = await world.addInstance();
    world.agents.set("agt_foreign", [chat], "prj_other");
    world.agents.set("agt_archived", [{ ...chat, archived: true }]);
    world.agents.set("agt_worker", [worker]);
    world.agents.set("agt_strict", [requiresInput]);
    for (const [title, request, reason, path] of cases) {
      const refused = await refusal(readAll(client.startSession(request, world.as())));
      assert.deepEqual([refused.reason, refused.issues[0]?.path], [reason, path], title);
    }
    assert.equal(await world.sessions.countDocuments(), 0);
  });
});

test("a caller that leaves ends the first turn, and the session can be used", async (t) => {
  const world = await startWorld(t, [
    { parts: [{ text: "Half" }], ending: "hang" },
    { parts: [{ text: "Fine." }] },
  ]);
  const { client } = await world.addInstance();
  const leaving = new AbortController();
  const call = client.startSession(startSaying("hi", {}, scripted), world.as({}, { signal: leaving.signal }));
  const events = eventsOf(call);
  const { value: start } = await events.next();
  const left = assert.rejects(all(events));
  leaving.abort();
  await left;
  await world.provider.requests[0]?.clientGone;
  const sessionId = String(start?.sessionId);
  await until("the session is free", async () => (await world.document(sessionId)).lease === null);
  assert.equal(textOf(await readAll(client.trigger(say(sessionId, "ok?"), world.as()))), "Fine.");
});
