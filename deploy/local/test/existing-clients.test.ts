import assert from "node:assert/strict";
import { record, type TestClient } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { startTestServer } from "./support/server.ts";

/** Like a folder that was written for another server: it lists much that a plain message does not need. */
const published = {
  settings: { slug: "published", name: "Published", format: "interactive" },
  protocol: `
input:
  COMPANY: { type: string, default: Acme }
  FILES: { type: "file[]", optional: true }
tools: { get-order: { description: Looks an order up., parameters: { number: { type: string } }, display: stream } }
workers: { research: { description: Researches. } }
mcpServers: { tracker: { description: Issues., source: remote, execution: device } }
onDemandMcpServers: { remote: { description: Others. } }
skills: { charts: }
triggers: { user-message: { input: { USER_MESSAGE: { type: string } } } }
agent:
  model: demo/echo
  system: system
  input: [COMPANY]
  tools: [get-order]
  workers: [research]
  mcpServers: [tracker]
  onDemandMcpServers: [remote]
  skills: [charts]
  maxSteps: 5
  webSearch: true
  imageModel: google/gemini-2.5-flash-image
  speechModel: elevenlabs/eleven_v3
  sandboxTimeout: 600000
  contextManagement: { thresholdPercent: 0.8, recentPercent: 0.2 }
handlers:
  user-message:
    Summary: { block: start-thread }
    Add it: { block: add-message, role: user, prompt: message, input: [USER_MESSAGE], files: [FILES] }
    Answer: { block: next-message }
`,
  prompts: [
    { name: "system", content: "You help customers of {{COMPANY}}." },
    { name: "message", content: "{{USER_MESSAGE}}" },
  ],
};

async function startWithAgent(t: TestContext) {
  const { client } = await startTestServer(t, { DEMO_WORD_DELAY_MS: "0" });
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", published);
  return { client, agentId };
}

async function trigger(client: TestClient, sessionId: string, more: object) {
  const input = { USER_MESSAGE: "Use get-order for 7" };
  return client.trigger(sessionId, { triggerName: "user-message", input, ...more });
}

function records(value: unknown): Array<Record<string, unknown>> {
  assert.ok(Array.isArray(value));
  return value.map(record);
}

test("a session of a published folder answers, takes an empty tool result, and reads as its clients expect", async (t) => {
  const { client, agentId } = await startWithAgent(t);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const paused = await trigger(client, sessionId, {});
  const [call] = records(paused.find(({ type }) => type === "tool-request")?.toolCalls);
  assert.equal(call?.toolName, "get-order");
  const { toolCallId, toolName } = call;
  const done = await trigger(client, sessionId, { toolResults: [{ toolCallId, toolName }] });
  assert.equal(done.at(-1)?.finishReason, "stop");

  const path = `/api/agent-sessions/${sessionId}`;
  const messages = records((await client.json(200, "GET", path)).messages);
  for (const { content, visible, parts } of messages) {
    const texts = records(parts).flatMap(({ type, text }) => (type === "text" ? text : []));
    assert.deepEqual([content, visible], [texts.join(""), true]);
    assert.ok(records(parts).every((part) => part.visible === true));
  }
  const called = records(messages[1]?.parts).find(({ type }) => type === "tool-call");
  assert.deepEqual([called?.result, called?.status], [null, "done"]);
  const shown = records((await client.json(200, "GET", `${path}?format=ui`)).messages);
  assert.ok(shown.every((message) => !("content" in message) && !("visible" in message)));
});

test("tools of the user's page arrive with the trigger and are shown as the definition declares their server", async (t) => {
  const { client } = await startTestServer(t, { DEMO_WORD_DELAY_MS: "0" });
  const protocol = published.protocol
    .replace(
      "mcpServers: {",
      "mcpServers: { page: { description: The page., source: consumer, display: title, title: Page },",
    )
    .replace("mcpServers: [tracker]", "mcpServers: [tracker, page]");
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", { ...published, protocol });
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });
  const dynamicToolSchemas = [tool("other__click"), tool("page__click")];
  const ask = (USER_MESSAGE: string) =>
    trigger(client, sessionId, { input: { USER_MESSAGE }, dynamicToolSchemas });
  const paused = await ask("Use page__click");
  const { toolCallId } = records(paused.find(({ type }) => type === "tool-request")?.toolCalls)[0] ?? {};
  const begun = paused.find(({ type }) => type === "tool-input-start");
  assert.deepEqual([begun?.toolName, begun?.title, begun?.display], ["page__click", "Page", "title"]);
  const done = await trigger(client, sessionId, { toolResults: [{ toolCallId, result: "private" }] });
  assert.ok(!JSON.stringify([paused, done.filter(({ type }) => type !== "text-delta")]).includes("private"));
  const dropped = await ask("Use other__click");
  assert.ok(dropped.every(({ type }) => type !== "tool-request"));
});

