import assert from "node:assert/strict";
import type { StreamEvent } from "@muster/wire/events";
import { test } from "vitest";
import { ArtifactUpdates } from "./artifact-updates.ts";

const block: StreamEvent = {
  ...{ type: "block-start", blockId: "b", blockName: "Answer", blockType: "next-message" },
  display: "stream",
};
const says = (id: string, delta: string): StreamEvent[] => [
  { type: "text-start", id },
  { type: "text-delta", id, delta },
];

function follow() {
  const updates = new ArtifactUpdates([]);
  let sequence = 0;
  return (...events: StreamEvent[]) => {
    for (const event of events) {
      sequence += 1;
      updates.take({ sequence, type: event.type, json: JSON.stringify(event) });
    }
    return updates.changes();
  };
}

test("an artifact is sent as its message grows, and as a whole after a retracted step", () => {
  const changesAfter = follow();
  const take = (...events: StreamEvent[]) =>
    changesAfter(...events).map(({ artifact, append }) => [
      append,
      ...artifact.parts.map(({ text }) => text),
    ]);
  assert.deepEqual(take({ type: "start", messageId: "m", executionId: "e" }, block), []);
  assert.deepEqual(take(...says("t1", "One ")), [[false, "One "]]);
  assert.deepEqual(take({ type: "text-delta", id: "t1", delta: "two" }), [[true, "two"]]);
  assert.deepEqual(take(), []);
  assert.deepEqual(take({ type: "step-start", step: 2 }, ...says("t2", "Lost")), [[true, "Lost"]]);
  assert.deepEqual(take({ type: "step-discard", step: 2 }), [[false, "One two"]]);
  assert.deepEqual(take(...says("t3", "Three")), [[true, "Three"]]);
  assert.deepEqual(take({ type: "step-discard", step: 1, blockId: "b" }), [[false, ""]]);
});

test("a structured reply is appended once it has ended, and each message is an artifact of its own", () => {
  const take = follow();
  take({ type: "start", messageId: "m", executionId: "e" }, block, ...says("t1", "One"));
  assert.deepEqual(take({ type: "text-start", id: "t2", responseType: "Answer" }), []);
  assert.deepEqual(take({ type: "text-delta", id: "t2", delta: '{"a":1}' }), []);
  const file = { id: "f", mediaType: "image/png", url: "/f" };
  assert.deepEqual(take({ type: "text-end", id: "t2" }, { type: "file-available", ...file }), [
    {
      artifact: { artifactId: "m", parts: [{ data: { a: 1 } }, { url: "/f", mediaType: "image/png" }] },
      append: true,
    },
  ]);
  const called = { toolCallId: "c", output: "x" };
  assert.deepEqual(take({ type: "tool-output-available", ...called }), []);
  assert.deepEqual(take({ type: "finish", finishReason: "stop" }), []);
  const next: StreamEvent = { type: "start", messageId: "n", executionId: "f", lastMessageId: "m" };
  assert.deepEqual(take(next, block, ...says("t2", "Two")), [
    { artifact: { artifactId: "n", parts: [{ text: "Two" }] }, append: false },
  ]);
});
