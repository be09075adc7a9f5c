import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { until } from "@muster/testing";
import { test, vi } from "vitest";
import {
  createMcpClient,
  type McpClient,
  type McpOutcome,
  McpProblem,
  type McpServer,
} from "../src/index.ts";
import { mcpServer } from "./support/mcp-server.ts";
import {
  type Answer,
  answerTo,
  beginStream,
  pour,
  type ScriptedServer,
  sendJson,
  startScripted,
} from "./support/scripted-server.ts";

const { signal } = new AbortController();
const methods = ["server/discover", "tools/list", "tools/call"];
const megabyte = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The memory that is in use, without garbage. */
function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let firstBytes = 0;
let mostBytes = 0;
let measuredAt = 0;

/** Measures at the beginning, after a quarter of a megabyte, and whenever half as much again was sent. */
function measure(sent: number): void {
  if (mostBytes > 0 && sent < Math.max(megabyte / 4, measuredAt * 1.5)) return;
  const bytes = usedBytes();
  if (mostBytes === 0) firstBytes = bytes;
  measuredAt = sent;
  mostBytes = Math.max(mostBytes, bytes);
}

const newClient = () => createMcpClient({ version: "0.0.0", guard: { privateHosts: ["127.0.0.1"] } });

interface Seen {
  type: McpOutcome["type"];
  text: string;
}

/** Lists and calls, as a turn does. */
async function use(mcp: McpClient, server: McpServer): Promise<Seen> {
  try {
    await mcp.list(server, signal);
  } catch (error) {
    assert.ok(error instanceof McpProblem, String(error));
    return { type: "error", text: error.message };
  }
  const outcome = await mcp.call(server, "echo", {}, signal);
  return { type: outcome.type, text: String(outcome.type === "result" ? outcome.result : outcome.error) };
}

/** Uses a server that is hostile in one answer, and well-behaved before and afterwards. */
async function survive(scripted: ScriptedServer, method: string, answer: Answer): Promise<Seen> {
  const mcp = newClient();
  const server = mcpServer(scripted.url);
  assert.deepEqual(await use(mcp, server), { type: "result", text: "hello" });
  scripted.answers = { [method]: answer };
  [firstBytes, mostBytes, measuredAt] = [0, 0, 0];
  const seen = await use(method === "server/discover" ? newClient() : mcp, server);
  const grownBytes = mostBytes - firstBytes;
  assert.ok(grownBytes < 20 * megabyte, `${Math.round(grownBytes / megabyte)} MiB`);
  scripted.answers = {};
  assert.deepEqual(await use(mcp, server), { type: "result", text: "hello" });
  return seen;
}

const progress = (count: number) => ({
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: 0, progress: count, message: `${count}`.padStart(200) },
});

function pourEvents(response: ServerResponse) {
  beginStream(response);
  let count = 0;
  return pour(response, () => `data: ${JSON.stringify(progress(count++))}\n\n`, measure);
}

const blocks = '{"type":"text","text":""},'.repeat(45_000);
const piece = "x".repeat(16 * 1024);
const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

