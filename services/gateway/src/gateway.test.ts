import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { DisconnectPolicy, type TriggerRequest, View } from "@muster/proto/sessions";
import { callerOf, Reason, requestIdOf, rpcError } from "@muster/rpc";
import { agentBody, type Edge, startEdge } from "./testing.ts";

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await delay(5);
}

async function makeKey(edge: Edge, fields: Record<string, unknown> = {}) {
  const { status, json, text } = await edge.call("POST", "/api/admin/keys", {
    body: { name: "k", permissions: ["sessions"], ...fields },
  });
  assert.equal(status, 201, text);
  return json as { id: string; key: string };
}

/** Sends bytes as they are and returns everything that comes back until the server closes. */
async function exchange(url: string, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, "close");
  return text;
}

describe("authentication", () => {
  test("every kind of bad credential gets one and the same 401", async (t) => {
    const edge = await startEdge(t);
    const deleted = await makeKey(edge);
    await edge.call("DELETE", `/api/admin/keys/${deleted.id}`);
    const headers = [
      {},
      { authorization: "" },
      { authorization: edge.adminKey },
      { authorization: `Basic ${edge.adminKey}` },
      { authorization: `Bearer svc_sk_${"0".repeat(32)}` },
      { authorization: `Bearer ${deleted.key}` },
      { authorization: `Bearer ${"x".repeat(9_000)}` },
    ];
    for (const header of headers) {
      const answer = await edge.call("GET", "/api/agents", { key: null, headers: header });
      assert.equal(answer.status, 401);
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
      assert.equal(answer.json.code, "UNAUTHENTICATED");
      assert.equal(answer.json.error, "Send a valid API key as Authorization: Bearer <API_KEY>.");
      assert.equal(answer.json.requestId, answer.headers.get("x-request-id"));
    }
  });

  test("two Authorization headers are refused, even when one is valid", async (t) => {
    const { url, adminKey } = await startEdge(t);
    const valid = `Authorization: Bearer ${adminKey}\r\n`;
    const text = await exchange(
      url,
      `GET /api/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${valid}${valid}\r\n`,
    );
    assert.match(text, /^HTTP\/1\.1 401 /);
  });

  test("a deleted key stops working at once, although it was cached", async (t) => {
    const edge = await startEdge(t, {}, { authCacheMs: 600_000 });
    const { id, key } = await makeKey(edge, { permissions: ["agents"] });
    assert.equal((await edge.call("GET", "/api/agents", { key })).status, 200);
    await edge.call("DELETE", `/api/admin/keys/${id}`);
    await until(async () => (await edge.call("GET", "/api/agents", { key })).status === 401);
  });

  test("an expired key stops working to the moment, although it was cached", async (t) => {
    const edge = await startEdge(t, {}, { authCacheMs: 600_000 });
    const expiresAt = new Date(Date.now() + 400).toISOString();
    const { key } = await makeKey(edge, { permissions: ["agents"], expiresAt });
    assert.equal((await edge.call("GET", "/api/agents", { key })).status, 200);
    await until(() => Date.now() >= Date.parse(expiresAt));
    assert.equal((await edge.call("GET", "/api/agents", { key })).status, 401);
  });

  test("each route asks for its permission and says which", async (t) => {
    const edge = await startEdge(t);
    const sessions = (await makeKey(edge)).key;
    const agents = (await makeKey(edge, { permissions: ["agents"] })).key;
    const body = {};
    const cases: Array<[key: string, method: string, path: string, needed: RegExp]> = [
      [agents, "POST", "/api/agent-sessions", /sessions/],
      [agents, "POST", "/api/agent-sessions/ses_1/trigger", /sessions/],
      [sessions, "POST", "/api/agents", /agents/],
      [sessions, "PATCH", "/api/agents/agt_1", /agents/],
      [sessions, "DELETE", "/api/agents/agt_1", /agents/],
      [agents, "POST", "/api/admin/keys", /admin/],
      [sessions, "GET", "/api/admin/projects", /admin/],
    ];
    for (const [key, method, path, needed] of cases) {
      const answer = await edge.call(method, path, { key, ...(method === "GET" ? {} : { body }) });
      assert.equal(answer.status, 403, `${method} ${path}`);
      assert.equal(answer.json.code, "FORBIDDEN");
      assert.match(answer.json.error, needed);
    }
    for (const key of [sessions, agents])
      assert.equal((await edge.call("GET", "/api/agents", { key })).status, 200);
  });

  test("X-Project-Id moves a key that may act anywhere, and nobody else", async (t) => {
    const edge = await startEdge(t);
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "Other" } });
    const elsewhere = { headers: { "x-project-id": project.id } };
    const created = await edge.call("POST", "/api/agents", { body: agentBody("there"), ...elsewhere });
    assert.equal(created.status, 201, created.text);
    const there = await edge.call("GET", "/api/agents", elsewhere);
    assert.deepEqual([there.json.agents[0].slug, there.json.agents[0].projectId], ["there", project.id]);
    assert.deepEqual((await edge.call("GET", "/api/agents")).json.agents, []);
    assert.equal((await edge.call("GET", `/api/agents/${created.json.agentId}`)).status, 404);
    const { key } = await makeKey(edge, { permissions: ["agents"] });
    assert.equal((await edge.call("GET", "/api/agents", { key, ...elsewhere })).status, 403);
    assert.equal(
      (await edge.call("GET", "/api/agents", { key, headers: { "x-project-id": "default" } })).status,
      200,
    );
    assert.equal(
      (await edge.call("GET", "/api/agents", { headers: { "x-project-id": "prj_none" } })).status,
      404,
    );
  });
});

