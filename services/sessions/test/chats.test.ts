import assert from "node:assert/strict";
import { DisconnectPolicy } from "@muster/proto/sessions";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import type { AgentSpec } from "./support/fake-agents.ts";
import { type Instance, readAll, refusal, startWorld, textOf, type World } from "./support/harness.ts";
import { scripted } from "./support/starting.ts";

const messenger: AgentSpec = {
  prompts: { system: "Be brief.", say: "{{TEXT}}" },
  protocol: `
input:
  MODEL: { type: string, default: local/scripted }
triggers:
  user-message:
    input:
      TEXT: { type: string }
agent:
  model: MODEL
  system: system
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: say, input: [TEXT] }
    Answer: { block: next-message }
`,
};

const agent = { agentId: "agt_messenger" };
const message = (sessionId: string, text = "Hello") => ({
  sessionId,
  inputJson: JSON.stringify({ text }),
  onDisconnect: DisconnectPolicy.CONTINUE,
});

type Start = Parameters<typeof startWorld>;

async function startChats(t: Start[0], steps: Start[1] = []) {
  const world = await startWorld(t, steps);
  world.agents.set(agent.agentId, [messenger]);
  return { world, instance: await world.addInstance() };
}

async function locate(world: World, { client }: Instance, named = {}, as = {}): Promise<string> {
  const chatOf = { ...agent, chatId: "chat-1", ...named };
  return (await client.locateChat(chatOf, world.as(as))).sessionId;
}

describe("the session of a chat", () => {
  test("is one, however often it is opened, and another one for each agent, subject and chat", async (t) => {
    const { world, instance } = await startChats(t);
    const located = await locate(world, instance);
    const open = () => instance.client.createSession({ ...agent, chatId: "chat-1" }, world.as());
    const opened = await Promise.all([open(), open(), open()]);
    for (const { sessionId } of opened) assert.equal(sessionId, located);
    assert.equal(await world.sessions.countDocuments(), 1);
    const others = [{ chatId: "chat-2" }, { subject: "ada" }, { agentId: "agt_chat" }];
    const ids = await Promise.all(others.map((named) => locate(world, instance, named)));
    assert.equal(new Set([located, ...ids]).size, 4);
  });

  test("belongs to the subject of a token, and needs one unless the token is for one session", async (t) => {
    const { world, instance } = await startChats(t);
    const { agentId } = agent;
    const token = { agentId, tokenId: "tok_1", permissions: new Set(["sessions"] as const) };
    const ofAda = await locate(world, instance, {}, { ...token, subject: "ada" });
    assert.equal(ofAda, await locate(world, instance, { subject: "ada" }));
    const refused = await refusal(locate(world, instance, {}, token));
    assert.equal(refused.reason, Reason.FORBIDDEN);
    assert.equal(await locate(world, instance, {}, { ...token, sessionId: "ses_own" }), "ses_own");
    // Its id can be computed, so such a token must not find it.
    const { client } = instance;
    await client.createSession({ ...agent, chatId: "chat-1", subject: "ada" }, world.as());
    const found = (as: object) => refusal(readAll(client.trigger(message(ofAda), world.as(as))));
    assert.equal((await found(token)).reason, Reason.NOT_FOUND);
    assert.equal((await found({ ...token, subject: "bob" })).reason, Reason.NOT_FOUND);
  });
});

