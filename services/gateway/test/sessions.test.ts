import assert from "node:assert/strict";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { DisconnectPolicy, type TriggerRequest, View } from "@muster/proto/sessions";
import { Reason, rpcError } from "@muster/rpc";
import { entrySchemas } from "@muster/wire/log-entries";
import { describe, type TestContext, test } from "vitest";
import { type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const tokens = { inputTokens: 7, outputTokens: 2, totalTokens: 9 };
const usage = {
  cost: { currency: "USD", providerFee: 0.1, bandwidthFee: 0, totalFee: 0.1, byok: true },
  tokens,
  models: { "demo/echo": tokens },
};

describe("sessions", () => {
  const at = (ms: number) => timestampFromMs(ms);
  const message = (id: string) => ({
    id,
    role: "user",
    parts: [{ type: "text", text: "Hi", status: "done" }],
    status: "done",
    createdAt: "1970-01-01T00:00:00.000Z",
  });

  test("a log is returned as its stored JSON, of an expired session only four fields", async (t) => {
    const entries = Object.values(entrySchemas).flatMap((schema) =>
      "examples" in schema ? schema.examples : [],
    );
    const asked: unknown[] = [];
    const edge = await startEdge(t, {
      readLogEntry: async function* ({ sessionId, entryId }) {
        asked.push({ sessionId, entryId });
        const json = JSON.stringify(entries[0]);
        yield { entryJson: json.slice(0, 20) };
        yield { entryJson: json.slice(20) };
      },
      readSessionLog: async function* ({ sessionId, excludeModelRequests, after, limit }) {
        asked.push(after === undefined && limit === undefined ? excludeModelRequests : { after, limit });
        if (sessionId === "ses_none") throw rpcError(Reason.NOT_FOUND, "The session does not exist.");
        if (sessionId === "ses_old") {
          yield { summary: { active: false, agentId: "agt_1", createdAt: at(0) } };
          return;
        }
        yield { summary: { active: true, total: 4_000, truncated: true } };
        for (const entry of entries) yield { entriesJson: [JSON.stringify(entry)] };
      },
    });
    const logs = (id: string, query = "") => edge.call("GET", `/api/agent-sessions/${id}/logs${query}`);
    const { json } = await logs("ses_1");
    assert.deepEqual(json, { sessionId: "ses_1", entries, total: 4_000, truncated: true });
    await logs("ses_1", "?excludeModelRequests=true");
    await logs("ses_1", "?excludeModelRequests=false");
    await logs("ses_1", "?after=log_x_7&limit=3000");
    const entry = await edge.call("GET", "/api/agent-sessions/ses_1/logs/log_x_7");
    assert.deepEqual(entry.json, entries[0]);
    const paged = { after: "log_x_7", limit: 3_000 };
    assert.deepEqual(asked, [false, true, false, paged, { sessionId: "ses_1", entryId: "log_x_7" }]);
    assert.deepEqual((await logs("ses_old")).json, {
      sessionId: "ses_old",
      agentId: "agt_1",
      status: "expired",
      createdAt: "1970-01-01T00:00:00.000Z",
    });
    assert.equal((await logs("ses_none")).status, 404);
    for (const query of [
      ...["?excludeModelRequests=1", "?excludeModelRequests=true&excludeModelRequests=true"],
      ...["?limit=0", "?limit=3001", "?limit=x", "?after="],
    ]) {
      const refused = await logs("ses_1", query);
      assert.deepEqual([refused.status, refused.json.code], [400, "INVALID_REQUEST"], query);
    }
  });

  const shown = (view: View) =>
    [...(view === View.UI ? [] : [message("msg_1")]), message("msg_2")]
      .map((item) => JSON.stringify(item))
      .join(",");

  test("a page of messages is asked for by limit and before, and a wrong one is refused", async (t) => {
    const asked: unknown[] = [];
    const edge = await startEdge(t, {
      getSession: async function* ({ sessionId, view, limit, beforeMessageId }) {
        asked.push([view, limit, beforeMessageId]);
        yield {
          session: {
            id: sessionId,
            agentId: "agt_1",
            active: true,
            usageJson: JSON.stringify(usage),
            createdAt: at(0),
            updatedAt: at(0),
          },
        };
      },
    });
    const path = "/api/agent-sessions/ses_1";
    assert.deepEqual((await edge.call("GET", `${path}?format=ui&limit=1000&before=msg_2`)).json.messages, []);
    await edge.call("GET", path);
    assert.deepEqual(asked, [
      [View.UI, 1_000, "msg_2"],
      [View.FULL, undefined, undefined],
    ]);
    for (const wrong of ["limit=0", "limit=1001", "limit=-1", "limit=1.5", "limit=x", "limit=", "before="]) {
      const { status, json } = await edge.call("GET", `${path}?${wrong}`);
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"], wrong);
    }
    assert.equal(asked.length, 2);
  });

  test("fresh URLs of files begin with PUBLIC_URL, or else with the address of the request", async (t) => {
    const asked: string[] = [];
    const sessions: ScriptedSessions = {
      getSession: async function* ({ sessionId, filesBaseUrl }) {
        asked.push(filesBaseUrl);
        yield {
          session: {
            id: sessionId,
            agentId: "agt_1",
            active: true,
            usageJson: JSON.stringify(usage),
            createdAt: at(0),
            updatedAt: at(0),
          },
        };
      },
    };
    const edge = await startEdge(t, sessions);
    const behindProxy = await startEdge(t, sessions, { publicUrl: "https://muster.example.com/base" });
    for (const { call } of [edge, behindProxy])
      assert.equal((await call("GET", "/api/agent-sessions/ses_1")).status, 200);
    assert.deepEqual(asked, [edge.url, "https://muster.example.com/base"]);
  });

  test("a read that fails before its first message is an ordinary error, and later it breaks the connection off", async (t) => {
    let endings = 0;
    const edge = await startEdge(t, {
      getSession: async function* ({ sessionId }) {
        if (sessionId === "ses_none") throw rpcError(Reason.UNKNOWN_MESSAGE, "The session has no message m.");
        const session = {
          id: sessionId,
          agentId: "agt_1",
          active: true,
          createdAt: at(0),
          updatedAt: at(0),
        };
        for (const part of [{ session }, {}, {}, {}]) yield { ...part, messagesJson: '{"id":"m"},' };
        endings += 1;
        throw new ConnectError("The connection is gone", Code.Unavailable);
      },
    });
    const refused = await edge.call("GET", "/api/agent-sessions/ses_none?before=m");
    assert.deepEqual([refused.status, refused.json.code], [400, "UNKNOWN_MESSAGE"]);
    const headers = { authorization: `Bearer ${edge.adminKey}` };
    const response = await fetch(`${edge.url}/api/agent-sessions/ses_1`, { headers });
    assert.equal(response.status, 200);
    await assert.rejects(response.text());
    assert.equal(endings, 1);
  });

  test("a read whose instance is lost after the first message begins again, at most twice", async (t) => {
    let lost = 0;
    const edge = await startEdge(t, {
      getSession: async function* ({ sessionId }) {
        yield {
          session: {
            id: sessionId,
            agentId: "agt_1",
            active: true,
            usageJson: JSON.stringify(usage),
            createdAt: at(0),
            updatedAt: at(0),
          },
        };
        if (lost-- > 0) throw new ConnectError("The connection is gone", Code.Unavailable);
      },
    });
    const statuses: number[] = [];
    for (const times of [1, 2, 3]) {
      lost = times;
      statuses.push((await edge.call("GET", "/api/agent-sessions/ses_1")).status);
    }
    assert.deepEqual(statuses, [200, 200, 503]);
  });

  test("a reader that leaves in the middle ends the read, however much is left", async (t) => {
    const left = Promise.withResolvers<void>();
    const edge = await startEdge(t, {
      getSession: async function* ({ sessionId }) {
        try {
          yield {
            session: { id: sessionId, agentId: "agt_1", active: true, createdAt: at(0), updatedAt: at(0) },
          };
          while (true) yield { messagesJson: '"x",'.repeat(10_000) };
        } finally {
          left.resolve();
        }
      },
    });
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${edge.adminKey}` };
    const response = await fetch(`${edge.url}/api/agent-sessions/ses_1`, { headers, signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await left.promise;
  });

  test("sessions are returned in full, for display and expired, as their stored JSON", async (t) => {
    const edge = await startEdge(t, {
      getSession: async function* ({ sessionId, view }) {
        yield {
          session: {
            id: sessionId,
            agentId: "agt_1",
            active: sessionId !== "ses_old",
            inputJson: '{"A":1}',
            variablesJson: "",
            resourcesJson: '{"r":"ä\\n"}',
            metadataJson: '{"plan":"free"}',
            usageJson: JSON.stringify(usage),
            createdAt: at(0),
            updatedAt: at(1_000),
            turn: { executionId: "exe_1", afterSequence: 7 },
          },
          messagesJson: sessionId === "ses_old" ? "" : shown(view).slice(0, 10),
        };
        if (sessionId !== "ses_old") yield { messagesJson: shown(view).slice(10) };
      },
    });
    const full = await edge.call("GET", "/api/agent-sessions/ses_1");
    assert.equal(full.headers.get("content-type"), "application/json; charset=utf-8");
    assert.deepEqual(full.json, {
      id: "ses_1",
      agentId: "agt_1",
      status: "active",
      turn: { executionId: "exe_1", after: 7 },
      input: { A: 1 },
      variables: {},
      resources: { r: "ä\n" },
      metadata: { plan: "free" },
      messages: [message("msg_1"), message("msg_2")],
      usage,
      createdAt: "1970-01-01T00:00:00.000Z",
      updatedAt: "1970-01-01T00:00:01.000Z",
    });
    assert.deepEqual((await edge.call("GET", "/api/agent-sessions/ses_1?format=ui")).json, {
      sessionId: "ses_1",
      agentId: "agt_1",
      status: "active",
      turn: { executionId: "exe_1", after: 7 },
      messages: [message("msg_2")],
    });
    assert.deepEqual((await edge.call("GET", "/api/agent-sessions/ses_old")).json, {
      sessionId: "ses_old",
      agentId: "agt_1",
      status: "expired",
      createdAt: "1970-01-01T00:00:00.000Z",
    });
    assert.equal((await edge.call("GET", "/api/agent-sessions/ses_1?format=other")).status, 400);
  });

  test("a session is created with exactly one of agentId and agentSlug", async (t) => {
    const asked: unknown[] = [];
    const edge = await startEdge(t, {
      createSession: async ({ agentId, agentSlug }) => {
        asked.push([agentId, agentSlug]);
        return { sessionId: "ses_1" };
      },
    });
    const create = (body: unknown) => edge.call("POST", "/api/agent-sessions", { body });
    assert.equal((await create({ agentSlug: "echo" })).status, 201);
    for (const body of [{}, { agentId: "agt_1", agentSlug: "echo" }]) {
      const { status, json } = await create(body);
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"]);
      assert.match(json.error, /agentId must be given, or agentSlug, but not both/);
    }
    assert.deepEqual(asked, [["", "echo"]]);
  });

  /** A gateway whose sessions service responds to triggers with one event and records the requests. */
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

  test("a trigger passes on every field of its body, and its response is streamed", async (t) => {
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

  test("a trigger needs a name or an execution, and at most one outcome per tool result", async (t) => {
    const { asked, trigger } = await triggerEdge(t);
    assert.equal((await trigger({})).json.issues[0].path, "triggerName");
    assert.equal((await trigger({ executionId: "exe_1" })).status, 200);
    const both = { toolCallId: "c", result: 1, error: "x" };
    const answer = await trigger({ triggerName: "go", toolResults: [{ toolCallId: "d" }, both] });
    assert.deepEqual(
      answer.json.issues.map(({ path }: { path: string }) => path),
      ["toolResults.1"],
    );
    assert.equal(asked.length, 1);
  });

  test("a tool result without result and error is null", async (t) => {
    const { asked, trigger } = await triggerEdge(t);
    const { status } = await trigger({
      triggerName: "go",
      toolResults: [{ toolCallId: "c", toolName: "x" }],
    });
    assert.equal(status, 200);
    assert.deepEqual(asked[0]?.toolResults[0]?.outcome, { case: "resultJson", value: "null" });
  });

  test("a refusal of the service before the stream begins keeps its reason", async (t) => {
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
});

test("a route whose RPC a service of an earlier version lacks is 503, so that clients try again after the update", async (t) => {
  const edge = await startEdge(t, {});
  const { status, json, headers } = await edge.call("GET", "/api/agent-sessions");
  assert.deepEqual([status, json.code, headers.get("retry-after")], [503, "UNAVAILABLE", "1"]);
  assert.match(json.error, /earlier version/);
});

test("a leaving gateway is not ready but still accepts requests, and ends each connection; then it refuses them", async (t) => {
  const edge = await startEdge(t, {}, { shutdownDelayMs: 3_000, drainMs: 0 });
  await edge.call("GET", "/api/agents");
  const stopped = edge.stop();
  const ready = await edge.call("GET", "/readyz", { key: null });
  assert.partialDeepStrictEqual(ready.json, { status: "stopping" });
  const accepted = await edge.call("GET", "/api/agents");
  assert.deepEqual([ready.status, accepted.status, accepted.headers.get("connection")], [503, 200, "close"]);
  await stopped;
  await assert.rejects(edge.call("GET", "/api/agents"));
});

test("a wrong nullable or ambiguous field of a new session is refused with one reason", async (t) => {
  const edge = await startEdge(t);
  const problemOf = async (body: unknown) => (await edge.call("POST", "/api/agent-sessions", { body })).json;
  for (const [body, message] of [
    [{ agentId: "" }, "must not be empty"],
    [{}, "must be given, or agentSlug, but not both"],
  ] as const) {
    const { code, issues } = await problemOf(body);
    assert.deepEqual([code, issues], ["INVALID_REQUEST", [{ path: "agentId", message }]]);
  }
});