describe("HTTP", () => {
  test("a known path with another method is 405 with Allow, an unknown path 404", async (t) => {
    const edge = await startEdge(t);
    const wrong = await edge.call("PUT", "/api/agents/x", { body: {} });
    assert.equal(wrong.status, 405);
    assert.equal(wrong.json.code, "METHOD_NOT_ALLOWED");
    assert.equal(wrong.headers.get("allow"), "DELETE, GET, HEAD, PATCH");
    assert.equal((await edge.call("POST", "/nothing", { raw: "{" })).status, 404);
    for (const id of ["a%20b", "%00", "x".repeat(129), "x".repeat(2_000)]) {
      const unknown = await edge.call("GET", `/api/agents/${id}`);
      assert.deepEqual([unknown.status, unknown.json.code], [404, "NOT_FOUND"]);
    }
    // No session has such an id; the service, which would object to its length, is not asked.
    assert.equal((await edge.call("GET", `/api/agent-sessions/${"x".repeat(101)}`)).status, 404);
    assert.match(
      await exchange(edge.url, "PROPFIND /api/agents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
      / 405 /,
    );
  });

  test("bodies must be JSON in UTF-8, uncompressed and not too large", async (t) => {
    const edge = await startEdge(t);
    const post = async (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
      const { status, json } = await edge.call("POST", "/api/agents", { raw, headers });
      return `${status} ${json.code}`;
    };
    assert.equal(await post("{"), "400 INVALID_JSON");
    assert.equal(await post(""), "400 INVALID_REQUEST");
    assert.equal(await post("null"), "400 INVALID_REQUEST");
    assert.equal(await post(new Uint8Array([0x22, 0xc3, 0x22])), "400 INVALID_JSON");
    assert.equal(await post("{}", { "content-type": "text/plain" }), "415 UNSUPPORTED_CONTENT_TYPE");
    assert.equal(
      await post("{}", { "content-type": "application/x-www-form-urlencoded" }),
      "415 UNSUPPORTED_CONTENT_TYPE",
    );
    assert.equal(
      await post("{}", { "content-type": "application/json; charset=latin1" }),
      "415 UNSUPPORTED_CONTENT_TYPE",
    );
    assert.equal(await post("{}", { "content-encoding": "gzip" }), "415 UNSUPPORTED_CONTENT_TYPE");
    assert.equal(await post(`"${"x".repeat(4 * 1024 * 1024)}"`), "413 PAYLOAD_TOO_LARGE");
    assert.equal(
      await post("{}", { "content-type": "application/json; charset=UTF-8" }),
      "400 INVALID_REQUEST",
    );
  });

  test("a body that is too large gets its answer, although the client is still sending", async (t) => {
    const edge = await startEdge(t);
    const length = 12 * 1024 * 1024;
    const head = `POST /api/agent-sessions/ses_1/trigger HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${edge.adminKey}`;
    const socket = connect(Number(new URL(edge.url).port), "127.0.0.1");
    const answered = once(socket, "data");
    socket.write(`${head}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`);
    assert.match(String((await answered)[0]), /^HTTP\/1\.1 413 [\s\S]*"code":"PAYLOAD_TOO_LARGE"/);
    const next = once(socket, "data");
    socket.write("x".repeat(length));
    socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    assert.match(String((await next)[0]), /^HTTP\/1\.1 200 /);
    socket.destroy();
  });

  test("what Node would refuse in its own words is answered like everything else", async (t) => {
    const { url } = await startEdge(t);
    const noHost = await exchange(url, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert.match(noHost, /^HTTP\/1\.1 400 [\s\S]*x-request-id: req_[\s\S]*"code":"INVALID_REQUEST"/);
    const expects = "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n";
    assert.match(await exchange(url, expects), /^HTTP\/1\.1 200 /);
    const outside =
      "GET /docs/static/%2e%2e/%2e%2e/package.json HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    assert.match(await exchange(url, outside), /^HTTP\/1\.1 404 [\s\S]*"code":"NOT_FOUND"/);
  });

  test("nothing is converted: a number is not a string, a word not a boolean; every wrong place is named", async (t) => {
    const edge = await startEdge(t);
    const body = { settings: { slug: "A b", name: 7, format: "chat" }, protocol: true };
    const { status, json } = await edge.call("POST", "/api/agents", { body });
    assert.equal(status, 400);
    assert.deepEqual(json.issues.map(({ path }: { path: string }) => path).sort(), [
      "prompts",
      "protocol",
      "settings.format",
      "settings.name",
      "settings.slug",
    ]);
    const query = await edge.call("GET", "/api/agents/x?version=1.5");
    assert.deepEqual([query.status, query.json.issues[0].path], [400, "query.version"]);
    assert.equal((await edge.call("GET", "/api/agents/x?by=slug&by=id")).status, 400);
  });

  test("Accept is honoured", async (t) => {
    const edge = await startEdge(t);
    const html = await edge.call("GET", "/api/agents", { headers: { accept: "text/html" } });
    assert.deepEqual([html.status, html.json.code], [406, "NOT_ACCEPTABLE"]);
    const trigger = await edge.call("POST", "/api/agent-sessions/ses_1/trigger", {
      body: { triggerName: "x" },
      headers: { accept: "application/json" },
    });
    assert.equal(trigger.status, 406);
  });

  test("a request id is taken over when it is printable, and reaches the service", async (t) => {
    let seen: string | undefined;
    const edge = await startEdge(t, {
      getSession: async (_request, context) => {
        seen = requestIdOf(context);
        throw rpcError(Reason.NOT_FOUND, "There is no such session.");
      },
    });
    const mine = await edge.call("GET", "/api/agent-sessions/ses_1", {
      headers: { "x-request-id": "trace-7" },
    });
    assert.deepEqual(
      [mine.headers.get("x-request-id"), mine.json.requestId, seen],
      ["trace-7", "trace-7", "trace-7"],
    );
    const long = await edge.call("GET", "/api/agent-sessions/ses_1", {
      headers: { "x-request-id": "x".repeat(129) },
    });
    assert.match(long.headers.get("x-request-id") ?? "", /^req_/);
  });

  test("bytes that are not HTTP, broken paths and oversized headers get the same body as every error", async (t) => {
    const { url } = await startEdge(t);
    const cases: Array<[bytes: string, expected: RegExp]> = [
      ["nonsense\r\n\r\n", /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/],
      [
        "GET /%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        /^HTTP\/1\.1 400 [\s\S]*"code":"INVALID_REQUEST"/,
      ],
      [
        `GET / HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(20_000)}\r\n\r\n`,
        /^HTTP\/1\.1 431 [\s\S]*"code":"HEADERS_TOO_LARGE"/,
      ],
    ];
    for (const [bytes, expected] of cases) {
      const text = await exchange(url, bytes);
      assert.match(text, expected);
      assert.match(text, /x-request-id: req_/i);
      assert.match(text, /"requestId":"req_/);
    }
  });
});

describe("agents", () => {
  test("live through create, read, change with If-Match, versions, archive", async (t) => {
    const edge = await startEdge(t);
    const created = await edge.call("POST", "/api/agents", { body: agentBody("echo") });
    assert.equal(created.status, 201, created.text);
    assert.equal(created.headers.get("etag"), '"1"');
    const { agentId } = created.json;
    assert.deepEqual(
      (await edge.call("POST", "/api/agents", { body: agentBody("echo") })).json.code,
      "SLUG_TAKEN",
    );

    const read = await edge.call("GET", "/api/agents/echo?by=slug");
    assert.equal(read.json.id, agentId);
    assert.deepEqual(read.json.settings, { slug: "echo", name: "Echo", format: "interactive" });
    assert.deepEqual(read.json.references, []);
    assert.equal(read.json.prompts.length, 2);

    const patch = (body: unknown, ifMatch?: string) =>
      edge.call("PATCH", `/api/agents/${agentId}`, {
        body,
        headers: ifMatch === undefined ? {} : { "if-match": ifMatch },
      });
    const changed = await patch({ settings: { name: "Renamed", description: "What it does" } }, '"1"');
    assert.deepEqual([changed.status, changed.headers.get("etag")], [200, '"2"']);
    const stale = await patch({ settings: { name: "Other" } }, '"1"');
    assert.deepEqual([stale.status, stale.json.code], [412, "VERSION_MISMATCH"]);
    assert.equal((await patch({ settings: { name: "Other" } }, "1")).status, 400);
    assert.equal((await patch({ settings: { slug: "other" } })).json.issues[0].path, "settings.slug");
    assert.equal((await edge.call("GET", `/api/agents/${agentId}?version=1`)).json.settings.name, "Echo");
    assert.equal((await edge.call("GET", `/api/agents/${agentId}?version=9`)).status, 404);

    const versions = await edge.call("GET", `/api/agents/${agentId}/versions`);
    assert.deepEqual(
      versions.json.versions.map(({ version }: { version: number }) => version),
      [2, 1],
    );
    const [item] = (await edge.call("GET", "/api/agents")).json.agents;
    assert.deepEqual([item.slug, item.name, item.description], ["echo", "Renamed", "What it does"]);

    assert.equal((await edge.call("DELETE", "/api/agents/echo?by=slug")).json.agentId, agentId);
    assert.equal((await edge.call("GET", `/api/agents/${agentId}`)).status, 404);
    assert.deepEqual((await edge.call("GET", "/api/agents")).json.agents, []);
  });

  test("a definition with errors is 422 with its issues", async (t) => {
    const edge = await startEdge(t);
    const answer = await edge.call("POST", "/api/agents", {
      body: agentBody("bad", { protocol: "agent: [" }),
    });
    assert.deepEqual([answer.status, answer.json.code], [422, "INVALID_DEFINITION"]);
    assert.ok(answer.json.issues.length > 0);
  });
});

describe("keys and projects", () => {
  test("a key is shown once, listed without its secret, and gone after its deletion", async (t) => {
    const edge = await startEdge(t);
    const created = await edge.call("POST", "/api/admin/keys", {
      body: { name: "CI", permissions: ["sessions", "agents"], expiresAt: "2099-01-01T00:00:00+01:00" },
    });
    assert.equal(created.status, 201);
    assert.equal(created.headers.get("cache-control"), "no-store");
    const { id, key, ...rest } = created.json;
    assert.match(key, /^svc_sk_/);
    assert.deepEqual(
      { ...rest, createdAt: 0 },
      {
        name: "CI",
        permissions: ["sessions", "agents"],
        projectId: "default",
        agentId: null,
        createdAt: 0,
        expiresAt: "2098-12-31T23:00:00.000Z",
      },
    );
    const listed = await edge.call("GET", "/api/admin/keys");
    assert.ok(!listed.text.includes(key));
    assert.equal(listed.json.keys.find((each: { id: string }) => each.id === id).name, "CI");
    assert.deepEqual((await edge.call("DELETE", `/api/admin/keys/${id}`)).json, { id, deleted: true });
    assert.equal((await edge.call("DELETE", `/api/admin/keys/${id}`)).status, 200);
    assert.equal((await edge.call("DELETE", "/api/admin/keys/key_none")).status, 404);
  });

  test("wrong fields of a key are 400 with the place", async (t) => {
    const edge = await startEdge(t);
    const path = async (fields: Record<string, unknown>) => {
      const { status, json } = await edge.call("POST", "/api/admin/keys", {
        body: { name: "x", permissions: ["sessions"], ...fields },
      });
      return `${status} ${json.issues?.[0]?.path}`;
    };
    assert.equal(await path({ permissions: ["root"] }), "400 permissions.0");
    assert.equal(await path({ expiresAt: "tomorrow" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "2020-01-01T00:00:00Z" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "2099-01-01" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "2099-02-30T00:00:00Z" }), "400 expiresAt");
    assert.equal(await path({ expiresAt: "9999-12-31T23:59:59-12:00" }), "400 expiresAt");
    assert.equal(await path({ name: "" }), "400 name");
    assert.equal(await path({ projectId: "prj_none" }), "404 projectId");
    assert.equal((await edge.call("GET", "/api/admin/keys")).json.keys.length, 1);
  });
});

describe("sessions", () => {
  const at = (ms: number) => timestampFromMs(ms);

  test("are read as their stored JSON, in full, for people, and expired", async (t) => {
    const edge = await startEdge(t, {
      getSession: async ({ sessionId, view }) => ({
        session: {
          id: sessionId,
          agentId: "agt_1",
          active: sessionId !== "ses_old",
          inputJson: '{"A":1}',
          variablesJson: "",
          resourcesJson: '{"r":"ä\\n"}',
          messagesJson: view === View.UI ? '[{"id":"msg_2"}]' : '[{"id":"msg_1"},{"id":"msg_2"}]',
          createTime: at(0),
          updateTime: at(1_000),
        },
      }),
    });
    const full = await edge.call("GET", "/api/agent-sessions/ses_1");
    assert.equal(full.headers.get("content-type"), "application/json; charset=utf-8");
    assert.deepEqual(full.json, {
      id: "ses_1",
      agentId: "agt_1",
      status: "active",
      input: { A: 1 },
      variables: {},
      resources: { r: "ä\n" },
      messages: [{ id: "msg_1" }, { id: "msg_2" }],
      createdAt: "1970-01-01T00:00:00.000Z",
      updatedAt: "1970-01-01T00:00:01.000Z",
    });
    assert.deepEqual((await edge.call("GET", "/api/agent-sessions/ses_1?format=ui")).json, {
      sessionId: "ses_1",
      agentId: "agt_1",
      status: "active",
      messages: [{ id: "msg_2" }],
    });
    assert.deepEqual((await edge.call("GET", "/api/agent-sessions/ses_old")).json, {
      sessionId: "ses_old",
      agentId: "agt_1",
      status: "expired",
      createdAt: "1970-01-01T00:00:00.000Z",
    });
    assert.equal((await edge.call("GET", "/api/agent-sessions/ses_1?format=other")).status, 400);
  });

  test("are created, restored, cancelled and cleared with what the client sent", async (t) => {
    const seen: unknown[] = [];
    const edge = await startEdge(t, {
      createSession: async ({ agentId, inputJson }, context) => {
        const { projectId, keyId } = callerOf(context);
        seen.push([agentId, inputJson, projectId, keyId]);
        return { sessionId: "ses_1" };
      },
      restoreSession: async ({ messagesJson, inputJson }) => {
        seen.push([JSON.parse(messagesJson), inputJson]);
        return { restored: true };
      },
      cancelExecution: async () => ({ cancelled: false }),
      clearSession: async () => ({}),
    });
    const created = await edge.call("POST", "/api/agent-sessions", {
      body: { agentId: "agt_1", input: { N: 1 } },
    });
    assert.deepEqual([created.status, created.json], [201, { sessionId: "ses_1" }]);
    const message = {
      id: "m",
      role: "user",
      parts: [{ type: "text", text: "hi", status: "done" }],
      status: "done",
    };
    const restored = await edge.call("POST", "/api/agent-sessions/ses_1/restore", {
      body: { messages: [message] },
    });
    assert.deepEqual(restored.json, { sessionId: "ses_1", restored: true });
    assert.deepEqual(seen, [
      ["agt_1", '{"N":1}', "default", "key_bootstrap"],
      [[message], ""],
    ]);
    const bad = await edge.call("POST", "/api/agent-sessions/ses_1/restore", {
      body: { messages: [message, { id: 1 }] },
    });
    assert.match(bad.json.issues[0].path, /^messages\.1/);
    const cancelled = await edge.call("POST", "/api/agent-sessions/ses_1/cancel");
    assert.deepEqual(cancelled.json, { sessionId: "ses_1", cancelled: false });
    assert.deepEqual((await edge.call("DELETE", "/api/agent-sessions/ses_1")).json, {
      sessionId: "ses_1",
      cleared: true,
    });
  });

  /** A gateway whose sessions answer triggers with one event and remember what they were asked. */
  async function triggerEdge(t: TestContext) {
    const asked: TriggerRequest[] = [];
    const edge = await startEdge(t, {
      trigger: async function* (request) {
        asked.push(request);
        yield { events: [{ sequence: 1, type: "start", json: '{"type":"start","messageId":"m"}' }] };
      },
    });
    const trigger = (body: unknown) => edge.call("POST", "/api/agent-sessions/ses_1/trigger", { body });
    return { asked, trigger };
  }

  test("a trigger carries everything that the client may say, and its reply is streamed", async (t) => {
    const { asked, trigger } = await triggerEdge(t);
    const answer = await trigger({
      triggerName: "go",
      input: { A: [1] },
      toolResults: [
        { toolCallId: "c1", toolName: "x", result: null },
        { toolCallId: "c2", error: "No." },
      ],
      executionId: "exe_1",
      rollbackAfterMessageId: null,
      sender: { name: "Ada" },
      dynamicToolSchemas: [{ name: "t", description: "d", inputSchema: { type: "object" } }],
      onDisconnect: "continue",
      somethingNew: true,
    });
    assert.equal(answer.text, 'data: {"type":"start","messageId":"m"}\n\ndata: [DONE]\n\n');
    const [request] = asked;
    assert.equal(request?.inputJson, '{"A":[1]}');
    assert.deepEqual(
      request?.toolResults.map(({ outcome }) => outcome),
      [
        { case: "resultJson", value: "null" },
        { case: "error", value: "No." },
      ],
    );
    assert.equal(request?.executionId, "exe_1");
    assert.equal(request?.rollback?.afterMessageId, undefined);
    assert.ok(request?.rollback);
    assert.equal(request?.sender?.name, "Ada");
    assert.equal(request?.dynamicTools[0]?.inputSchemaJson, '{"type":"object"}');
    assert.equal(request?.onDisconnect, DisconnectPolicy.CONTINUE);
  });

  test("a trigger needs a name or an execution, and for each tool result one outcome", async (t) => {
    const { asked, trigger } = await triggerEdge(t);
    assert.equal((await trigger({})).json.issues[0].path, "triggerName");
    assert.equal((await trigger({ executionId: "exe_1" })).status, 200);
    const both = { toolCallId: "c", result: 1, error: "x" };
    const answer = await trigger({ triggerName: "go", toolResults: [both, { toolCallId: "c" }] });
    assert.deepEqual(
      answer.json.issues.map(({ path }: { path: string }) => path),
      ["toolResults.0", "toolResults.1"],
    );
    assert.equal(asked.length, 1);
  });

  test("refusals of the service keep their reason, before the stream begins", async (t) => {
    const edge = await startEdge(t, {
      trigger: async function* () {
        yield* [];
        throw rpcError(Reason.SESSION_EXPIRED, "The session is expired.");
      },
    });
    const answer = await edge.call("POST", "/api/agent-sessions/ses_1/trigger", {
      body: { triggerName: "go" },
    });
    assert.deepEqual([answer.status, answer.json.code], [409, "SESSION_EXPIRED"]);
  });

  test("a client that goes away cancels the call of the service", async (t) => {
    let wasCancelled = false;
    const edge = await startEdge(t, {
      trigger: async function* (_request, { signal }) {
        yield { events: [{ sequence: 1, type: "start", json: '{"type":"start"}' }] };
        await once(signal, "abort");
        wasCancelled = true;
        signal.throwIfAborted();
      },
    });
    const aborter = new AbortController();
    const response = await fetch(`${edge.url}/api/agent-sessions/ses_1/trigger`, {
      method: "POST",
      headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
      body: '{"triggerName":"go"}',
      signal: aborter.signal,
    });
    await response.body?.getReader().read();
    aborter.abort();
    await until(() => wasCancelled);
  });

  test("stopping ends a stream with a retryable error and [DONE], and returns soon", async (t) => {
    const edge = await startEdge(
      t,
      {
        trigger: async function* (_request, { signal }) {
          yield { events: [{ sequence: 1, type: "start", json: '{"type":"start"}' }] };
          await once(signal, "abort");
          signal.throwIfAborted();
        },
      },
      { drainMs: 50 },
    );
    const answer = edge.call("POST", "/api/agent-sessions/ses_1/trigger", { body: { triggerName: "go" } });
    const isOpen = async () => (await edge.call("GET", "/readyz", { key: null })).status === 200;
    await until(isOpen);
    await delay(50);
    const startMs = performance.now();
    const stopped = edge.stop();
    const refused = await edge.call("GET", "/api/agents");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "1"]);
    assert.equal((await edge.call("GET", "/readyz", { key: null })).status, 503);
    const { text } = await answer;
    assert.match(text, /"code":"UNAVAILABLE"[\s\S]*data: \[DONE\]\n\n$/);
    await stopped;
    assert.ok(performance.now() - startMs < 3_000);
  });
});

describe("what needs no key", () => {
  test("health, readiness and the description of the interface", async (t) => {
    const edge = await startEdge(t, {
      getSession: async () => Promise.reject(rpcError(Reason.UNAUTHENTICATED, "no")),
    });
    const get = (path: string) => edge.call("GET", path, { key: null });
    assert.deepEqual((await get("/healthz")).json, { status: "ok" });
    assert.equal((await get("/readyz")).status, 200);
    const { json: api } = await get("/openapi.json");
    assert.equal(api.openapi, "3.1.0");
    assert.ok(api.paths["/api/agent-sessions/{sessionId}/trigger"].post.requestBody);
    assert.deepEqual(api.paths["/api/agents"].post.security, [{ apiKey: [] }]);
    const docs = await get("/docs");
    assert.equal(docs.status, 200);
    assert.doesNotMatch(docs.headers.get("content-security-policy") ?? "upgrade", /upgrade|https:/);
    assert.match(
      (await get("/docs/static/swagger-ui-bundle.js")).headers.get("content-type") ?? "",
      /javascript/,
    );
  });

  test("files of the API page that cannot be sent as asked are 400, not our fault", async (t) => {
    const edge = await startEdge(t);
    for (const headers of [{ range: "bytes=99999999-" }, { "if-match": '"x"' }]) {
      const answer = await edge.call("GET", "/docs/static/swagger-ui.css", { key: null, headers });
      assert.deepEqual([answer.status, answer.json.code], [400, "INVALID_REQUEST"]);
    }
  });

  test("readiness names what cannot be reached", async (t) => {
    const edge = await startEdge(t, {
      getSession: async () => Promise.reject(rpcError(Reason.UNAVAILABLE, "starting")),
    });
    const answer = await edge.call("GET", "/readyz", { key: null });
    assert.equal(answer.status, 503);
    assert.match(answer.json.error, /sessions/);
    assert.equal((await edge.call("GET", "/healthz", { key: null })).status, 200);
  });
});
