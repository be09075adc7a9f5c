import assert from "node:assert/strict";
import { test } from "vitest";
import { readAll, startWorld, textOf, typesOf } from "./harness.ts";

test("a trigger streams start, blocks, persisted and finish in this order", async (t) => {
  const world = await startWorld(t);
  const { client } = await world.addInstance();
  const { sessionId } = await client.createSession({ agentId: "agt_chat" }, world.as());
  const events = await readAll(
    client.trigger(
      { sessionId, triggerName: "say", inputJson: JSON.stringify({ TEXT: "good morning" }) },
      world.as(),
    ),
  );
  assert.deepEqual(typesOf(events), [
    "start",
    "block-start",
    "block-end",
    "block-start",
    "text-start",
    "text-delta",
    "text-end",
    "block-end",
    "persisted",
    "finish",
  ]);
  assert.match(textOf(events), /You said: good morning/);
});
