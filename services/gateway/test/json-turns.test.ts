import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Reason, rpcError } from "@muster/rpc";
import { until } from "@muster/testing";
import { codeOfErrorType, statusOfCode, streamErrorTypes } from "@muster/wire/error-codes";
import { describe, test } from "vitest";
import { type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const path = "/api/agent-sessions/ses_1/trigger";
const body = { triggerName: "t", stream: false };

const event = (sequence: number, type: string, fields: object = {}) => ({
  sequence,
  type,
  json: JSON.stringify({ type, ...fields }),
});
const start = event(1, "start", { messageId: "msg_2", executionId: "exe_1" });
const delta = event(2, "text-delta", { id: "t", delta: "Hi" });
const cost = { currency: "USD", providerFee: 0.1, bandwidthFee: 0, totalFee: 0.1, byok: true };
const tokens = { inputTokens: 7, outputTokens: 2, totalTokens: 9 };
const usage = event(9, "usage", { cost, tokens });
const message = {
  id: "msg_2",
  role: "assistant",
  parts: [{ type: "text", text: "Hi", status: "done" }],
  status: "done",
  createdAt: "2030-01-31T12:00:00.000Z",
};
const result = { messageJson: JSON.stringify(message), text: "Hi" };

const answers: ScriptedSessions["trigger"] = async function* () {
  yield { events: [start] };
  yield { events: [delta] };
  yield {
    events: [event(3, "finish", { finishReason: "stop" }), usage],
    usedTokens: { input: 7, output: 2 },
  };
  yield { events: [], result };
};

describe("a trigger with `stream: false`", () => {
  test("a turn that has ended is one JSON document with its message, text and usage", async (t) => {
    let wanted: unknown;
    const edge = await startEdge(t, {
      trigger: async function* (request, context) {
        wanted = [request.usage, request.wantsResult];
        yield* answers(request, context);
      },
    });
    const answer = await edge.call("POST", path, { body });
    assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    assert.deepEqual(
      [answer.status, answer.json],
      [
        200,
        {
          sessionId: "ses_1",
          executionId: "exe_1",
          finishReason: "stop",
          message,
          text: "Hi",
          toolCalls: [],
          usage: { cost, tokens },
        },
      ],
    );
    assert.deepEqual(wanted, [true, true]);
  });

  test("a paused turn lists the calls to execute", async (t) => {
    const toolCalls = [{ toolCallId: "call_1", toolName: "look-up", args: { a: 1 } }];
    const edge = await startEdge(t, {
      trigger: async function* () {
        yield { events: [start, event(2, "tool-request", { toolCalls })] };
        const finish = event(3, "finish", { finishReason: "tool-calls", executionId: "exe_1" });
        yield { events: [finish, usage] };
        yield { events: [], result: { messageJson: "null", text: "" } };
      },
    });
    const { json } = await edge.call("POST", path, { body });
    assert.deepEqual([json.finishReason, json.toolCalls, json.message], ["tool-calls", toolCalls, null]);
  });

  test.for([
    "application/json",
    "application/json, text/plain, */*",
    "application/*",
    "text/event-stream;q=0, */*",
    "text/event-stream, application/json",
    "text/html",
    "*/*",
  ])(
    "a trigger with Accept: %s gets JSON if its body asks for it, and events otherwise",
    async (accept, t) => {
      const edge = await startEdge(t, { trigger: answers });
      for (const [stream, expected] of [
        [false, "application/json; charset=utf-8"],
        [true, "text/event-stream; charset=utf-8"],
        [undefined, "text/event-stream; charset=utf-8"],
      ] as const) {
        const sent = { body: { ...body, stream }, headers: { accept } };
        const answer = await edge.call("POST", path, sent);
        assert.deepEqual([answer.status, answer.headers.get("content-type")], [200, expected]);
      }
    },
  );

  test("a `stream` that is no boolean is refused before the turn", async (t) => {
    const edge = await startEdge(t, {});
    for (const stream of [null, "false", 0, {}]) {
      for (const [url, fields] of [
        [path, body],
        ["/api/agent-sessions/start", { agentId: "agt_1", trigger: body }],
      ] as const) {
        const { status, json } = await edge.call("POST", url, { body: { ...fields, stream } });
        assert.deepEqual([status, json.code, json.issues[0].path], [400, "INVALID_REQUEST", "stream"]);
      }
    }
  });

  test("a refusal before the turn is the same response as on a stream", async (t) => {
    const edge = await startEdge(t, {
      // biome-ignore lint/correctness/useYield: a refused call sends nothing
      trigger: async function* () {
        throw rpcError(Reason.SESSION_BUSY, "Busy.", { retryAfterMs: 1_000 });
      },
    });
    const answer = await edge.call("POST", path, { body });
    assert.deepEqual(
      [answer.status, answer.json.code, answer.headers.get("retry-after")],
      [429, "SESSION_BUSY", "1"],
    );
  });
});

describe("an error event of a turn that is answered as JSON", () => {
  const failing = (fields: object): ScriptedSessions => ({
    trigger: async function* () {
      yield { events: [start] };
      yield {
        events: [
          event(2, "error", { source: "provider", retryable: true, message: "It failed.", ...fields }),
        ],
      };
      yield { events: [], result };
    },
  });

  test.for([...streamErrorTypes])("the error type %s has a status and a code", async (errorType, t) => {
    const edge = await startEdge(t, failing({ errorType }));
    const answer = await edge.call("POST", path, { body });
    assert.deepEqual([answer.json.code, answer.json.error], [codeOfErrorType[errorType], "It failed."]);
    assert.notEqual(answer.status, 401);
  });

  test("docs/errors.md has the status and the code of every error type", () => {
    const page = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
    const rows = [...page.matchAll(/^\| `([a-z_]+)` \|.*\| (\d{3}) `([A-Z_]+)` \|$/gm)];
    const documented = rows.map(([, type, status, code]) => [type, Number(status), code]);
    const table = streamErrorTypes.map((type) => [
      type,
      statusOfCode[codeOfErrorType[type]],
      codeOfErrorType[type],
    ]);
    assert.deepEqual(documented, table);
  });

  test("the event's own code and time to wait have precedence", async (t) => {
    const edge = await startEdge(
      t,
      failing({ errorType: "execution_error", code: "SESSION_EXPIRED", message: "The session was cleared." }),
    );
    const expired = await edge.call("POST", path, { body });
    assert.deepEqual([expired.status, expired.json.code], [409, "SESSION_EXPIRED"]);
    const limited = await startEdge(t, failing({ errorType: "rate_limit_error", retryAfter: 7 }));
    const answer = await limited.call("POST", path, { body });
    assert.deepEqual([answer.status, answer.headers.get("retry-after")], [429, "7"]);
  });

  test("a turn that breaks off is an error, and never half a document", async (t) => {
    for (const [trigger, status] of [
      [
        async function* () {
          yield { events: [start] };
        },
        502,
      ],
      [
        async function* () {
          yield { events: [start] };
          throw rpcError(Reason.UNAVAILABLE, "Stopping.");
        },
        503,
      ],
    ] satisfies Array<[ScriptedSessions["trigger"], number]>) {
      const edge = await startEdge(t, { trigger });
      assert.equal((await edge.call("POST", path, { body })).status, status);
    }
  });
});

describe("the end of a request that is answered as JSON", () => {
  /** A turn that lasts until its caller leaves. */
  const endless = () => {
    const state = { isRunning: false, hasEnded: false };
    const trigger: ScriptedSessions["trigger"] = async function* (_request, context) {
      yield { events: [start] };
      state.isRunning = true;
      await new Promise((resolve) => context.signal.addEventListener("abort", resolve));
      state.hasEnded = true;
      throw context.signal.reason;
    };
    return { state, trigger };
  };

  test("a reader that leaves ends the call", async (t) => {
    const { state, trigger } = endless();
    const edge = await startEdge(t, { trigger });
    const leaving = new AbortController();
    const sent = fetch(`${edge.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: leaving.signal,
    });
    const left = assert.rejects(sent);
    await until("the turn runs", () => state.isRunning);
    leaving.abort();
    await left;
    await until("the call has ended", () => state.hasEnded);
  });

  test("a gateway that stops answers 503, and one whose credential is deleted 401", async (t) => {
    const stopped = endless();
    const edge = await startEdge(t, { trigger: stopped.trigger }, { drainMs: 0 });
    const asked = edge.call("POST", path, { body });
    await until("the turn runs", () => stopped.state.isRunning);
    await edge.stop();
    const answer = await asked;
    assert.deepEqual([answer.status, answer.headers.has("retry-after")], [503, true]);

    const revoked = endless();
    const other = await startEdge(t, { trigger: revoked.trigger });
    const made = await other.call("POST", "/api/admin/keys", {
      body: { name: "k", permissions: ["sessions"] },
    });
    const waiting = other.call("POST", path, { body, key: made.json.key });
    await until("the turn runs", () => revoked.state.isRunning);
    await other.call("DELETE", `/api/admin/keys/${made.json.id}`);
    assert.equal((await waiting).status, 401);
    await until("the call has ended", () => revoked.state.hasEnded);
  });
});
