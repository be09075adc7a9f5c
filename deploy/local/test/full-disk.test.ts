import assert from "node:assert/strict";
import { startStoreOnDisk } from "@muster/embedded-store/testing/full-disk";
import { record, StreamReader, TestClient, textOf, until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { readExample } from "./support/example.ts";
import { startTestServer } from "./support/server.ts";

const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

async function startOnDisk(t: TestContext, env: Record<string, string> = {}) {
  const disk = await startStoreOnDisk(t);
  const { client } = await startTestServer(t, { MONGODB_URI: disk.uri, ...env });
  const definition = await readExample("support-chat");
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", definition);
  // Every service has to make its indexes before the disk is full: a first start on a full disk ends the process.
  await client.json(200, "GET", "/api/admin/workforce/agents");
  const newSession = () => client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  return { ...disk, client, definition, agentId, newSession };
}

async function degradedOf(client: TestClient): Promise<unknown> {
  return (await client.json(200, "GET", "/readyz")).degraded;
}

test("on a full disk each write is 503 STORAGE_FULL, reads and deletions work, and all works again with space", async (t) => {
  const { client, fill, free, definition, agentId, newSession } = await startOnDisk(t);
  const [sessionId, unneeded] = [await newSession(), await newSession()];
  await client.trigger(sessionId, say("Hello"));
  const key = await client.json(201, "POST", "/api/admin/keys", { name: "k", permissions: ["sessions"] });
  const token = await client.json(201, "POST", "/api/tokens", { agentId, sessionId });
  const named = (slug: string) => ({ ...definition, settings: { ...record(definition.settings), slug } });
  const another = await client.field("agentId", 201, "POST", "/api/agents", named("another"));
  assert.equal(await degradedOf(client), undefined);
  fill();
  const writes: [method: string, path: string, body: unknown][] = [
    ["POST", "/api/agents", named("third")],
    ["PATCH", `/api/agents/${agentId}`, { settings: { name: "New" } }],
    ["POST", "/api/agent-sessions", { agentId }],
    ["POST", "/api/agent-sessions/start", { agentId, trigger: say("Anyone?") }],
    ["POST", `/api/agent-sessions/${sessionId}/trigger`, say("Anyone?")],
    ["PATCH", `/api/agent-sessions/${sessionId}`, { metadata: { a: "b" } }],
    ["POST", "/api/admin/keys", { name: "k", permissions: ["sessions"] }],
    ["POST", "/api/tokens", { agentId, sessionId }],
  ];
  for (const [method, path, body] of writes) {
    const response = await client.request(method, path, body);
    const { code, error } = record(await response.json());
    assert.deepEqual([response.status, code], [503, "STORAGE_FULL"], `${method} ${path}: ${error}`);
    assert.match(String(error), /disk of the document store is full.*Free space on it, or delete data/);
    assert.ok(Number(response.headers.get("retry-after")) >= 1);
  }
  await until("readiness says so", async () => Array.isArray(await degradedOf(client)));
  assert.deepEqual(await degradedOf(client), ["storage-full"]);
  for (const path of [
    `/api/agent-sessions/${sessionId}`,
    `/api/agent-sessions/${sessionId}/logs`,
    "/api/agent-sessions",
    "/api/agents",
    `/api/agents/${agentId}`,
    "/api/admin/keys",
  ])
    await client.json(200, "GET", path);
  const deletions: [method: string, path: string, body?: unknown][] = [
    ["DELETE", `/api/agent-sessions/${unneeded}`],
    ["DELETE", `/api/agents/${another}`],
    ["DELETE", `/api/admin/keys/${key.id}`],
    ["POST", "/api/tokens/revoke", { token: token.token }],
  ];
  for (const [method, path, body] of deletions) {
    const response = await client.request(method, path, body);
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${await response.text()}`);
  }
  assert.equal((await client.json(200, "GET", `/api/agent-sessions/${unneeded}`)).status, "expired");
  free();
  await until("readiness is as before", async () => (await degradedOf(client)) === undefined);
  assert.match(textOf(await client.trigger(sessionId, say("Back again"))), /Back again/);
});

test("a turn that meets a full disk ends with an error event, and the session continues as soon as there is space", async (t) => {
  const { client, fill, free, newSession } = await startOnDisk(t, { DEMO_WORD_DELAY_MS: "20" });
  const sessionId = await newSession();
  await client.trigger(sessionId, say("First"));
  const response = await client.request("POST", `/api/agent-sessions/${sessionId}/trigger`, say("Second"));
  const reader = new StreamReader(response);
  await reader.readUntil("text-delta");
  fill();
  const events = await reader.rest();
  const { type, code, retryable, source } = record(events.at(-1));
  assert.deepEqual(
    { type, code, retryable, source },
    { type: "error", code: "STORAGE_FULL", retryable: true, source: "platform" },
  );
  free();
  await until("the store has noticed", async () => (await degradedOf(client)) === undefined);
  assert.match(textOf(await client.trigger(sessionId, say("Third"))), /Third/);
});

test("runs of workforce agents that meet a full disk, or begin on one, wait and complete once there is space", async (t) => {
  const { client, fill, free, refused } = await startOnDisk(t, { DEMO_WORD_DELAY_MS: "20" });
  const dispatch = async (name: string) => {
    const hired = { name, prebuilt: "log-analyst" };
    const { agentId, key } = await client.json(201, "POST", "/api/admin/workforce/agents", hired);
    const own = new TestClient(client.url, String(key));
    const threads = `/api/v1/workforce/agents/${agentId}/threads`;
    const threadId = await own.field("threadId", 201, "POST", threads, { message: "Count to ten" });
    return () => own.json(200, "GET", `${threads}/${threadId}`);
  };
  const begun = await dispatch("Lou");
  await until("the run has begun", async () => (await begun()).status === "running");
  const dispatched = await dispatch("Kim");
  fill();
  await until("the writes of the runs are repeated", () => refused() > 6, 60_000);
  free();
  for (const read of [begun, dispatched]) {
    await until(
      "the run has ended",
      async () => !/running|pending/.test(String((await read()).status)),
      60_000,
    );
    const { status, failureReason, messages } = await read();
    assert.deepEqual([status, failureReason], ["completed", null]);
    assert.match(JSON.stringify(messages), /Count to ten.*Count to ten/, "the reply is missing");
  }
});
