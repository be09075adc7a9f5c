import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { record, TestClient } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startTestServer, type TestServer } from "../support/server.ts";
import { echoAgent } from "../support/world.ts";

const info = { name: "test", version: "1" };

const listing = { name: "muster_agents_list", arguments: {} };
const jsonHeaders = {
  ...{ accept: "application/json, text/event-stream", "content-type": "application/json" },
};

const reading = [
  ...["muster_agents_list", "muster_agents_get", "muster_agents_validate", "muster_sessions_list"],
  ...["muster_sessions_read", "muster_sessions_trace", "muster_workforce_list", "muster_workforce_threads"],
  ...["muster_workforce_read", "muster_approvals_list"],
];
const ofWorker = [
  ...["muster_workforce_threads", "muster_workforce_dispatch", "muster_workforce_read"],
  ...["muster_workforce_follow_up", "muster_workforce_cancel"],
];

describe("the MCP server", () => {
  const scope = suiteScope();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(scope);
  });

  async function connect(key: string, query = "") {
    const client = new Client(info, { versionNegotiation: { mode: "auto" } });
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    const url = new URL(`${server.url}/mcp${query}`);
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    scope.onTestFinished(() => client.close());
    const call = async (name: string, args: Record<string, unknown> = {}, onprogress = () => undefined) => {
      const { content, isError } = await client.callTool({ name, arguments: args }, { onprogress });
      assert.ok(content[0]?.type === "text");
      return { text: content[0].text, isError: isError === true };
    };
    const ask = async (...args: Parameters<typeof call>) => {
      const { text, isError } = await call(...args);
      assert.ok(!isError, text);
      return record(JSON.parse(text));
    };
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    return { client, call, ask, names };
  }

  async function hire(fields: Record<string, unknown> = {}) {
    const body = { name: "Lou", prebuilt: "log-analyst", ...fields };
    const { agentId, key } = await server.client.json(201, "POST", "/api/admin/workforce/agents", body);
    return { agentId: String(agentId), key: String(key) };
  }

  test("an agent is validated, deployed twice, read and archived, and its sessions have their trace", async () => {
    const { ask, call } = await connect(server.key);
    const definition = echoAgent("by-mcp");
    assert.equal((await ask("muster_agents_validate", definition)).valid, true);
    const { agentId } = await ask("muster_agents_deploy", definition);
    const second = { ...definition, settings: { ...definition.settings, name: "Second" } };
    assert.equal((await ask("muster_agents_deploy", second)).agentId, agentId);
    const read = await ask("muster_agents_get", { id: "by-mcp", by: "slug" });
    assert.equal(record(read.settings).name, "Second");
    const sessionId = await server.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    // Longer than a result may be.
    for (let turn = 1; turn <= 3; turn++) {
      const input = { USER_MESSAGE: `${turn} ${"x".repeat(30_000)}` };
      await server.client.trigger(sessionId, { triggerName: "user-message", input });
    }
    const { text } = await call("muster_sessions_read", { sessionId, format: "ui" });
    const { messages, note } = JSON.parse(text);
    assert.ok(text.length <= 64 * 1024 && messages.length < 6, String(text.length));
    assert.match(note, /older messages are left out/);
    assert.match(messages.at(-1).parts[0].text, /3 x/);
    const trace = await call("muster_sessions_trace", { sessionId, limit: 100 });
    assert.match(trace.text, /\[Cut after 65536 of \d+ bytes/);
    assert.ok(Array.isArray((await ask("muster_sessions_trace", { sessionId, limit: 1 })).entries));
    assert.ok((await ask("muster_sessions_list", { limit: 1 })).sessions);
    await ask("muster_agents_archive", { id: agentId });
  });

  test("a refusal of a route is an error of the tool with its code and issues", async () => {
    const { call } = await connect(server.key);
    const unknown = await call("muster_agents_get", { id: "agt_none" });
    assert.deepEqual([unknown.isError, JSON.parse(unknown.text).code], [true, "NOT_FOUND"]);
    const { agentId } = await hire({ limits: { monthlyRuns: 0 } });
    const wrong = await call("muster_workforce_dispatch", { agentId, message: 7 });
    assert.partialDeepStrictEqual(JSON.parse(wrong.text), { issues: [{ path: "message" }] });
    assert.ok((await call("muster_none")).isError);
  });

  test("arguments that are not ids are refused, whichever route they would name", async () => {
    const { call } = await connect(server.key);
    for (const id of ["..", ".", "", { toString: 1 }, ["agt_none"]]) {
      const { text, isError } = await call("muster_agents_get", { id });
      assert.deepEqual([isError, JSON.parse(text).code], [true, "INVALID_REQUEST"], text);
    }
    const thread = { agentId: "agt_none", threadId: "thr_none", wait: { toString: 1 } };
    const { text } = await call("muster_workforce_read", thread);
    assert.equal(JSON.parse(text).code, "INVALID_REQUEST");
  });

  test("a client is served whatever its request says about the host", async () => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: listing });
    for (const host of ["a@b", "x:99999", "a b"]) {
      const headers = { authorization: `Bearer ${server.key}`, host, ...jsonHeaders };
      const sent = request(`${server.url}/mcp`, { method: "POST", headers });
      sent.end(body);
      const [response] = await once(sent, "response");
      assert.equal(response.statusCode, 200, host);
      assert.match(await textOf(response), /agents/);
    }
  });

  test("work is dispatched once, waited for with progress, followed up and cancelled, also with the agent's key", async () => {
    const { agentId, key } = await hire();
    const manager = await connect(server.key);
    const own = await connect(key);
    const dispatch = { agentId, message: "Which word is most frequent? a b a", idempotencyKey: "k" };
    const { threadId } = await manager.ask("muster_workforce_dispatch", dispatch);
    assert.equal((await own.ask("muster_workforce_dispatch", dispatch)).threadId, threadId);
    let progress = 0;
    const wait = { agentId, threadId, wait: 60 };
    const thread = await manager.ask("muster_workforce_read", wait, () => void progress++);
    assert.equal(thread.status, "completed");
    await own.ask("muster_workforce_follow_up", { agentId, threadId, message: "And now? b b b" });
    const again = await own.ask("muster_workforce_read", wait, () => void progress++);
    assert.equal(again.status, "completed");
    assert.ok(progress > 0);
    assert.equal((await own.ask("muster_workforce_cancel", { agentId, threadId })).status, "completed");
    assert.ok(Array.isArray((await own.ask("muster_workforce_threads", { agentId })).threads));
    assert.ok((await own.call("muster_workforce_read", { agentId: "agt_none", threadId })).isError);
  });

  test("a client sees the tools that its key may use, and only those that read at the level read", async () => {
    const all = await (await connect(server.key)).names();
    assert.equal(all.length, 16);
    assert.deepEqual(await (await connect(server.key, "?access=read")).names(), reading);
    assert.deepEqual(await (await connect((await hire()).key)).names(), ofWorker);
    const body = { name: "k", permissions: ["sessions"] };
    const key = await server.client.field("key", 201, "POST", "/api/admin/keys", body);
    const { names, call } = await connect(key);
    assert.deepEqual(
      await names(),
      reading.filter((name) => /_sessions_|agents_(list|get)/.test(name)),
    );
    assert.ok((await call("muster_agents_archive", { id: "agt_none" })).isError);
    const refused = await new TestClient(server.url, "svc_sk_wrong").request("POST", "/mcp", {
      ...{ jsonrpc: "2.0", id: 7, method: "tools/list" },
    });
    assert.equal(refused.status, 401);
    assert.partialDeepStrictEqual(await refused.json(), {
      jsonrpc: "2.0",
      error: { data: { code: "UNAUTHENTICATED" } },
    });
  });

  test("a client of the earlier version lists and calls the same tools", async () => {
    const client = new OldClient(info);
    const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
    await client.connect(new OldTransport(new URL(`${server.url}/mcp`), { requestInit }));
    scope.onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    assert.equal(tools.length, 16);
    const annotations = tools.find(({ name }) => name === "muster_agents_list")?.annotations;
    assert.equal(annotations?.readOnlyHint, true);
    const { content } = await client.callTool({ name: "muster_agents_list", arguments: {} });
    assert.match(JSON.stringify(content), /agents/);
  });
});
