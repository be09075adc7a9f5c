import assert from "node:assert/strict";
import { ManualClock } from "@muster/service";
import { beforeEach, test } from "vitest";
import { createMcpClient, type McpClient, McpProblem, type McpServer } from "../src/index.ts";
import { mcpServer } from "./support/mcp-server.ts";
import {
  type Answer,
  answerTo,
  oldAnswers,
  type ScriptedServer,
  sendJson,
  startScripted,
} from "./support/scripted-server.ts";

const { signal } = new AbortController();
const hour = 3_600_000;

let scripted: ScriptedServer;
let server: McpServer;
let mcp: McpClient;
let clock: ManualClock;

beforeEach(async (t) => {
  scripted = await startScripted(t);
  server = mcpServer(scripted.url);
  clock = new ManualClock();
  mcp = createMcpClient({ version: "0.0.0", guard: { privateHosts: ["127.0.0.1"] }, clock });
});

/** The methods that the server was asked for meanwhile. */
async function asked(work: () => Promise<unknown>): Promise<string[]> {
  const before = scripted.asked.length;
  await work();
  return scripted.asked.slice(before);
}

const list = (of = server) => asked(() => mcp.list(of, signal));

const refuse =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status).end();

const oldHandshake = ["initialize", "notifications/initialized"];

const listFor =
  (ttlMs: number): Answer =>
  (right, response) =>
    sendJson(response, answerTo(right, { tools: [], ttlMs, cacheScope: "private" }));

test("the era of a server is negotiated once, and a list is kept for as long as the server allows", async () => {
  assert.deepEqual(await list(), ["server/discover", "tools/list"]);
  assert.deepEqual(await list(), ["tools/list"]);
  scripted.answers["tools/list"] = listFor(hour);
  assert.deepEqual(await list(), ["tools/list"]);
  clock.advance(hour - 1);
  assert.deepEqual(await list(), []);
  clock.advance(1);
  scripted.answers["tools/list"] = listFor(1_000 * hour);
  assert.deepEqual(await list(), ["tools/list"]);
  clock.advance(23 * hour);
  assert.deepEqual(await list(), []);
  clock.advance(hour);
  assert.deepEqual(await list(), ["tools/list"]);
});

test("a server whose settings change is negotiated and listed again", async () => {
  scripted.answers["tools/list"] = listFor(hour);
  await list();
  for (const change of [{ headers: { "x-team": "a" } }, { tools: ["e*"] }, { timeoutMs: 1_000 }])
    assert.deepEqual(await list({ ...server, ...change }), ["server/discover", "tools/list"]);
});

test("a server of the old era is taken for one for a day, and its list is kept for a minute", async () => {
  scripted.answers = { ...oldAnswers };
  assert.deepEqual(await list(), ["server/discover", ...oldHandshake, "tools/list"]);
  clock.advance(59_000);
  assert.deepEqual(await list(), []);
  clock.advance(1_000);
  assert.deepEqual(await list(), [...oldHandshake, "tools/list"]);
  clock.advance(24 * hour);
  assert.deepEqual(await list(), ["server/discover", ...oldHandshake, "tools/list"]);
});

test("a server that was replaced by one of the other era is negotiated again, and its tool is called once", async () => {
  const wrongEra = refuse(400);
  await list();
  scripted.answers = {
    ...oldAnswers,
    "tools/list": (asked, response) => {
      const answer = asked.request.headers["mcp-method"] === undefined ? oldAnswers["tools/list"] : wrongEra;
      return answer?.(asked, response);
    },
  };
  assert.deepEqual(await list(), ["tools/list", "server/discover", ...oldHandshake, "tools/list"]);
  scripted.answers = { initialize: wrongEra };
  const calling = () => mcp.call(server, "echo", {}, signal);
  assert.deepEqual(await asked(calling), ["initialize", "server/discover", "tools/call"]);
});

test("no refusal of credentials and no outage decides about the era", async () => {
  for (const status of [401, 403, 500, 503]) {
    scripted.answers = { "server/discover": refuse(status) };
    assert.deepEqual(await asked(() => assert.rejects(mcp.list(server, signal), McpProblem)), [
      "server/discover",
    ]);
  }
  scripted.answers = {};
  assert.deepEqual(await list(), ["server/discover", "tools/list"]);
});

test("a list has at most 128 tools, those that the settings allow, by name, and says what it leaves out", async () => {
  const tool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" } });
  let nested: Record<string, unknown> = {};
  for (let depth = 0; depth < 100; depth++) nested = { allOf: [{ $ref: "#/allOf/0" }, nested] };
  const many = Array.from({ length: 200 }, (_, index) =>
    tool(`get_${String(index).padStart(3, "0")}`),
  ).reverse();
  const bad = [
    tool("get_000"),
    tool("delete_all"),
    tool("get_0_large", "x".repeat(70_000)),
    { ...tool("get_0_deep"), inputSchema: { ...nested, type: "object" } },
  ];
  const listing = { tools: [...many, ...bad], ttlMs: 0, cacheScope: "private" };
  scripted.answers["tools/list"] = (right, response) => sendJson(response, answerTo(right, listing));
  const restricted = { ...server, tools: ["get_*"] };
  const tools = await mcp.list(restricted, signal);
  assert.deepEqual(
    tools.map(({ name }) => name),
    many
      .map(({ name }) => name)
      .sort()
      .slice(0, 128),
  );
  const report = await mcp.test(restricted, signal);
  assert.ok(report.isUsable);
  assert.equal(report.problems.length, 72 + 3);
  assert.deepEqual(report.problems.slice(0, 3), [
    "The tool get_000 is not offered: another one has the same name.",
    "The tool get_0_deep is not offered: its schema is too deep, or not one.",
    "The tool get_0_large is not offered: its description and schema have more than 65536 bytes.",
  ]);
});
