import assert from "node:assert/strict";
import type { ExecuteWorkerRequest } from "@muster/proto/sessions";
import { callerOf } from "@muster/rpc";
import { describe, type TestContext, test } from "vitest";
import { startEdge } from "./support/start-edge.ts";

const path = "/api/agents/agt_1/execute";
const event = (type: string, fields = {}) => ({
  sequence: 1,
  type,
  json: JSON.stringify({ type, ...fields }),
});

/** A gateway whose sessions service responds to executions with their last events and records the requests. */
async function executionEdge(t: TestContext) {
  const asked: ExecuteWorkerRequest[] = [];
  const edge = await startEdge(t, {
    executeWorker: async function* (request, context) {
      assert.equal(callerOf(context).projectId, "default");
      asked.push(request);
      yield { events: [event("finish", { finishReason: "stop" })] };
      yield { events: [event("usage", { tokens: {} })] };
    },
  });
  const execute = (body: unknown, query = "") => edge.call("POST", path + query, { body });
  return { edge, asked, execute };
}

describe("executing a worker", () => {
  test("an execution streams every event, including the usage after the finish", async (t) => {
    const { execute } = await executionEdge(t);
    const { status, headers, text } = await execute({ type: "start" });
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(
      text,
      'data: {"type":"finish","finishReason":"stop"}\n\ndata: {"type":"usage","tokens":{}}\n\ndata: [DONE]\n\n',
    );
  });

  test("an execution passes on every field of its body", async (t) => {
    const { asked, execute } = await executionEdge(t);
    const dynamicToolSchemas = [{ name: "t", description: "d", inputSchema: { type: "object" } }];
    await execute({ type: "start", input: { A: [1] }, dynamicToolSchemas, somethingNew: true });
    await execute(
      {
        type: "continue",
        executionId: "exe_1",
        toolResults: [
          { toolCallId: "c1", toolName: "x", result: null },
          { toolCallId: "c2", error: "No." },
          { toolCallId: "c3", toolName: "x" },
        ],
      },
      "?by=slug",
    );
    const [first, second] = asked;
    assert.deepEqual(first?.agent, { case: "agentId", value: "agt_1" });
    assert.ok(first?.command.case === "start");
    assert.equal(first.command.value.inputJson, '{"A":[1]}');
    assert.equal(first.command.value.dynamicTools[0]?.inputSchemaJson, '{"type":"object"}');
    assert.deepEqual(second?.agent, { case: "agentSlug", value: "agt_1" });
    assert.ok(second?.command.case === "continue");
    assert.equal(second.command.value.executionId, "exe_1");
    assert.deepEqual(
      second.command.value.toolResults.map(({ outcome }) => outcome),
      [
        { case: "resultJson", value: "null" },
        { case: "error", value: "No." },
        { case: "resultJson", value: "null" },
      ],
    );
  });

  test("an execution refuses a body that is neither a start nor a continuation", async (t) => {
    const { asked, execute } = await executionEdge(t);
    const pathsOf = async (body: unknown) => {
      const { status, json } = await execute(body);
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"]);
      return json.issues.map((issue: { path: string }) => issue.path);
    };
    const results = [{ toolCallId: "c", result: 1 }];
    assert.deepEqual(await pathsOf({}), ["type"]);
    assert.deepEqual(await pathsOf({ type: "stop" }), ["type"]);
    assert.deepEqual(await pathsOf({ type: "start", input: "x" }), ["input"]);
    assert.deepEqual(await pathsOf({ type: "start", executionId: "exe_1", toolResults: results }), [
      "executionId",
      "toolResults",
    ]);
    assert.deepEqual(await pathsOf({ type: "continue" }), ["executionId", "toolResults"]);
    assert.deepEqual(
      await pathsOf({
        ...{ type: "continue", executionId: "exe_1" },
        toolResults: [{ toolCallId: "c", result: null, error: "No." }],
      }),
      ["toolResults.0"],
    );
    assert.deepEqual(asked, []);
  });

  test("an execution is a stream whatever its Accept header and a field `stream` say", async (t) => {
    const { edge } = await executionEdge(t);
    const headers = { accept: "application/json" };
    const answer = await edge.call("POST", path, { headers, body: { type: "start", stream: false } });
    const type = answer.headers.get("content-type");
    assert.deepEqual([answer.status, type], [200, "text/event-stream; charset=utf-8"]);
  });

  test("a broken service ends the worker in the stream of an execution", async (t) => {
    const edge = await startEdge(t, {
      executeWorker: async function* () {
        yield { events: [event("start"), event("worker-start", { workerId: "wrk_1", workerSlug: "w" })] };
        throw new Error("Gone.");
      },
    });
    const { text } = await edge.call("POST", path, { body: { type: "start" } });
    const types = [...text.matchAll(/"type":"([^"]+)"/g)].map(([, type]) => type);
    assert.deepEqual(types, ["start", "worker-start", "worker-result", "error"]);
    assert.match(text, /"workerId":"wrk_1","error":"[^"]+"/);
    assert.match(text, /data: \[DONE\]\n\n$/);
  });
});
