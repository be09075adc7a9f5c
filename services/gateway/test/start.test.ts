import assert from "node:assert/strict";
import { DisconnectPolicy, type StartSessionRequest } from "@muster/proto/sessions";
import { Reason, rpcError } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import { type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const path = "/api/agent-sessions/start";
const trigger = { triggerName: "go" };
const session = { sessionId: "ses_9", executionId: "exe_9" };

const event = (sequence: number, type: string, fields: object = {}) => ({
  sequence,
  type,
  json: JSON.stringify({ type, ...fields }),
});
const start = event(1, "start", { messageId: "msg_2", ...session });
const cost = { currency: "USD", providerFee: 0, bandwidthFee: 0, totalFee: 0, byok: true };
const tokens = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };

/** A service that starts the session `ses_9` and ends its turn with the events. */
async function startingEdge(t: TestContext, ...last: Array<ReturnType<typeof event>>) {
  const asked: StartSessionRequest[] = [];
  const startSession: ScriptedSessions["startSession"] = async function* (request) {
    asked.push(request);
    yield { events: [start], session };
    yield { events: last };
    if (request.wantsResult) yield { events: [], result: { messageJson: "null", text: "Hi" } };
  };
  const edge = await startEdge(t, { startSession });
  return { edge, asked, send: (body: unknown, headers = {}) => edge.call("POST", path, { body, headers }) };
}

const finish = event(2, "finish", { finishReason: "stop" });
const usage = event(3, "usage", { cost, tokens });

describe("starting a session", () => {
  test("every field is passed on, and the stream names the session in a header", async (t) => {
    const { asked, send } = await startingEdge(t, finish);
    const answer = await send({
      agentSlug: "echo",
      input: { A: [1] },
      metadata: { customer: "c" },
      trigger: {
        triggerName: "go",
        input: { B: 2 },
        sender: { name: "Ada" },
        dynamicToolSchemas: [{ name: "t", description: "d", inputSchema: { type: "object" } }],
        onDisconnect: "continue",
        usage: true,
        somethingNew: 1,
      },
    });
    assert.equal(answer.text, `data: ${start.json}\n\ndata: ${finish.json}\n\ndata: [DONE]\n\n`);
    assert.equal(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(answer.headers.get("x-session-id"), "ses_9");
    assert.partialDeepStrictEqual(asked, [
      {
        agentId: "",
        agentSlug: "echo",
        inputJson: '{"A":[1]}',
        metadataJson: '{"customer":"c"}',
        wantsResult: false,
        trigger: {
          triggerName: "go",
          inputJson: '{"B":2}',
          sender: { name: "Ada" },
          dynamicTools: [{ name: "t", inputSchemaJson: '{"type":"object"}' }],
          onDisconnect: DisconnectPolicy.CONTINUE,
          usage: true,
        },
      },
    ]);
  });

  test("with `stream: false` the response is a document that names the session", async (t) => {
    const { asked, send } = await startingEdge(t, finish, usage);
    const { status, json, headers } = await send({ agentId: "agt_1", trigger, stream: false });
    assert.deepEqual([status, headers.get("x-session-id")], [200, "ses_9"]);
    assert.deepEqual(json, {
      ...session,
      finishReason: "stop",
      message: null,
      text: "Hi",
      toolCalls: [],
      usage: { cost, tokens },
    });
    assert.deepEqual([asked[0]?.wantsResult, asked[0]?.trigger?.usage], [true, false]);
  });

  test("a first turn that fails is an error response, which still names its session", async (t) => {
    const error = {
      errorType: "provider_error",
      message: "It failed.",
      source: "provider",
      retryable: true,
    };
    const { send } = await startingEdge(t, event(2, "error", error));
    const { status, json, headers } = await send({ agentId: "agt_1", trigger, stream: false });
    assert.deepEqual([status, json.code, headers.get("x-session-id")], [502, "UPSTREAM", "ses_9"]);
  });

  test("a refusal is an error response without a session", async (t) => {
    const edge = await startEdge(t, {
      // biome-ignore lint/correctness/useYield: a refused call sends nothing
      startSession: async function* () {
        throw rpcError(Reason.UNKNOWN_TRIGGER, "No such trigger.");
      },
    });
    for (const stream of [true, false]) {
      const answer = await edge.call("POST", path, { body: { agentId: "agt_1", trigger, stream } });
      assert.deepEqual([answer.status, answer.json.code], [400, "UNKNOWN_TRIGGER"]);
      assert.equal(answer.headers.get("x-session-id"), null);
    }
  });

  const tool = { name: "t", description: "", inputSchema: {} };
  const wrong: Array<[title: string, body: unknown, path: string]> = [
    ["no body", undefined, ""],
    ["a list", [], ""],
    ["no trigger", { agentId: "a" }, "trigger"],
    ["a trigger of the wrong type", { agentId: "a", trigger: "go" }, "trigger"],
    ["no trigger name", { agentId: "a", trigger: {} }, "trigger.triggerName"],
    ["an empty trigger name", { agentId: "a", trigger: { triggerName: "" } }, "trigger.triggerName"],
    ["no agent", { trigger }, "agentId"],
    ["both agents", { agentId: "a", agentSlug: "b", trigger }, "agentId"],
    ["a long agent id", { agentId: "a".repeat(101), trigger }, "agentId"],
    ["an agent id of the wrong type", { agentId: 1, trigger }, "agentId"],
    ["input of the wrong type", { agentId: "a", input: [], trigger }, "input"],
    ["metadata of the wrong type", { agentId: "a", metadata: { a: 1 }, trigger }, "metadata.a"],
    [
      "trigger input of the wrong type",
      { agentId: "a", trigger: { ...trigger, input: "x" } },
      "trigger.input",
    ],
    [
      "a sender of the wrong type",
      { agentId: "a", trigger: { ...trigger, sender: { id: 1 } } },
      "trigger.sender.id",
    ],
    [
      "an unknown policy",
      { agentId: "a", trigger: { ...trigger, onDisconnect: "stay" } },
      "trigger.onDisconnect",
    ],
    ["usage of the wrong type", { agentId: "a", trigger: { ...trigger, usage: "yes" } }, "trigger.usage"],
    [
      "a tool without a schema",
      { agentId: "a", trigger: { ...trigger, dynamicToolSchemas: [{ ...tool, inputSchema: 1 }] } },
      "trigger.dynamicToolSchemas.0.inputSchema",
    ],
    [
      "too many tools",
      { agentId: "a", trigger: { ...trigger, dynamicToolSchemas: Array(513).fill(tool) } },
      "trigger.dynamicToolSchemas",
    ],
  ];

  test("each wrong field is refused with its path before the service is asked", async (t) => {
    const { asked, send } = await startingEdge(t, finish);
    for (const [title, body, at] of wrong) {
      const { status, json } = await send(body);
      assert.deepEqual([status, json.code, json.issues[0].path], [400, "INVALID_REQUEST", at], title);
    }
    assert.deepEqual(asked, []);
  });

  test("a large body is passed on unchanged", async (t) => {
    const { asked, send } = await startingEdge(t, finish);
    const input = { A: "ä".repeat(200_000), B: [null, { c: 1 }] };
    const inputSchema = { type: "object", title: "x".repeat(20_000) };
    const dynamicToolSchemas = [{ name: "t", description: "d", inputSchema }];
    const { status } = await send({
      agentId: "a",
      input,
      trigger: { ...trigger, input, dynamicToolSchemas },
    });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(asked[0]?.inputJson ?? ""), input);
    assert.deepEqual(JSON.parse(asked[0]?.trigger?.inputJson ?? ""), input);
    assert.deepEqual(JSON.parse(asked[0]?.trigger?.dynamicTools[0]?.inputSchemaJson ?? ""), inputSchema);
  });
});

