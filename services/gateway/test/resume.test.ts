import assert from "node:assert/strict";
import { invalidRequest, Reason, rpcError } from "@muster/rpc";
import { StreamReader } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { gatewayDefaults } from "../src/config.ts";
import { startEdge } from "./support/start-edge.ts";

const path = "/api/agent-sessions/ses_1/executions/exe_1/events";

function event(sequence: number, type: string, fields: object = {}) {
  return { sequence, type, json: JSON.stringify({ type, ...fields }) };
}

/** A service that sends the events after the cursor. */
async function resumeEdge(t: TestContext) {
  const asked: unknown[] = [];
  const edge = await startEdge(t, {
    resumeExecution: async function* ({ sessionId, executionId, afterSequence }) {
      asked.push([sessionId, executionId, afterSequence]);
      yield { events: [] };
      yield { events: [event(afterSequence + 1, "text-delta", { id: "t", delta: "a\nb" })] };
      yield { events: [event(afterSequence + 2, "finish", { finishReason: "stop" })] };
    },
  });
  return { edge, asked };
}

describe("a stream that is continued", () => {
  test("each event of a continued stream has its number, and the stream ends with [DONE]", async (t) => {
    const { edge, asked } = await resumeEdge(t);
    const { status, headers, text } = await edge.call("GET", `${path}?after=7`);
    assert.deepEqual([status, headers.get("content-type")], [200, "text/event-stream; charset=utf-8"]);
    assert.equal(
      text,
      'id: 8\ndata: {"type":"text-delta","id":"t","delta":"a\\nb"}\n\n' +
        'id: 9\ndata: {"type":"finish","finishReason":"stop"}\n\n' +
        "data: [DONE]\n\n",
    );
    assert.deepEqual(asked, [["ses_1", "exe_1", 7]]);
  });

  test("without a cursor everything is replayed, and Last-Event-ID overrides the query", async (t) => {
    const { edge, asked } = await resumeEdge(t);
    await edge.call("GET", path);
    await edge.call("GET", `${path}?after=7`, { headers: { "last-event-id": "12" } });
    assert.deepEqual(asked, [
      ["ses_1", "exe_1", 0],
      ["ses_1", "exe_1", 12],
    ]);
  });

  test("a cursor that is not a number is refused before the service is asked", async (t) => {
    const { edge, asked } = await resumeEdge(t);
    for (const cursor of ["-1", "1.5", "x", "1e3", "1234567890", ""]) {
      const { status, json } = await edge.call("GET", `${path}?after=${cursor}`);
      assert.deepEqual([status, json.code, json.issues[0].path], [400, "INVALID_REQUEST", "query.after"]);
      if (cursor === "") continue;
      const header = await edge.call("GET", path, { headers: { "last-event-id": cursor } });
      assert.deepEqual([header.status, header.json.code], [400, "INVALID_REQUEST"]);
    }
    assert.deepEqual(asked, []);
  });

  test("a cursor that the service refuses is named where the reader sent it", async (t) => {
    const message = "must be the number of an event that was sent; the last one is 3";
    const edge = await startEdge(t, {
      // biome-ignore lint/correctness/useYield: it refuses the call.
      resumeExecution: async function* () {
        throw invalidRequest("after", message);
      },
    });
    const inQuery = await edge.call("GET", `${path}?after=9`);
    assert.deepEqual(inQuery.json.issues, [{ path: "query.after", message }]);
    assert.equal(inQuery.json.error, `The query is invalid: query.after ${message}.`);
    const inHeader = await edge.call("GET", `${path}?after=1`, { headers: { "last-event-id": "9" } });
    assert.deepEqual(inHeader.json.issues, [{ path: "headers.last-event-id", message }]);
    assert.equal(inHeader.json.error, `The header is invalid: headers.last-event-id ${message}.`);
  });

  test("a reader that waits for the first event has its headers and gets heartbeats", async (t) => {
    const edge = await startEdge(
      t,
      {
        resumeExecution: async function* (_request, { signal }) {
          yield { events: [] };
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
      },
      { streams: { ...gatewayDefaults.streams, heartbeatMs: 20 } },
    );
    const leaving = new AbortController();
    const response = await fetch(edge.url + path, {
      headers: { authorization: `Bearer ${edge.adminKey}` },
      signal: leaving.signal,
    });
    assert.equal(response.status, 200);
    assert.match(await new StreamReader(response).readUntil("heartbeat"), /^: heartbeat\n\n/);
    leaving.abort();
  });

  test("a reader gets heartbeats while the turn waits for decisions", async (t) => {
    const json = '{"type":"finish","finishReason":"other","approvals":[]}';
    const edge = await startEdge(
      t,
      {
        resumeExecution: async function* (_request, { signal }) {
          yield { events: [{ sequence: 1, type: "finish", json }] };
          await new Promise((resolve) => signal.addEventListener("abort", resolve));
        },
      },
      { streams: { ...gatewayDefaults.streams, heartbeatMs: 20 } },
    );
    const leaving = new AbortController();
    const response = await fetch(edge.url + path, {
      headers: { authorization: `Bearer ${edge.adminKey}` },
      signal: leaving.signal,
    });
    const silent = `${json}\n\n: heartbeat`;
    assert.ok((await new StreamReader(response).readUntil(silent)).includes(silent));
    leaving.abort();
  });

  test("a refusal keeps its code, and events that are gone are 410", async (t) => {
    const edge = await startEdge(t, {
      resumeExecution: async function* () {
        yield* [];
        throw rpcError(Reason.EVENTS_GONE, "Gone.");
      },
    });
    const { status, json } = await edge.call("GET", path);
    assert.deepEqual([status, json.code], [410, "EVENTS_GONE"]);
  });

  test("an error that the gateway adds to a continued stream has no number", async (t) => {
    const edge = await startEdge(t, {
      resumeExecution: async function* () {
        yield { events: [event(1, "text-start", { id: "t" })] };
        throw rpcError(Reason.EVENTS_GONE, "Gone.");
      },
    });
    const { text } = await edge.call("GET", path);
    const frames = text.trimEnd().split("\n\n");
    assert.deepEqual(
      frames.map((frame) => frame.startsWith("id: ")),
      [true, false, false, false],
    );
    assert.match(frames[2] ?? "", /"type":"error".*"retryable":false,"code":"EVENTS_GONE"/);
  });
});
