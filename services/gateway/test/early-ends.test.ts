import assert from "node:assert/strict";
import { EventFold } from "@muster/client/fold";
import { Reason, rpcError } from "@muster/rpc";
import { StreamReader } from "@muster/testing";
import type { StreamEvent } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";
import { describe, test } from "vitest";
import { type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const now = () => "2026-01-01T00:00:00.000Z";

const block = (blockId: string, blockName: string) => ({
  ...({ type: "block-start", blockId, blockName } as const),
  ...({ blockType: "next-message", display: "stream", outputToChat: true } as const),
});

const turn: StreamEvent[] = [
  { type: "start", messageId: "msg_1", executionId: "exe_1" },
  block("blk_1", "Think"),
  { type: "reasoning-start", id: "r" },
  { type: "reasoning-delta", id: "r", delta: "hmm" },
  { type: "reasoning-end", id: "r" },
  { type: "text-start", id: "t1" },
  { type: "text-delta", id: "t1", delta: "one " },
  { type: "text-delta", id: "t1", delta: "two " },
  { type: "text-end", id: "t1" },
  { type: "tool-input-start", toolCallId: "c", toolName: "x" },
  { type: "tool-input-end", toolCallId: "c" },
  { type: "tool-input-available", toolCallId: "c", toolName: "x", input: { a: 1 } },
  { type: "tool-output-available", toolCallId: "c", output: 2 },
  { type: "text-start", id: "t2", responseType: "answer" },
  { type: "text-delta", id: "t2", delta: '{"b":' },
  { type: "text-delta", id: "t2", delta: "3}" },
  { type: "text-end", id: "t2" },
  { type: "block-end", blockId: "blk_1" },
  { type: "finish", finishReason: "stop", executionId: "exe_1" },
];

const wire = turn.map((event, index) => ({
  sequence: index + 1,
  type: event.type,
  json: JSON.stringify(event),
}));

/** A turn that waits after some events, and can be read on completely. */
function turnThatWaitsAfter(count: () => number): ScriptedSessions {
  return {
    trigger: async function* (_request, { signal }) {
      yield { events: wire.slice(0, count()) };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
    resumeExecution: async function* ({ afterSequence }) {
      yield { events: wire.slice(afterSequence) };
    },
  };
}

/** The payloads of the events, and whether any has a line `id:`. */
function eventsOf(text: string): { events: StreamEvent[]; hasIds: boolean } {
  const data = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json = ""]): StreamEvent => JSON.parse(json));
  for (const event of data) checkEvent(event);
  return { events: data, hasIds: /^id: /m.test(text) };
}

/** A client that counts the events of a response, and continues it after the last one. */
class CountingClient {
  last = 0;
  readonly fold = new EventFold({ now });

  take(text: string): StreamEvent | undefined {
    for (const event of eventsOf(text).events) {
      this.fold.take(event);
      if ("interrupted" in event && event.interrupted === true) continue;
      if (event.type === "error") return event;
      this.last += 1;
    }
    return undefined;
  }
}

const path = "/api/agent-sessions/ses_1";

describe("a response that the gateway ends early", () => {
  test("a client that counts continues on another gateway exactly where the draining one stopped", async (t) => {
    let count = 0;
    const edge = await startEdge(
      t,
      turnThatWaitsAfter(() => count),
    );
    const whole = new EventFold({ now });
    for (const event of turn) whole.take(event);
    for (count = 1; count < turn.length; count += 1) {
      const draining = await edge.startGateway({ drainMs: 0 });
      const response = await fetch(`${draining.url}${path}/trigger`, {
        method: "POST",
        headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
        body: '{"triggerName":"x","onDisconnect":"continue"}',
      });
      const reader = new StreamReader(response);
      await reader.readUntil(JSON.stringify(turn[count - 1]));
      const [text] = await Promise.all([reader.readUntil("[DONE]"), draining.stop()]);
      const client = new CountingClient();
      const error = client.take(text);
      assert.ok(error?.type === "error", text);
      assert.deepEqual([error.code, error.lastSequence, client.last], ["UNAVAILABLE", count, count]);
      assert.equal(eventsOf(text).hasIds, false);
      const rest = await edge.call("GET", `${path}/executions/exe_1/events?after=${error.lastSequence}`);
      assert.equal(client.take(rest.text), undefined);
      assert.deepEqual(client.fold.messages(), whole.messages(), `ended after ${count} events`);
    }
  });

  test("the error of a continued response that fails has the number of its last event, or the cursor if there was none", async (t) => {
    let sent = 0;
    const edge = await startEdge(t, {
      resumeExecution: async function* ({ afterSequence }) {
        yield { events: wire.slice(afterSequence, afterSequence + sent) };
        throw rpcError(Reason.EVENTS_GONE, "Gone.");
      },
    });
    for (sent of [0, 2]) {
      const { text } = await edge.call("GET", `${path}/executions/exe_1/events?after=6`);
      const error = eventsOf(text).events.at(-1);
      assert.equal(error?.type === "error" && error.lastSequence, 6 + sent);
    }
  });

  test("the error of a worker, whose events are not kept, has no number to continue from", async (t) => {
    const edge = await startEdge(t, {
      executeWorker: async function* () {
        yield { events: wire.slice(0, 3) };
        throw rpcError(Reason.EVENTS_GONE, "Gone.");
      },
    });
    const { text } = await edge.call("POST", "/api/agents/agt_1/execute", { body: { type: "start" } });
    const error = eventsOf(text).events.at(-1);
    assert.ok(error?.type === "error", text);
    assert.equal(error.lastSequence, undefined);
  });
});
