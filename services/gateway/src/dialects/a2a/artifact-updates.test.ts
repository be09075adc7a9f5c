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

test("an artifact is sent as its message grows, and as a whole after a retracted step", () => {
  const updates = new ArtifactUpdates([]);
  let sequence = 0;
  const take = (...events: StreamEvent[]) => {
    for (const event of events) {
      sequence += 1;
      updates.take({ sequence, type: event.type, json: JSON.stringify(event) });
    }
    return updates
      .changes()
      .map(({ artifact, append }) => [append, ...artifact.parts.map(({ text }) => text)]);
  };
  assert.deepEqual(take({ type: "start", messageId: "m", executionId: "e" }, block), []);
  assert.deepEqual(take(...says("t1", "One ")), [[false, "One "]]);
  assert.deepEqual(take({ type: "text-delta", id: "t1", delta: "two" }), [[true, "two"]]);
  assert.deepEqual(take(), []);
  assert.deepEqual(take({ type: "step-start", step: 2 }, ...says("t2", "Lost")), [[true, "Lost"]]);
  assert.deepEqual(take({ type: "step-discard", step: 2 }), [[false, "One two"]]);
  assert.deepEqual(take(...says("t3", "Three")), [[true, "Three"]]);
  assert.deepEqual(take({ type: "step-discard", step: 1, blockId: "b" }), [[false, ""]]);
});
