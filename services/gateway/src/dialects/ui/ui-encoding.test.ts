import assert from "node:assert/strict";
import type { StreamEvent } from "@muster/wire/events";
import { test } from "vitest";
import { createUiEncoding } from "./ui-encoding.ts";

const events: StreamEvent[] = [
  { type: "start", messageId: "msg_1", executionId: "exe_1" },
  { type: "text-start", id: "txt_1" },
  { type: "text-delta", id: "txt_1", delta: "Lost" },
  { type: "step-discard", step: 1 },
  { type: "text-start", id: "txt_2" },
  { type: "text-delta", id: "txt_2", delta: "Inner", workerId: "wrk_1" },
  { type: "text-delta", id: "txt_2", delta: 'Kept ,"thread":' },
  { type: "text-end", id: "txt_2" },
  {
    type: "block-start",
    blockId: "blk_1",
    blockName: "Aside",
    blockType: "next-message",
    display: "stream",
    independent: true,
  },
  { type: "text-start", id: "txt_3" },
  { type: "text-delta", id: "txt_3", delta: "Aside" },
  { type: "text-end", id: "txt_3" },
  { type: "block-end", blockId: "blk_1" },
  { type: "finish", finishReason: "stop" },
];

function chunksOf(resets: boolean): string[] {
  const { frames } = createUiEncoding({ sessionId: "ses_1", resets });
  const sent = events.map((event, index) => ({
    ...{ sequence: index + 1, type: event.type, json: JSON.stringify(event) },
  }));
  return [...frames(sent).matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => {
    const { type, delta = "" } = JSON.parse(json);
    return `${type} ${delta}`.trim();
  });
}

const kept = ["text-start", 'text-delta Kept ,"thread":', "text-end", "finish-step", "finish"];

test("a retracted attempt resets its step for clients that know it", () => {
  const lost = ["start", "start-step", "text-start", "text-delta Lost", "reset-step"];
  assert.deepEqual(chunksOf(true), [...lost, ...kept]);
});

test("a retracted attempt stays a step of its own for other clients, and the message says so", () => {
  const lost = [
    "start",
    "start-step",
    "text-start",
    "text-delta Lost",
    "text-end",
    "finish-step",
    "message-metadata",
  ];
  assert.deepEqual(chunksOf(false), [...lost, "start-step", ...kept]);
});

test("a stream that is cut ends its texts, and says nothing about the outcome of its calls", () => {
  const { frames, added } = createUiEncoding({ sessionId: "ses_1", resets: true });
  const begun: StreamEvent[] = [
    { type: "tool-input-available", toolCallId: "call_1", toolName: "refund", input: {} },
    { type: "text-start", id: "txt_1" },
  ];
  frames(begun.map((event) => ({ sequence: 1, type: event.type, json: JSON.stringify(event) })));
  const ends = [
    { type: "text-end", id: "txt_1" },
    { type: "block-end", blockId: "blk_1" },
    { type: "worker-result", workerId: "wrk_1", error: "Lost." },
  ];
  assert.equal(
    added(ends.map((end) => ({ ...end, interrupted: true }))),
    'data: {"type":"text-end","id":"txt_1"}\n\n',
  );
});
