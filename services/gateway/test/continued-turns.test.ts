import assert from "node:assert/strict";
import { Code, ConnectError } from "@connectrpc/connect";
import { principalLifetimeMs, Reason, rpcError } from "@muster/rpc";
import { describe, test, vi } from "vitest";
import { type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const types = [
  { type: "start", messageId: "msg_1", executionId: "exe_1" },
  { type: "text-start", id: "t1" },
  { type: "text-delta", id: "t1", delta: "Half" },
  { type: "step-discard", step: 1 },
  { type: "text-start", id: "t9" },
  { type: "text-delta", id: "t9", delta: "Whole." },
  { type: "text-end", id: "t9" },
  { type: "persisted", messageId: "msg_1", sequence: 7 },
  { type: "finish", finishReason: "stop", executionId: "exe_1" },
];
const turn = types.map((event, index) => ({
  sequence: index + 1,
  type: event.type,
  json: JSON.stringify(event),
}));
const whole = `${turn.map(({ json }) => `data: ${json}\n\n`).join("")}data: [DONE]\n\n`;
const numbered = `${turn.map(({ sequence, json }) => `id: ${sequence}\ndata: ${json}\n\n`).join("")}data: [DONE]\n\n`;

const messageJson = JSON.stringify({
  ...{ id: "msg_1", role: "assistant", status: "done", createdAt: "2026-01-01T00:00:00.000Z" },
  parts: [{ type: "text", text: "Whole.", status: "done" }],
});

const stopping = () => rpcError(Reason.UNAVAILABLE, "The service is stopping.");
/** An error as the transport reports a connection that broke. */
const died = () => new ConnectError("Connection dropped", Code.Unavailable);
const session = { sessionId: "ses_1", executionId: "exe_1" };
const path = "/api/agent-sessions/ses_1";
const body = { triggerName: "go" };

/** A service in which each process sends two events of the turn before it is lost. `asked`: the cursors of those that continue; `toPause`: whether these end where the turn asks for decisions. */
function shortLived(lost = stopping, refusals = 0) {
  const asked: Array<[string, string, number]> = [];
  const toPause: boolean[] = [];
  const sessions: ScriptedSessions = {
    async *trigger() {
      yield { events: turn.slice(0, 2) };
      throw lost();
    },
    async *startSession() {
      yield { events: turn.slice(0, 2), session };
      throw lost();
    },
    async *resumeExecution({ sessionId, executionId, afterSequence, resultMessageId, ...request }) {
      toPause.push(request.toPause);
      if (asked.length < refusals) {
        asked.push([sessionId, executionId, afterSequence]);
        throw lost();
      }
      asked.push([sessionId, executionId, afterSequence]);
      yield { events: [] };
      yield { events: turn.slice(afterSequence, afterSequence + 2) };
      if (afterSequence + 2 < turn.length) throw lost();
      if (resultMessageId === "") return;
      assert.equal(resultMessageId, "msg_1");
      yield { events: [], result: { text: "Whole.", messageJson } };
    },
  };
  return { asked, toPause, sessions };
}

const everyPlace = [2, 4, 6, 8].map((after) => ["ses_1", "exe_1", after]);

for (const [how, lost] of [
  ["stops", stopping],
  ["dies", died],
] as const) {
  describe(`a turn whose process ${how}, and is continued by another one`, () => {
    for (const [name, url, request] of [
      ["a trigger", `${path}/trigger`, body],
      ["a start", "/api/agent-sessions/start", { agentId: "agt_1", trigger: body }],
    ] as const) {
      test(`the response to ${name} is the same, byte for byte, as if one process had run it`, async (t) => {
        const { asked, toPause, sessions } = shortLived(lost);
        const edge = await startEdge(t, sessions);
        assert.equal((await edge.call("POST", url, { body: request })).text, whole);
        assert.deepEqual(asked, everyPlace);
        assert.ok(toPause.every(Boolean));
      });

      test(`the response to ${name} as JSON is the whole message`, async (t) => {
        const { asked, sessions } = shortLived(lost);
        const edge = await startEdge(t, sessions);
        const asJson = { ...request, stream: false };
        const { status, json } = await edge.call("POST", url, { body: asJson });
        assert.deepEqual([status, json.text, json.finishReason], [200, "Whole.", "stop"]);
        assert.deepEqual(asked, everyPlace);
      });
    }

    test("a reader that follows it has every event with its number", async (t) => {
      const { asked, toPause, sessions } = shortLived(lost);
      const edge = await startEdge(t, sessions);
      assert.equal((await edge.call("GET", `${path}/executions/exe_1/events`)).text, numbered);
      assert.deepEqual(asked, [["ses_1", "exe_1", 0], ...everyPlace]);
      assert.ok(!toPause.some(Boolean));
    });

    test("the gateway searches again while no process can continue it yet", async (t) => {
      const { asked, sessions } = shortLived(lost, 3);
      const edge = await startEdge(t, sessions);
      assert.equal((await edge.call("POST", `${path}/trigger`, { body })).text, whole);
      assert.deepEqual(asked.slice(0, 4), Array(4).fill(["ses_1", "exe_1", 2]));
    });

    test("a process that is lost after the last event was sent takes nothing from the response", async (t) => {
      const edge = await startEdge(t, {
        async *trigger() {
          yield { events: turn };
          throw lost();
        },
        async *resumeExecution({ afterSequence }) {
          assert.equal(afterSequence, turn.length);
          yield { events: [] };
        },
      });
      assert.equal((await edge.call("POST", `${path}/trigger`, { body })).text, whole);
    });

    test("a repeated start that has its session, but no event yet, is continued from the beginning", async (t) => {
      const edge = await startEdge(t, {
        async *startSession() {
          yield { events: [], session: { ...session, replayed: true } };
          throw lost();
        },
        async *resumeExecution({ executionId, afterSequence }) {
          assert.deepEqual([executionId, afterSequence], ["exe_1", 0]);
          yield { events: turn };
        },
      });
      const request = { agentId: "agt_1", trigger: body, idempotencyKey: "k" };
      assert.equal((await edge.call("POST", "/api/agent-sessions/start", { body: request })).text, whole);
    });

    test("if no process can continue it, the response ends with an error and the number to continue after", async (t) => {
      const edge = await startEdge(t, {
        async *trigger() {
          yield { events: turn.slice(0, 3) };
          throw lost();
        },
        // biome-ignore lint/correctness/useYield: it fails before the first message.
        async *resumeExecution() {
          throw rpcError(Reason.EVENTS_GONE, "Gone.");
        },
      });
      const { text } = await edge.call("POST", `${path}/trigger`, { body });
      assert.match(
        text,
        /"type":"error".*"retryable":true,"code":"UNAVAILABLE","lastSequence":3\}\n\ndata: \[DONE\]\n\n$/,
      );
    });

    test("before the first event, the request is refused, and the gateway does not search", async (t) => {
      let asked = 0;
      const edge = await startEdge(t, {
        // biome-ignore lint/correctness/useYield: it fails before the first message.
        async *trigger() {
          throw lost();
        },
        async *resumeExecution() {
          asked++;
          yield { events: [] };
        },
      });
      const { status, json } = await edge.call("POST", `${path}/trigger`, { body });
      assert.deepEqual([status, json.code, asked], [503, "UNAVAILABLE", 0]);
    });
  });
}

