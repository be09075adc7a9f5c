import assert from "node:assert/strict";
import { serverKinds } from "@muster/mcp-client/testing";
import { record, serve, TestClient, until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, test } from "vitest";
import { answerToolCallExample } from "../../../../services/gateway/src/schemas/examples.ts";
import { startTestServer, type TestServer } from "../support/server.ts";

const protocol = (url: string) => `
input: {}
tools:
  look-up:
    description: Looks an order up.
    parameters: { order: { type: string } }
    http: { url: "${url}/orders" }
  ship:
    description: Ships an order, which takes a while.
    parameters: { order: { type: string } }
    display: stream
    http: { url: "${url}/shipments", openFor: 2h }
mcpServers:
  tickets: { description: Tickets, source: remote, connection: eager, display: stream }
triggers:
  user-message:
    input: { TASK: { type: string, description: The task } }
agent: { model: demo/echo, tools: [look-up, ship], mcpServers: [tickets], agentic: true }
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: task, input: [TASK] }
    Answer: { block: next-message }
`;

const definition = (url: string) => ({
  settings: { slug: "reader", name: "Reader", format: "interactive" },
  protocol: protocol(url),
  prompts: [{ name: "task", content: "{{TASK}}" }],
});

type Fields = Record<string, unknown>;
const recordsIn = (list: unknown) => (Array.isArray(list) ? list.map(record) : []);
const messagesIn = (document: Fields) => recordsIn(document.messages);
const filesIn = (messages: Fields[]) =>
  messages.flatMap(({ parts }) => recordsIn(parts)).filter(({ type }) => type === "file");

/** Downloads the files, which are those of the tool `files`. */
async function assertDownloads(files: readonly Fields[], base: string) {
  assert.deepEqual(
    files.map(({ mediaType, filename, size }) => [mediaType, filename, size]),
    [
      ["image/png", "image-1.png", 68],
      ["audio/wav", "audio-2.wav", 3],
      ["application/pdf", "b.pdf", 4],
      ["text/plain", "c.txt", 8],
    ],
  );
  for (const { url, mediaType, size } of files) {
    assert.ok(String(url).startsWith(`${base}/api/files/file_`), String(url));
    const response = await fetch(String(url), { headers: { accept: String(mediaType) } });
    const content = Buffer.from(await response.arrayBuffer());
    assert.deepEqual(
      [response.status, response.headers.get("content-type"), content.length],
      [200, mediaType, size],
    );
    if (mediaType === "image/png") assert.equal(content.toString("latin1", 1, 4), "PNG");
  }
}

