import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { Secret } from "@muster/service";
import { until } from "@muster/testing";
import { beforeEach, test } from "vitest";
import {
  createMcpClient,
  type McpAuth,
  type McpClient,
  type McpServer,
  type McpStage,
} from "../src/index.ts";
import { SlicedResponse } from "../src/sliced-response.ts";
import { mcpServer } from "./support/mcp-server.ts";
import {
  type Answer,
  answerTo,
  beginStream,
  oldAnswers,
  type ScriptedServer,
  sendJson,
  startScripted,
} from "./support/scripted-server.ts";

const { signal } = new AbortController();

let scripted: ScriptedServer;
let server: McpServer;
let mcp: McpClient;

beforeEach(async (t) => {
  scripted = await startScripted(t);
  server = mcpServer(scripted.url);
  mcp = createMcpClient({ version: "0.0.0", guard: { privateHosts: ["127.0.0.1"] } });
});

const call = (args = {}) => mcp.call(server, "echo", args, signal);

test("the first of two answers is the result", async () => {
  scripted.answers["tools/call"] = (right, response) => {
    const send = beginStream(response);
    for (const text of ["first", "second"]) send(answerTo(right, { content: [{ type: "text", text }] }));
    response.end();
  };
  assert.deepEqual(await call(), { type: "result", result: "first", files: [] });
});

test("a tool that asks for input fails, and says what it wanted", async () => {
  const requests = {
    a: {
      method: "elicitation/create",
      params: { mode: "form", message: "Which city?", requestedSchema: { type: "object", properties: {} } },
    },
  };
  scripted.answers["tools/call"] = (right, response) =>
    sendJson(
      response,
      answerTo(right, { resultType: "input_required", inputRequests: requests, requestState: "x" }),
    );
  assert.deepEqual(await call(), {
    type: "error",
    error: "The tool asks for input that an agent cannot give (elicitation/create: Which city?).",
  });
});

test("an error that the server answers is an error, which nothing leaves unknown", async () => {
  scripted.answers["tools/call"] = ({ id }, response) =>
    sendJson(response, { jsonrpc: "2.0", id, error: { code: -32_602, message: "No such\ntool" } });
  assert.deepEqual(await call(), {
    type: "error",
    error: 'The MCP server tickets answered with the error "No such tool".',
  });
});

test("arguments that a tool wants as headers are sent as headers, too", async () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const tools = [{ name: "echo", inputSchema: { type: "object", properties: { region } } }];
  scripted.answers["tools/list"] = (right, response) =>
    sendJson(response, answerTo(right, { tools, ttlMs: 0, cacheScope: "private" }));
  let received: unknown;
  scripted.answers["tools/call"] = (right, response) => {
    received = right.request.headers["mcp-param-region"];
    sendJson(response, answerTo(right, { content: [] }));
  };
  await mcp.list(server, signal);
  await call({ region: "west" });
  assert.equal(received, "west");
});

test("a tool is called again if its headers were refused, and nothing compiles its schemas", async () => {
  const outputSchema = { type: "object", properties: { open: { type: "number" } } };
  const tools = [{ name: "echo", inputSchema: { type: "object" }, outputSchema }];
  scripted.answers["tools/list"] = (right, response) =>
    sendJson(response, answerTo(right, { tools, ttlMs: 0, cacheScope: "private" }));
  let calls = 0;
  scripted.answers["tools/call"] = (right, response) => {
    if (++calls === 2)
      return sendJson(response, answerTo(right, { content: [], structuredContent: { open: "many" } }));
    response.statusCode = 400;
    const error = { code: -32_020, message: "A header is missing" };
    return sendJson(response, { jsonrpc: "2.0", id: right.id, error });
  };
  assert.deepEqual(await call(), { type: "result", result: { open: "many" }, files: [] });
  assert.deepEqual(scripted.asked, ["server/discover", "tools/call", "tools/list", "tools/call"]);
});

test("a server gets its headers and credentials, and no message repeats them", async () => {
  const auths: McpAuth[] = [
    { type: "bearer", token: new Secret("token-1234") },
    { type: "header", name: "X-Api-Key", value: new Secret("token-1234") },
  ];
  for (const auth of auths) {
    server = { ...mcpServer(scripted.url), auth, headers: { "x-team": "team-5678" } };
    let received = "";
    scripted.answers["server/discover"] = ({ id, request }, response) => {
      const { authorization = "", "x-api-key": key = "", "x-team": team } = request.headers;
      received = `${authorization}${key} of ${team}`;
      response.statusCode = 403;
      sendJson(response, { jsonrpc: "2.0", id, error: { code: 1, message: received } });
    };
    const denied = await mcp.test(server, signal);
    assert.ok(!denied.isUsable);
    assert.match(received, /^(Bearer )?token-1234 of team-5678$/);
    scripted.answers = {};
    scripted.answers["tools/list"] = ({ id }, response) =>
      sendJson(response, { jsonrpc: "2.0", id, error: { code: 1, message: received } });
    const report = await mcp.test(server, signal);
    assert.ok(!report.isUsable);
    assert.match(report.problem, /with the error "(Bearer )?\[secret\] of \[secret\]"\.$/);
  }
});

