import assert from "node:assert/strict";
import { serverKinds } from "@muster/mcp-client/testing";
import { record, serve, TestClient } from "@muster/testing";
import { test } from "vitest";
import { startTestServer } from "../support/server.ts";

const protocol = (url: string) => `
input: {}
tools:
  look-up:
    description: Looks an order up.
    parameters: { order: { type: string } }
    http: { url: "${url}/orders" }
mcpServers:
  tickets: { description: Tickets, source: remote, connection: eager }
triggers:
  user-message:
    input: { TASK: { type: string, description: The task } }
agent: { model: demo/echo, tools: [look-up], mcpServers: [tickets], agentic: true }
handlers:
  user-message:
    Add: { block: add-message, role: user, prompt: task, input: [TASK] }
    Answer: { block: next-message }
`;

test("a run of a workforce agent calls MCP servers and HTTP tools, and its hire warns about none of them", async (t) => {
  const bodies: unknown[] = [];
  const service = await serve(t, (request, response) => {
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
  const tickets = await serve(t, handler());
  const allowed = { MCP_ALLOWED_HOSTS: "127.0.0.1", TOOL_ALLOWED_HOSTS: "127.0.0.1" };
  const { client, url } = await startTestServer(t, allowed);
  const { host } = new URL(service);
  await client.json(200, "PATCH", "/api/admin/projects/default", { toolHosts: [host] });
  await client.json(200, "PUT", `/api/admin/projects/default/tool-secrets/${host}`, {});
  await client.json(201, "POST", "/api/admin/mcp-servers", { slug: "tickets", url: `${tickets}/mcp` });
  const definition = {
    settings: { slug: "reader", name: "Reader", format: "interactive" },
    protocol: protocol(service),
    prompts: [{ name: "task", content: "{{TASK}}" }],
  };
  const defined = await client.field("agentId", 201, "POST", "/api/agents", definition);
  const hired = await client.json(201, "POST", "/api/admin/workforce/agents", {
    name: "Rae",
    agentId: defined,
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
});