test("a file of a type and a size that the operator allows is uploaded, and the model reads it as text", async (t) => {
  const { client } = await startTestServer(t, {
    DEMO_WORD_DELAY_MS: "0",
    FILES_MEDIA_TYPES: "text/csv",
    FILES_MAX_BYTES: "60000000",
  });
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", published);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const announce = (size: number, mediaType = "text/csv") => {
    const files = [{ filename: "a.csv", mediaType, size }];
    return client.json(
      size > 60_000_000 || mediaType !== "text/csv" ? 400 : 200,
      "POST",
      "/api/files/upload-urls",
      {
        sessionId,
        files,
      },
    );
  };
  assert.equal((await announce(60_000_001)).code, "FILE_TOO_LARGE");
  assert.equal((await announce(1, "text/html")).code, "UNSUPPORTED_MEDIA_TYPE");
  await announce(60_000_000);
  const [{ id, uploadUrl, downloadUrl: url } = {}] = records((await announce(7)).files);
  const headers = { "content-type": "text/csv" };
  const put = await fetch(String(uploadUrl), { method: "PUT", headers, body: "a,b\n1,2" });
  assert.equal(put.status, 204);
  const read = await fetch(String(url), { headers: { accept: "text/csv" } });
  assert.deepEqual([read.status, read.headers.get("content-type")], [200, "text/csv"]);
  const protocol = published.protocol
    .replace(
      "{ USER_MESSAGE: { type: string } }",
      "{ USER_MESSAGE: { type: string }, TABLE: { type: file } }",
    )
    .replace("files: [FILES]", "files: [TABLE]");
  await client.json(200, "PATCH", `/api/agents/${agentId}`, { protocol });
  const fresh = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const refused = await client.json(400, "POST", `/api/agent-sessions/${fresh}/trigger`, {
    triggerName: "user-message",
    input: { USER_MESSAGE: "x", TABLE: { id, mediaType: "text/html", url: "https://example.com/a" } },
  });
  assert.match(String(refused.error), /must be one of .*text\/csv/);
  const files = [{ filename: "a.csv", mediaType: "text/csv", size: 7 }];
  const own = await client.json(200, "POST", "/api/files/upload-urls", { sessionId: fresh, files });
  const [{ uploadUrl: to, downloadUrl } = {}] = records(own.files);
  assert.equal((await fetch(String(to), { method: "PUT", headers, body: "a,b\n1,2" })).status, 204);
  const input = { USER_MESSAGE: "What is in it?", TABLE: { id, mediaType: "text/csv", url: downloadUrl } };
  const events = await client.trigger(fresh, { triggerName: "user-message", input });
  const said = events.flatMap(({ type, delta }) => (type === "text-delta" ? String(delta) : []));
  assert.match(said.join(""), /text\/csv, 7 bytes/);
});

test("clients can name the expiry of a session: its trigger is 409 with a code, which its sentence repeats", async (t) => {
  const { client, agentId } = await startWithAgent(t);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  await client.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
  const body = { triggerName: "user-message", input: { USER_MESSAGE: "Hello" } };
  const { code, error } = await client.json(409, "POST", `/api/agent-sessions/${sessionId}/trigger`, body);
  assert.equal(code, "SESSION_EXPIRED");
  assert.match(String(error), /expired \(SESSION_EXPIRED\); restore it/);
});

test("misspelt session input is refused with the closest name", async (t) => {
  const { client, agentId } = await startWithAgent(t);
  const body = { agentId, input: { COMPNAY: "Acme" } };
  const { code, error, issues } = await client.json(400, "POST", "/api/agent-sessions", body);
  assert.deepEqual([code, error], ["INVALID_INPUT", "COMPNAY is not declared. Did you mean COMPANY?"]);
  assert.equal(records(issues)[0]?.path, "input.COMPNAY");
});

test("creating and changing an agent with errors names the errors in the text that every client shows", async (t) => {
  const { client, agentId } = await startWithAgent(t);
  const protocol = published.protocol.replace("tools: [get-order]", "tools: [get-ordr]");
  const refusals = [
    await client.json(422, "POST", "/api/agents", { ...published, protocol }),
    await client.json(422, "PATCH", `/api/agents/${agentId}`, { protocol }),
  ];
  for (const { code, error } of refusals) {
    assert.equal(code, "INVALID_DEFINITION");
    assert.match(String(error), /^The definition has an error\. agent\.tools\.0: Line \d+, .*"get-ordr"/);
  }
});