describe("a turn that continues on another process", () => {
  test("a turn that outlasts the signature of its caller is continued", async (t) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    t.onTestFinished(() => {
      vi.useRealTimers();
    });
    const edge = await startEdge(t, {
      async *trigger() {
        yield { events: turn.slice(0, 3) };
        vi.setSystemTime(Date.now() + 2 * principalLifetimeMs);
        throw stopping();
      },
      async *resumeExecution() {
        yield { events: turn.slice(3) };
      },
    });
    assert.equal((await edge.call("POST", `${path}/trigger`, { body })).text, whole);
  });

  test("an event whose number is not its place in the response has its number", async (t) => {
    const edge = await startEdge(t, {
      async *trigger() {
        yield { events: turn.slice(0, 3) };
        throw stopping();
      },
      async *resumeExecution() {
        yield { events: turn.slice(3).map((event) => ({ ...event, sequence: event.sequence + 1_024 })) };
      },
    });
    const { text } = await edge.call("POST", `${path}/trigger`, { body });
    assert.equal(text.replaceAll(/^id: 10\d\d\n/gm, ""), whole);
    assert.deepEqual(
      text.match(/^id: .*$/gm),
      ["1028", "1029", "1030", "1031", "1032", "1033"].map((n) => `id: ${n}`),
    );
  });
});