describe("a message without the name of a trigger", () => {
  test("fires the trigger for messages with its one text", async (t) => {
    const { world, instance } = await startChats(t, [{ parts: [{ text: "Hi." }] }]);
    const { sessionId } = await instance.client.createSession({ ...agent, chatId: "chat-1" }, world.as());
    const events = await readAll(instance.client.trigger(message(sessionId), world.as()));
    assert.equal(textOf(events), "Hi.");
    assert.match(JSON.stringify(world.provider.requests[0]?.body), /Hello/);
  });

  test("is refused by an agent that takes none, or no files", async (t) => {
    const { world, instance } = await startChats(t);
    const { client } = instance;
    const other = await client.createSession(
      { agentId: "agt_chat", inputJson: scripted.inputJson },
      world.as(),
    );
    const refused = await refusal(readAll(client.trigger(message(other.sessionId), world.as())));
    assert.equal(refused.reason, Reason.UNKNOWN_TRIGGER);
    const { sessionId } = await client.createSession({ ...agent, chatId: "chat-1" }, world.as());
    const withFile = { sessionId, inputJson: JSON.stringify({ text: "Look", files: [] }) };
    const noFiles = await refusal(readAll(client.trigger(withFile, world.as())));
    assert.equal(noFiles.reason, Reason.INVALID_REQUEST);
  });
});

test("a reader without the id of an execution follows the turn that is running, if there is one", async (t) => {
  const hold = Promise.withResolvers<void>();
  const { world, instance } = await startChats(t, [
    { parts: [{ text: "First " }, { until: hold.promise }, { text: "last." }] },
  ]);
  const { client } = instance;
  const { sessionId } = await client.createSession({ ...agent, chatId: "chat-1" }, world.as());
  const follow = () => readAll(client.resumeExecution({ sessionId }, world.as()));
  assert.equal((await refusal(follow())).reason, Reason.NOT_FOUND);
  const first = readAll(client.trigger(message(sessionId), world.as()));
  await until("the model is called", () => world.provider.requests.length === 1);
  const batches = client.resumeExecution({ sessionId }, world.as())[Symbol.asyncIterator]();
  // It has been accepted.
  await batches.next();
  hold.resolve();
  const second = await readAll({ [Symbol.asyncIterator]: () => batches });
  assert.equal(textOf(second), "First last.");
  assert.deepEqual(second, await first);
  assert.equal((await refusal(follow())).reason, Reason.NOT_FOUND);
});

describe("a session that begins with a conversation", () => {
  const said = (role: string, text: string, at: number) => {
    const id = `msg_${at}`;
    return { id, role, parts: [{ type: "text", text }], createdAt: "2026-11-27T00:00:00Z" };
  };

  test("shows models the earlier messages, also too many for one document, and has the version that was asked for", async (t) => {
    const steps = [{ parts: [{ text: "You are Ada." }] }, { parts: [{ text: "Yes." }] }];
    const { world, instance } = await startChats(t, steps);
    world.agents.set(agent.agentId, [
      messenger,
      { ...messenger, prompts: { system: "Be verbose.", say: "{{TEXT}}" } },
    ]);
    const { client } = instance;
    for (const length of [1, 3_000]) {
      const earlier = Array.from({ length }, (_, at) =>
        said(at % 2 === 0 ? "user" : "assistant", `I am Ada ${at}.`, at),
      );
      const messagesJson = JSON.stringify(earlier);
      const { sessionId } = await client.createSession({ ...agent, messagesJson }, world.as());
      await readAll(client.trigger(message(sessionId, "Who am I?"), world.as()));
      const sent = JSON.stringify(world.provider.requests.at(-1)?.body);
      for (const text of ["I am Ada 0.", `I am Ada ${length - 1}.`, "Who am I?"])
        assert.ok(sent.includes(text), text);
      assert.match(sent, /Be verbose/);
    }
  });

  test("is refused with messages that cannot be read, and for a chat, which may have begun", async (t) => {
    const { world, instance } = await startChats(t);
    const refusals = [
      { messagesJson: "[{}]" },
      { messagesJson: JSON.stringify([said("user", "Hello", 1)]), chatId: "chat-1" },
      { agentVersion: 1 },
    ];
    for (const request of refusals) {
      const { reason } = await refusal(instance.client.createSession({ ...agent, ...request }, world.as()));
      assert.equal(reason, Reason.INVALID_REQUEST);
    }
    assert.equal(await world.sessions.countDocuments(), 0);
  });
});