describe("tools that the platform runs", () => {
  const scope = suiteScope();
  const bodies: unknown[] = [];
  const shipments: Fields[] = [];
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  let server: TestServer;
  let service: string;

  beforeAll(async () => {
    service = await serve(scope, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        if (request.url === "/shipments") {
          shipments.push(record(JSON.parse(body)));
          response.writeHead(202).end('{"accepted":true}');
        } else {
          bodies.push(JSON.parse(body));
          response.end('{"state":"shipped"}');
        }
      });
    });
    const { "v2 stateless": handler } = serverKinds;
    assert.ok(handler);
    const tickets = await serve(scope, handler());
    const allowed = { MCP_ALLOWED_HOSTS: "127.0.0.1", TOOL_ALLOWED_HOSTS: "127.0.0.1" };
    server = await startTestServer(scope, allowed);
    const { host } = new URL(service);
    const { client } = server;
    await client.json(200, "PATCH", "/api/admin/projects/default", { toolHosts: [host] });
    await client.json(200, "PUT", `/api/admin/projects/default/tool-secrets/${host}`, { secret });
    await client.json(201, "POST", "/api/admin/mcp-servers", { slug: "tickets", url: `${tickets}/mcp` });
    await client.json(201, "POST", "/api/agents", definition(service));
  });

  test("a run of a workforce agent calls MCP servers and HTTP tools, and its hire warns about none of them", async () => {
    const { client, url } = server;
    const hired = await client.json(201, "POST", "/api/admin/workforce/agents", {
      name: "Rae",
      agentSlug: "reader",
    });
    assert.deepEqual(hired.warnings, []);
    const rae = new TestClient(url, String(hired.key));
    const path = `/api/v1/workforce/agents/${hired.agentId}/threads`;
    const ended = async (message: string) => {
      const threadId = await rae.field("threadId", 201, "POST", path, { message });
      for (;;) {
        const thread = record(await rae.json(200, "GET", `${path}/${threadId}?wait=25`));
        if (!["pending", "queued", "running"].includes(String(thread.status))) return { threadId, thread };
      }
    };
    const { thread } = await ended("Please use tickets__structured.");
    assert.equal(thread.status, "completed");
    assert.match(JSON.stringify(thread.messages), /tickets__structured returned: .*open.*3/);
    const looked = await ended("Please use look-up, order 1042.");
    assert.match(JSON.stringify(looked.thread.messages), /The tool look-up returned state shipped\./);
    assert.partialDeepStrictEqual(bodies, [
      { toolName: "look-up", threadId: looked.threadId, agentId: hired.agentId },
    ]);
    const shown = await ended("Please use tickets__files.");
    await assertDownloads(filesIn(messagesIn(shown.thread)), url);
    const events = await rae.request("GET", `${path}/${shown.threadId}/events`);
    const lines = (await events.text()).split("\n").filter((line) => line.includes('"file-available"'));
    await assertDownloads(
      lines.map((line) => record(JSON.parse(line.replace("data: ", "")))),
      url,
    );
  });

  /** Sends what a service would, signed by a library of Standard Webhooks. */
  async function sendResult(callId: unknown, outcome: unknown, signedWith = secret) {
    const body = JSON.stringify(outcome);
    const [id, at] = [`result_${callId}`, new Date()];
    const headers = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
      "webhook-signature": new Webhook(signedWith).sign(id, at, body),
    };
    const path = `${server.url}/api/tool-calls/${callId}/result`;
    const response = await fetch(path, { method: "POST", headers, body });
    return { status: response.status, json: record(await response.json()) };
  }

  test("a session whose call a service has accepted waits for its signed result, the first of which counts", async () => {
    const { client } = server;
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", {
      agentSlug: "reader",
    });
    const say = { triggerName: "user-message", input: { TASK: "Please use ship, order 1042." } };
    const path = `/api/agent-sessions/${sessionId}`;
    const turn = await client.json(200, "POST", `${path}/trigger`, { ...say, stream: false });
    const [shipment = {}] = shipments.splice(0);
    const { callId, toolCallId } = shipment;
    assert.equal(turn.finishReason, "other");
    assert.partialDeepStrictEqual(turn, { openCalls: [{ callId, toolCallId, toolName: "ship" }] });
    const forged = await sendResult(callId, { result: 1 }, `whsec_${Buffer.alloc(32, 8).toString("base64")}`);
    const unknown = await sendResult(String(callId).replace(/\d/g, "0"), { result: 1 });
    for (const { status, json } of [forged, unknown])
      assert.deepEqual([status, json.code, json.error], [401, "UNAUTHENTICATED", forged.json.error]);
    assert.equal((await sendResult(callId, { error: 7 })).status, 400);
    const sent = await sendResult(callId, answerToolCallExample);
    assert.deepEqual([sent.status, sent.json.callId], [200, callId]);
    assert.deepEqual(await sendResult(callId, answerToolCallExample), sent);
    assert.deepEqual((await sendResult(callId, { result: 2 })).json.code, "TOOL_CALL_ANSWERED");
    const events = await client.request("GET", `${path}/executions/${turn.executionId}/events`);
    assert.match(await events.text(), /"tool-output-available".*rf_1042.*"finishReason":"stop"/s);
    const next = await client.json(200, "POST", `${path}/trigger`, { ...say, stream: false });
    assert.equal(next.finishReason, "other");
    await client.json(200, "DELETE", path);
    const late = await sendResult(shipments.splice(0)[0]?.callId, { result: 1 });
    assert.deepEqual([late.status, late.json.code], [410, "TOOL_CALL_CLOSED"]);
  });

  test("a run of a workforce agent whose call a service has accepted leaves its agent, and continues with the result", async () => {
    const { client, url } = server;
    const hired = await client.json(201, "POST", "/api/admin/workforce/agents", {
      name: "Sam",
      agentSlug: "reader",
    });
    const sam = new TestClient(url, String(hired.key));
    const path = `/api/v1/workforce/agents/${hired.agentId}/threads`;
    const begin = (message: string) => sam.field("threadId", 201, "POST", path, { message });
    const threadWhen = async (threadId: string, isDone: (thread: Fields) => boolean) => {
      for (;;) {
        const thread = record(await sam.json(200, "GET", `${path}/${threadId}?wait=25`));
        if (isDone(thread)) return thread;
      }
    };
    const threadId = await begin("Please use ship, order 1042.");
    const waiting = await threadWhen(threadId, ({ waitingFor }) => waitingFor !== null);
    const [{ callId, toolCallId, threadId: sentFor } = {}] = shipments.splice(0);
    assert.equal(sentFor, threadId);
    const { since: _, ...waitingFor } = record(waiting.waitingFor);
    assert.deepEqual([waiting.status, waitingFor], ["queued", { type: "tool", toolCallIds: [toolCallId] }]);
    const isOver = ({ status }: Fields) => !["pending", "queued", "running"].includes(String(status));
    const other = await threadWhen(await begin("Hello."), isOver);
    assert.equal(other.status, "completed");
    assert.equal((await sendResult(callId, { result: { parcel: "p_7" } })).status, 200);
    const thread = await threadWhen(threadId, isOver);
    assert.equal(thread.status, "completed");
    assert.match(JSON.stringify(thread.messages), /The tool ship returned parcel p_7\./);
    assert.equal(shipments.length, 0);
    const cancelled = await begin("Please use ship, order 1043.");
    await threadWhen(cancelled, ({ waitingFor }) => waitingFor !== null);
    await sam.json(200, "POST", `${path}/${cancelled}/cancel`, {});
    const { callId: closed } = shipments.splice(0)[0] ?? {};
    await until("the call is closed", async () => (await sendResult(closed, { result: 1 })).status === 410);
    assert.equal((await threadWhen(cancelled, isOver)).status, "cancelled");
  });

  test("the files in a result of an MCP server can be downloaded from the stream, the JSON answer and each later read", async () => {
    const { client, url } = server;
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", {
      agentSlug: "reader",
    });
    const say = { triggerName: "user-message", input: { TASK: "Please use tickets__files." } };
    const events = await client.trigger(sessionId, say);
    await assertDownloads(
      events.filter(({ type }) => type === "file-available"),
      url,
    );
    const path = `/api/agent-sessions/${sessionId}`;
    const answer = await client.json(200, "POST", `${path}/trigger`, { ...say, stream: false });
    await assertDownloads(filesIn([record(answer.message)]), url);
    const [first, ...others] = filesIn(messagesIn(await client.json(200, "GET", path)));
    assert.equal(others.length, 7);
    await assertDownloads([first ?? {}, ...others.slice(0, 3)], url);
    assert.doesNotMatch(JSON.stringify([events, answer]), /muster\.invalid/);
    await client.json(200, "DELETE", path);
    assert.equal((await fetch(String(first?.url))).status, 404);
  });
});
