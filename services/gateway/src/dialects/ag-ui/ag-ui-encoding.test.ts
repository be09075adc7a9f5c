import assert from "node:assert/strict";
import type { StreamEvent } from "@muster/wire/events";
import { test } from "vitest";
import { createAgUiEncoding } from "./ag-ui-encoding.ts";

const run = {
  sessionId: "ses_1",
  threadId: "t",
  runId: "r",
  known: new Set<string>(),
  answered: new Set<string>(),
};

function eventsOf(events: readonly StreamEvent[]): Array<Record<string, unknown>> {
  const { frames } = createAgUiEncoding(run);
  const sent = events.map((event, index) => ({
    ...{ sequence: index + 1, type: event.type, json: JSON.stringify(event) },
  }));
  return [...frames(sent).matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => JSON.parse(json));
}

const start: StreamEvent = { type: "start", messageId: "msg_1", executionId: "exe_1" };

test("an attempt that is retracted ends, and the client learns the ids of its messages and calls", () => {
  const sent = eventsOf([
    start,
    { type: "text-start", id: "txt_1" },
    { type: "text-delta", id: "txt_1", delta: 'Lost "delta":' },
    { type: "tool-input-start", toolCallId: "call_1", toolName: "look-up" },
    { type: "tool-input-delta", toolCallId: "call_1", inputTextDelta: "{" },
    { type: "step-discard", step: 1 },
    {
      type: "block-start",
      blockId: "blk_1",
      blockName: "Aside",
      blockType: "next-message",
      display: "stream",
      independent: true,
    },
    { type: "text-start", id: "txt_2" },
    { type: "text-delta", id: "txt_2", delta: "Aside" },
    { type: "text-end", id: "txt_2" },
    { type: "block-end", blockId: "blk_1" },
    { type: "finish", finishReason: "stop" },
  ]);
  assert.deepEqual(
    sent.map(({ type, delta = "" }) => `${type} ${delta}`.trim()),
    [
      ...["RUN_STARTED", "TEXT_MESSAGE_START", 'TEXT_MESSAGE_CONTENT Lost "delta":'],
      ...[
        "TOOL_CALL_START",
        "TOOL_CALL_ARGS {",
        "TEXT_MESSAGE_END",
        "TOOL_CALL_END",
        "CUSTOM",
        "RUN_FINISHED",
      ],
    ],
  );
  assert.deepEqual(sent.find(({ type }) => type === "CUSTOM")?.value, { ids: ["msg_1-txt_1", "call_1"] });
});

test("arguments that were not streamed precede the end of their call, also those of a worker", () => {
  const sent = eventsOf([
    start,
    { type: "tool-input-start", toolCallId: "call_1", toolName: "look-up" },
    { type: "tool-input-available", toolCallId: "call_1", toolName: "look-up", input: { a: 1 } },
    { type: "worker-input-start", workerId: "wrk_1", workerSlug: "research" },
    { type: "worker-input-delta", workerId: "wrk_1", delta: "{}" },
    { type: "worker-start", workerId: "wrk_1", workerSlug: "research", input: {} },
    { type: "text-delta", id: "txt_1", delta: "Inner", workerId: "wrk_1" },
    { type: "worker-result", workerId: "wrk_1", output: { b: 2 } },
  ]);
  assert.deepEqual(
    sent.slice(1).map(({ type, delta, content }) => [type, delta ?? content].filter(Boolean).join(" ")),
    [
      ...["TOOL_CALL_START", 'TOOL_CALL_ARGS {"a":1}', "TOOL_CALL_END"],
      ...["TOOL_CALL_START", "TOOL_CALL_ARGS {}", "TOOL_CALL_END", 'TOOL_CALL_RESULT {"b":2}'],
    ],
  );
});