describe("an idempotency key", () => {
  const body = { agentId: "agt_1", trigger, idempotencyKey: "k-1" };

  test("it is passed on, and a replay is the same stream as the first response", async (t) => {
    const asked: StartSessionRequest[] = [];
    const edge = await startEdge(t, {
      startSession: async function* (request) {
        asked.push(request);
        const replayed = asked.length > 1;
        if (replayed) yield { events: [], session: { ...session, replayed } };
        yield { events: [start, finish], ...(!replayed && { session }) };
      },
    });
    const [first, again] = [await edge.call("POST", path, { body }), await edge.call("POST", path, { body })];
    assert.equal(again.text, first.text);
    assert.equal(again.headers.get("x-session-id"), "ses_9");
    assert.deepEqual(
      asked.map(({ idempotencyKey }) => idempotencyKey),
      ["k-1", "k-1"],
    );
  });

  test("events after a gap in the numbers carry theirs, so that a reader of a replay can continue", async (t) => {
    const edge = await startEdge(t, {
      startSession: async function* () {
        yield { events: [], session: { ...session, replayed: true } };
        yield { events: [start, { ...finish, sequence: 1_026 }] };
      },
    });
    const { text } = await edge.call("POST", path, { body });
    assert.equal(text, `data: ${start.json}\n\nid: 1026\ndata: ${finish.json}\n\ndata: [DONE]\n\n`);
  });

  test("once the events are gone, the response is JSON even if the client asks for a stream", async (t) => {
    const edge = await startEdge(t, {
      startSession: async function* () {
        yield { events: [], session: { ...session, replayed: true, eventsGone: true } };
      },
    });
    for (const stream of [undefined, true, false]) {
      const headers = { accept: "text/event-stream" };
      const answer = await edge.call("POST", path, { body: { ...body, stream }, headers });
      assert.deepEqual([answer.status, answer.json], [200, { ...session, replayed: true }]);
      assert.equal(answer.headers.get("x-session-id"), "ses_9");
    }
  });

  test("a JSON replay of a turn that was streamed without usage has none", async (t) => {
    const { send } = await startingEdge(t, finish);
    const { json } = await send({ ...body, stream: false });
    assert.deepEqual([json.text, json.usage], ["Hi", undefined]);
  });

  test("malformed keys are refused before the service is asked", async (t) => {
    const { asked, send } = await startingEdge(t, finish);
    for (const idempotencyKey of ["", " ", "a b", "a\n", "\u007f", "ä", "x".repeat(256)]) {
      const { status, json } = await send({ ...body, idempotencyKey });
      assert.deepEqual([status, json.code], [400, "INVALID_IDEMPOTENCY_KEY"], JSON.stringify(idempotencyKey));
    }
    for (const idempotencyKey of [1, null, {}, ["k"]]) {
      const { status, json } = await send({ ...body, idempotencyKey });
      assert.deepEqual([status, json.code, json.issues[0].path], [400, "INVALID_REQUEST", "idempotencyKey"]);
    }
    assert.deepEqual(asked, []);
    assert.equal((await send({ ...body, idempotencyKey: "x".repeat(255) })).status, 200);
  });

  test("a key of another request is 409", async (t) => {
    const edge = await startEdge(t, {
      // biome-ignore lint/correctness/useYield: a refused call sends nothing
      startSession: async function* () {
        throw rpcError(Reason.IDEMPOTENCY_KEY_REUSED, "Used.");
      },
    });
    const { status, json } = await edge.call("POST", path, { body });
    assert.deepEqual([status, json.code], [409, "IDEMPOTENCY_KEY_REUSED"]);
  });
});
