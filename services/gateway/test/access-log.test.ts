import assert from "node:assert/strict";
import { createLogger, type LogLevel } from "@muster/service";
import { until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import type { GatewayConfig } from "../src/config.ts";
import { exchange, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

type Line = Record<string, unknown>;

const event = (sequence: number, type: string, fields: object = {}) => ({
  sequence,
  type,
  json: JSON.stringify({ type, ...fields }),
});
const start = event(1, "start", { messageId: "msg_1", executionId: "exe_1" });
const delta = event(2, "text-delta", { id: "t", delta: "Hi" });

/** A gateway whose access lines can be awaited. */
async function startLogged(
  t: TestContext,
  sessions: ScriptedSessions = {},
  level: LogLevel = "info",
  changed: Partial<GatewayConfig> = {},
) {
  const written: string[] = [];
  const log = createLogger({
    name: "test",
    level,
    destination: { write: (line) => void written.push(line) },
  });
  const edge = await startEdge(t, sessions, changed, log);
  // `call` itself reads the document, to compare responses with it.
  const lines = (): Line[] =>
    written
      .map((line): Line => JSON.parse(line))
      .filter(({ msg, route }) => msg === "request" && route !== "/openapi.json");
  /** The only line so far, without the fields that differ each time. */
  const onlyLine = async (): Promise<Line> => {
    await until("an access line is written", () => lines().length > 0);
    const [{ level: _level, time, name, durationMs, bytes, firstDeltaMs, ...line } = {}, ...more] = lines();
    assert.deepEqual(more, []);
    assert.ok(typeof durationMs === "number" && durationMs >= 0);
    assert.ok(typeof bytes === "number");
    if (firstDeltaMs !== undefined) assert.ok(typeof firstDeltaMs === "number" && firstDeltaMs <= durationMs);
    return { ...line, ...(firstDeltaMs === undefined ? {} : { firstDeltaMs: "measured" }) };
  };
  return { edge, written, lines, onlyLine };
}

test("a request is one line with its route, status, ids and time, and without its URL or secret", async (t) => {
  const { edge, written, onlyLine } = await startLogged(t);
  const path = "/api/agents/unknown-slug?by=slug";
  const answer = await edge.call("GET", path, { headers: { "x-request-id": "mine" } });
  assert.equal(answer.status, 404);
  const { projectId, keyId, ...line } = await onlyLine();
  assert.deepEqual(line, {
    requestId: "mine",
    method: "GET",
    route: "/api/agents/:id",
    status: 404,
    code: "NOT_FOUND",
    msg: "request",
  });
  assert.equal(projectId, "default");
  assert.match(String(keyId), /^key_/);
  assert.doesNotMatch(written.join(""), new RegExp(`unknown-slug|${edge.adminKey}`));
});

test("a refused credential is logged without the credential", async (t) => {
  const { edge, written, onlyLine } = await startLogged(t);
  const key = `svc_sk_${"w".repeat(40)}`;
  await edge.call("GET", "/api/agents", { key });
  const { status, code, keyId } = await onlyLine();
  assert.deepEqual({ status, code, keyId }, { status: 401, code: "UNAUTHENTICATED", keyId: undefined });
  assert.doesNotMatch(written.join(""), /wwww/);
});

test("unknown and malformed paths have a line without a route", async (t) => {
  for (const path of ["/nowhere/secret", "/%zz"]) {
    const { edge, written, onlyLine } = await startLogged(t);
    await exchange(edge.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.equal((await onlyLine()).route, null, path);
    assert.ok(!written.join("").includes(path));
  }
});

test("a request with a method that its path does not support has a line with the path's route", async (t) => {
  const { edge, onlyLine } = await startLogged(t);
  await edge.call("PUT", "/api/agents/validate", { body: {} });
  const { status, route } = await onlyLine();
  assert.deepEqual({ status, route }, { status: 405, route: "/api/agents/validate" });
});

test("the line of a refused credential has the client's address, which trusted proxies report", async (t) => {
  const direct = await startLogged(t);
  const headers = { "x-forwarded-for": "192.0.2.7" };
  await direct.edge.call("GET", "/api/agents", { key: null, headers });
  assert.equal((await direct.onlyLine()).client, "127.0.0.1");
  const proxied = await startLogged(t, {}, "info", { trustedProxies: ["127.0.0.1"] });
  await proxied.edge.call("GET", "/api/agents", { key: null, headers });
  assert.equal((await proxied.onlyLine()).client, "192.0.2.7");
});

test("the line of a request beyond a limit has the client's address", async (t) => {
  const { edge, lines } = await startLogged(t, {}, "info", { modelsRateLimitPerMinute: 1 });
  for (let i = 0; i < 2; i++) await edge.call("GET", "/api/models", { key: null });
  await until("both lines are written", () => lines().length === 2);
  assert.deepEqual(
    lines().map(({ status, client }) => [status, client]),
    [
      [200, undefined],
      [429, "127.0.0.1"],
    ],
  );
});

test("each of several requests sent together has the bytes of its own response", async (t) => {
  const { edge, lines } = await startLogged(t);
  const get = (more = "") => `GET /api/models HTTP/1.1\r\nHost: x\r\nX-Request-Id: same\r\n${more}\r\n`;
  const text = await exchange(edge.url, get() + get() + get("Connection: close\r\n"));
  await until("all lines are written", () => lines().length === 3);
  const bytes = lines().map((line) => Number(line.bytes));
  assert.equal(
    bytes.reduce((sum, count) => sum + count, 0),
    Buffer.byteLength(text),
  );
  assert.equal(bytes[0], bytes[1]);
  assert.ok(Number(bytes[0]) > 100);
});

test("a request whose body is malformed has one line and one response, both with its id", async (t) => {
  const { edge, onlyLine } = await startLogged(t);
  const head = `POST /api/agents HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nAuthorization: Bearer ${edge.adminKey}\r\n`;
  const body = "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
  const text = await exchange(edge.url, `${head}${body}ZZ\r\n`);
  assert.match(text, /^HTTP\/1\.1 400 [\s\S]*X-Request-Id: mine\r\n[\s\S]*"requestId":"mine"}$/);
  const { requestId, route, status, code, outcome } = await onlyLine();
  assert.deepEqual(
    { requestId, route, status, code, outcome },
    { requestId: "mine", route: "/api/agents", status: 400, code: "INVALID_REQUEST", outcome: undefined },
  );
});

test("input that never became a request has one line with the id and code of its response", async (t) => {
  const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${"x".repeat(20_000)}\r\n\r\n`;
  for (const [input, status, code] of [
    ["GARBAGE\r\n\r\n", 400, "INVALID_REQUEST"],
    [large, 431, "HEADERS_TOO_LARGE"],
  ] as const) {
    const { edge, lines } = await startLogged(t);
    const text = await exchange(edge.url, input);
    await until("a line is written", () => lines().length > 0);
    const [{ level: _level, time: _time, name: _name, ...line } = {}, ...more] = lines();
    assert.deepEqual(more, []);
    const requestId = /X-Request-Id: (req_\S+)/.exec(text)?.[1];
    const bytes = text.length;
    assert.deepEqual(line, {
      requestId,
      route: null,
      status,
      bytes,
      client: "127.0.0.1",
      code,
      msg: "request",
    });
  }
});

test("probes are logged at the level debug only", async (t) => {
  const quiet = await startLogged(t);
  await quiet.edge.call("GET", "/healthz", { key: null });
  await quiet.edge.call("GET", "/api/models", { key: null });
  assert.equal((await quiet.onlyLine()).route, "/api/models");
  const verbose = await startLogged(t, {}, "debug");
  await verbose.edge.call("GET", "/healthz", { key: null });
  assert.equal((await verbose.onlyLine()).route, "/healthz");
});

async function lineOfTrigger(
  t: TestContext,
  sessions: ScriptedSessions,
  fields: { stream?: boolean } = {},
): Promise<Line> {
  const { edge, onlyLine } = await startLogged(t, sessions);
  await edge.call("POST", "/api/agent-sessions/ses_1/trigger", { body: { triggerName: "t", ...fields } });
  const { requestId, projectId, keyId, msg, method, route, ...line } = await onlyLine();
  assert.equal(route, "/api/agent-sessions/:sessionId/trigger");
  return line;
}

test("a stream's line has its outcome, tokens and time to the first delta", async (t) => {
  const line = await lineOfTrigger(t, {
    async *trigger() {
      yield { events: [start] };
      yield { events: [delta] };
      yield {
        events: [event(3, "finish", { finishReason: "stop" })],
        usedTokens: { input: 12, output: 3 },
      };
    },
  });
  assert.deepEqual(line, {
    status: 200,
    outcome: "stop",
    firstDeltaMs: "measured",
    inputTokens: 12,
    outputTokens: 3,
  });
});

test("a turn that is answered as JSON has the fields of a stream in its line", async (t) => {
  const json = { stream: false };
  const finish = event(3, "finish", { finishReason: "stop" });
  const usage = event(4, "usage", {
    cost: { currency: "USD", providerFee: 0, bandwidthFee: 0, totalFee: 0, byok: true },
    tokens: { inputTokens: 12, outputTokens: 3, totalTokens: 15 },
  });
  const ended = await lineOfTrigger(
    t,
    {
      async *trigger() {
        yield { events: [start, delta] };
        yield { events: [finish, usage], usedTokens: { input: 12, output: 3 } };
        yield { events: [], result: { messageJson: "null", text: "" } };
      },
    },
    json,
  );
  const fields = { firstDeltaMs: "measured", inputTokens: 12, outputTokens: 3 };
  assert.deepEqual(ended, { status: 200, outcome: "stop", ...fields });
  const failed = await lineOfTrigger(
    t,
    {
      async *trigger() {
        const error = { errorType: "provider_timeout", message: "No.", source: "provider", retryable: true };
        yield { events: [start, delta, event(3, "error", error)], usedTokens: { input: 12, output: 3 } };
      },
    },
    json,
  );
  const outcome = { outcome: "error", errorType: "provider_timeout", code: "TIMEOUT" };
  assert.deepEqual(failed, { status: 504, ...outcome, ...fields });
});

test("a stream that ends with an error event reports its type", async (t) => {
  const line = await lineOfTrigger(t, {
    async *trigger() {
      yield { events: [start, event(2, "error", { errorType: "rate_limit_error", message: "hush" })] };
    },
  });
  assert.deepEqual(line, { status: 200, outcome: "error", errorType: "rate_limit_error" });
});

test("a stream whose service fails reports the error that the client received", async (t) => {
  const line = await lineOfTrigger(t, {
    async *trigger() {
      yield { events: [start] };
      throw new Error("a bug");
    },
  });
  assert.deepEqual(line, {
    status: 200,
    outcome: "error",
    errorType: "internal_error",
    code: "INTERNAL",
  });
});

test("a stream whose client leaves reports that", async (t) => {
  const { edge, onlyLine } = await startLogged(t, {
    async *trigger(_request, { signal }) {
      yield { events: [start, delta] };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
  const leaving = new AbortController();
  const response = await fetch(`${edge.url}/api/agent-sessions/ses_1/trigger`, {
    method: "POST",
    headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
    body: JSON.stringify({ triggerName: "t" }),
    signal: leaving.signal,
  });
  const reader = response.body?.getReader();
  await reader?.read();
  leaving.abort();
  const { outcome, status } = await onlyLine();
  assert.deepEqual({ outcome, status }, { outcome: "client left", status: 200 });
});

test("a client that leaves before its response has a line without a status", async (t) => {
  const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { edge, onlyLine } = await startLogged(t, {
    getSession: async function* () {
      arrived.resolve();
      await release.promise;
      yield {};
    },
  });
  const leaving = new AbortController();
  const asked = fetch(`${edge.url}/api/agent-sessions/ses_1`, {
    headers: { authorization: `Bearer ${edge.adminKey}` },
    signal: leaving.signal,
  });
  await arrived.promise;
  leaving.abort();
  await assert.rejects(asked);
  const { outcome, status } = await onlyLine();
  release.resolve();
  assert.deepEqual({ outcome, status }, { outcome: "client left", status: undefined });
});