/** Why an answer is refused, and whether the call may have had an effect. */
const hostile: Readonly<Record<string, { answer: Answer; says: RegExp; isRefusal?: boolean }>> = {
  "sends progress without end": {
    answer: (_, response) => pourEvents(response),
    says: /200 events per second/,
  },
  "sends an event without end": {
    answer: (_, response) => {
      beginStream(response);
      return pour(response, () => `data: ${piece}\n`, measure);
    },
    says: /an event of more than/,
  },
  "sends a body without end": {
    answer: (_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      return pour(response, () => `"${piece}",`, measure);
    },
    says: /has more than \d+ bytes/,
  },
  "sends many blocks of content": {
    answer: ({ id }, response) => {
      const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[${blocks}{}]}}`;
      response.setHeader("content-type", "application/json").end(body);
    },
    says: /sends more than 40000 objects and lists/,
  },
  "sends an object with very many members": {
    answer: ({ id }, response) => {
      const names = Array.from({ length: 175_001 }, (_, index) => `"${index}":0`).join();
      const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":{${names}}}}`;
      response.setHeader("content-type", "application/json").end(body);
    },
    says: /sends objects with more than 175000 members/,
  },
  "sends a header without end": {
    answer: async (_, response) => {
      const { socket } = response;
      assert.ok(socket);
      socket.on("error", () => {}).write("HTTP/1.1 200 OK\r\n");
      await pour(socket, () => `x-${measuredAt}: ${piece}\r\n`, measure);
    },
    says: /does not speak HTTP correctly/,
  },
  "closes in the middle of an event": {
    answer: (_, response) => {
      beginStream(response);
      response.end('data: {"jsonrpc":"2.0",');
    },
    says: /ended its response without an answer/,
  },
  "breaks the connection in the middle of an event": {
    answer: (_, response) => {
      beginStream(response);
      response.write('data: {"jsonrpc":"2.0",', () => response.destroy());
    },
    says: /cannot be reached/,
  },
  "answers another request": {
    answer: (_, response) => sendJson(response, answerTo({ id: "another" })),
    says: /ended its response without an answer/,
  },
  "answers another request in a stream": {
    answer: (_, response) => {
      beginStream(response)(answerTo({ id: 4711 }));
      response.end();
    },
    says: /ended its response without an answer/,
  },
  "accepts and does not answer": {
    answer: (_, response) => void response.writeHead(202).end(),
    says: /ended its response without an answer/,
  },
  "answers with a page": {
    answer: (_, response) => void response.setHeader("content-type", "text/html").end("<html>"),
    says: /does not speak MCP correctly/,
  },
  "answers with JSON that is nested 100,000 levels deep": {
    answer: ({ id }, response) => {
      const body = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":${deep}}}`;
      response.setHeader("content-type", "application/json").end(body);
    },
    says: /./,
  },
  "redirects to loopback": {
    answer: (_, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/mcp" }).end(),
    says: /redirects, which is not followed/,
    isRefusal: true,
  },
  "is overloaded": {
    answer: (_, response) => void response.writeHead(503).end(),
    says: /answered with HTTP 503/,
  },
  "denies access": {
    answer: (_, response) => void response.writeHead(403).end(),
    says: /denies access/,
    isRefusal: true,
  },
};

for (const [behaviour, { answer, says, isRefusal = false }] of Object.entries(hostile)) {
  test(`a server that ${behaviour} costs only the listing or call, with at most 20 MiB of memory`, async (t) => {
    const scripted = await startScripted(t);
    for (const method of methods) {
      const { type, text } = await survive(scripted, method, answer);
      assert.match(text, says, method);
      assert.match(text, /^The MCP server tickets [^.]*\.$/, method);
      assert.equal(type, method === "tools/call" && !isRefusal ? "unknown" : "error", `${method}: ${text}`);
    }
  });
}

const silent: Readonly<Record<string, Answer>> = {
  "does not answer": () => {},
  "does not answer after a header": (_, response) => void beginStream(response),
  "answers with a byte from time to time": (_, response) => {
    beginStream(response);
    const timer = setInterval(() => response.write("x"), 5);
    response.on("close", () => clearInterval(timer));
  },
};

for (const [behaviour, answer] of Object.entries(silent)) {
  test(`a server that ${behaviour} is abandoned once it makes no progress`, async (t) => {
    const scripted = await startScripted(t);
    for (const method of methods) {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      t.onTestFinished(() => void vi.useRealTimers());
      let isReached = false;
      const using = survive(scripted, method, (asked, response) => {
        isReached = true;
        return answer(asked, response);
      });
      await until("the server is reached", () => isReached);
      vi.advanceTimersByTime(60_000);
      const { type, text } = await using;
      assert.equal(
        text.startsWith("The MCP server tickets has not made any progress for 60000 ms"),
        true,
        text,
      );
      assert.equal(type, method === "tools/call" ? "unknown" : "error");
    }
  });
}

test("a call continues while events arrive, until its limit of time", async (t) => {
  const scripted = await startScripted(t);
  let reads = 0;
  const clock = { now: Date.now, monotonicMs: () => ++reads };
  const mcp = createMcpClient({ version: "0.0.0", guard: { privateHosts: ["127.0.0.1"] }, clock });
  const server = mcpServer(scripted.url, { timeoutMs: 100_000 });
  await use(mcp, server);
  let send: ReturnType<typeof beginStream> | undefined;
  scripted.answers["tools/call"] = (_, response) => {
    send = beginStream(response);
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  t.onTestFinished(() => void vi.useRealTimers());
  const calling = mcp.call(server, "echo", {}, signal);
  await until("it is called", () => send !== undefined);
  for (const passed of [40_000, 80_000]) {
    vi.advanceTimersByTime(40_000);
    const before = reads;
    send?.(progress(passed));
    await until("the event has arrived", () => reads > before);
  }
  vi.advanceTimersByTime(40_000);
  assert.deepEqual(await calling, {
    type: "unknown",
    error: "The MCP server tickets took more than 100000 ms, so the call may have had an effect.",
  });
});
