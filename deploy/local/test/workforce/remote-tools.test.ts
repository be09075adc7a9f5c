import assert from "node:assert/strict";
import { serverKinds } from "@muster/mcp-client/testing";
import { record, serve, TestClient } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startTestServer, type TestServer } from "../support/server.ts";

const protocol = (url: string) => `
input: {}
tools:
  look-up:
    description: Looks an order up.
    parameters: { order: { type: string } }
    http: { url: "${url}/orders" }
mcpServers:
  tickets: { description: Tickets, source: remote, connection: eager, display: stream }
triggers:
  user-message:
    input: { TASK: { type: string, description: The task } }
agent: { model: demo/echo, tools: [look-up], mcpServers: [tickets], agentic: true }
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
    const response = await fetch(String(url));
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
  let server: TestServer;
  let service: string;

  beforeAll(async () => {
    service = await serve(scope, (request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        bodies.push(JSON.parse(body));
        response.end('{"state":"shipped"}');
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
    await client.json(200, "PUT", `/api/admin/projects/default/tool-secrets/${host}`, {});
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