const refuse =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status).end();
const garbage: Answer = (right, response) => sendJson(response, answerTo(right, { tools: "none" }));

const reports: ReadonlyArray<[McpStage, string, Partial<McpServer>, ScriptedServer["answers"]]> = [
  ["address", "cannot be used: the URL must begin with https://", { url: "http://mcp.example/" }, {}],
  ["address", "cannot be used: the URL does not lead to a public address", { url: "https://10.0.0.1/" }, {}],
  ["connection", "cannot be reached", { url: "http://127.0.0.1:1/" }, {}],
  ["authorization", "refuses requests without credentials", {}, { "server/discover": refuse(401) }],
  ["authorization", "denies access with the credentials", {}, { "tools/list": refuse(403) }],
  ["negotiation", "answered with HTTP 502", {}, { "server/discover": refuse(502) }],
  ["negotiation", "answered with HTTP 404", {}, { "server/discover": refuse(404), initialize: refuse(404) }],
  ["listing", "does not speak MCP correctly", {}, { "tools/list": garbage }],
];

for (const [stage, clause, settings, answers] of reports) {
  test(`a test reports a server that ${clause} at its stage, in one sentence`, async () => {
    scripted.answers = answers;
    const report = await mcp.test({ ...server, ...settings }, signal);
    assert.ok(!report.isUsable);
    assert.deepEqual([report.stage, report.problem], [stage, `The MCP server tickets ${clause}.`]);
  });
}

test("a server that makes the client resume a response without end is abandoned", async () => {
  let requests = 0;
  const primed: Answer = (_, response) => {
    requests++;
    response
      .writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" })
      .end("retry: 0\nid: 1\ndata:\n\n");
  };
  scripted.answers = { ...oldAnswers, "tools/call": primed, undefined: primed };
  assert.deepEqual(await call(), {
    type: "unknown",
    error: "The MCP server tickets asks for more than 100 requests, so the call may have had an effect.",
  });
  assert.ok(requests > 90 && requests <= 100, String(requests));
});

test("a server that asks much, and does not receive the replies, gets few of them", async () => {
  const replies: ServerResponse[] = [];
  scripted.answers = {
    ...oldAnswers,
    "tools/call": async (right, response) => {
      const send = beginStream(response);
      for (let id = 0; id < 100; id++) send({ jsonrpc: "2.0", id: `ping ${id}`, method: "ping" });
      await until("it has replies", () => replies.length >= 8);
      send(answerTo(right, { content: [{ type: "text", text: "hello" }] }));
      response.end();
    },
    undefined: (_, response) => void replies.push(response),
  };
  assert.equal((await call()).type, "result");
  for (const reply of replies) reply.writeHead(202).end();
  await until("they are closed", () => replies.every(({ closed }) => closed));
  assert.equal(replies.length, 8);
});

test("a large file arrives unchanged, and the SDK does not decode it", async () => {
  const content = Buffer.alloc(300_000, "ab\xff\0");
  const data = content.toString("base64");
  const image = { type: "image", mimeType: "image/png" };
  const blob = {
    type: "resource",
    resource: { uri: "file:///a/b.pdf", mimeType: "application/pdf", blob: data },
  };
  const refused = "!".repeat(data.length);
  scripted.answers["tools/call"] = (right, response) =>
    sendJson(response, answerTo(right, { content: [{ ...image, data }, blob, { ...image, data: refused }] }));
  const outcome = await call();
  assert.ok(outcome.type === "result");
  assert.deepEqual(
    outcome.files.map((file) => content.equals(file.content)),
    [true, true, false],
  );
});

test("other work of the process continues while a large answer is parsed", async () => {
  let turns = 0;
  const list = Array.from({ length: 100_000 }, (_, index) => `item ${index}`);
  const parsing = new SlicedResponse(JSON.stringify(list)).json();
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  assert.deepEqual(await parsing, list);
  clearImmediate(next);
  assert.ok(turns > 20, `${turns}`);
});
