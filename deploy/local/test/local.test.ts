import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { silentLogger } from "@muster/service";
import { record, TestClient, temporaryDirectory, textOf } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { readLocalConfig } from "../src/config.ts";
import { createLocal, type Local } from "../src/local.ts";
import { readExample } from "./support/example.ts";

const examples = resolve(import.meta.dirname, "../../../examples");
const exampleAgent = await readExample("support-chat");

async function startLocal(
  t: TestContext,
  directory: string,
  more: Record<string, string> = {},
): Promise<Local> {
  const config = readLocalConfig({ PORT: "0", DATA_DIR: directory, DEMO_WORD_DELAY_MS: "0", ...more });
  const local = createLocal(config, silentLogger, (error) => assert.fail(error));
  await local.start();
  t.onTestFinished(() => local.stop());
  return local;
}

function bootstrapKeyOf(local: Local): string {
  assert.ok(local.bootstrapKey);
  return local.bootstrapKey.reveal();
}

const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

for (const transport of ["in-process", "grpc"]) {
  test(`a new user creates the example agent, opens a session and sees the response stream (${transport})`, async (t) => {
    const local = await startLocal(t, await temporaryDirectory(t), { MUSTER_TRANSPORT: transport });
    const client = new TestClient(local.url, bootstrapKeyOf(local));
    const agentId = await client.field("agentId", 201, "POST", "/api/agents", exampleAgent);
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    const events = await client.trigger(sessionId, say("Hello there"));
    assert.match(textOf(events), /Hello there/);
    const types = events.map((event) => event.type);
    assert.equal(types[0], "start");
    assert.deepEqual(types.slice(-2), ["persisted", "finish"]);
    assert.equal(events.at(-1)?.finishReason, "stop");
    const session = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
    assert.equal(session.status, "active");
    const messages = session.messages;
    assert.ok(Array.isArray(messages));
    assert.deepEqual(
      messages.map((message) => [record(message).role, record(message).status]),
      [
        ["user", "done"],
        ["assistant", "done"],
      ],
    );
  });
}

test("sessions, agents and keys survive a restart, and only the first start shows the admin key", async (t) => {
  const directory = await temporaryDirectory(t);
  const first = await startLocal(t, directory);
  const key = bootstrapKeyOf(first);
  const before = new TestClient(first.url, key);
  const agentId = await before.field("agentId", 201, "POST", "/api/agents", exampleAgent);
  const sessionId = await before.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  await before.trigger(sessionId, say("Remember me"));
  const stored = await before.json(200, "GET", `/api/agent-sessions/${sessionId}`);
  await first.stop();

  const second = await startLocal(t, directory);
  assert.equal(second.bootstrapKey, undefined);
  const after = new TestClient(second.url, key);
  assert.deepEqual(await after.json(200, "GET", `/api/agent-sessions/${sessionId}`), stored);
  assert.equal((await after.json(200, "GET", "/api/agents/support-chat?by=slug")).id, agentId);
  assert.match(textOf(await after.trigger(sessionId, say("Still there?"))), /Still there/);
});

test("the example's client executes the tools that the agent asks for", async (t) => {
  const local = await startLocal(t, await temporaryDirectory(t));
  const key = bootstrapKeyOf(local);
  await new TestClient(local.url, key).json(201, "POST", "/api/agents", exampleAgent);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(examples, "support-chat/client.mjs"), "Where is order 1042? Please use get-order."],
    { env: { ...process.env, MUSTER_URL: local.url, MUSTER_API_KEY: key } },
  );
  assert.match(stdout, /\[get-order \{"orderNumber":".*1042.*"\}\]/);
  assert.match(stdout, /Pigeon Post/);
});
