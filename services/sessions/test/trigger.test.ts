import assert from "node:assert/strict";
import { test } from "vitest";
import { chat } from "./support/definitions.ts";
import { openSession, readAll, say, startWorld, textOf, typesOf } from "./support/harness.ts";

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

test("a folder that lists features that do not run yet answers like any other", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  const listed = `workers: { research: { description: Researches } }
mcpServers: { tracker: { description: Issues, source: remote } }
skills: { charts: }
agent:
  workers: [research]
  mcpServers: [tracker]
  skills: [charts]
  webSearch: true
  imageModel: openai/gpt-image-1
  contextManagement: { thresholdPercent: 0.8 }
  speed: fast
`;
  const protocol = chat.protocol
    .replace("agent:\n", listed)
    .replace(
      "      TEXT: { type: string }\n",
      "      TEXT: { type: string }\n      FILES: { type: 'file[]', optional: true }\n",
    )
    .replace("role: user\n", "role: user\n      files: [FILES]\n");
  world.agents.set("agt_chat", [{ ...chat, protocol }]);
  const sessionId = await openSession(world, instance, {});
  const events = await readAll(instance.client.trigger(say(sessionId, "hello"), world.as()));
  assert.equal(events.at(-1)?.finishReason, "stop");
  assert.match(textOf(events), /hello/);
});
