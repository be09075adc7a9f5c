import assert from "node:assert/strict";
import { test } from "vitest";
import { chat } from "./support/definitions.ts";
import { openSession, readAll, say, startWorld, textOf } from "./support/harness.ts";

test("a model that repeats itself endlessly is aborted at its provider, and its turn ends normally", async (t) => {
  const world = await startWorld(t, [
    { parts: [{ text: ["Well. ", ...Array<string>(400).fill("I am sorry. ")] }], ending: "hang" },
  ]);
  world.agents.set("agt_chat", [
    { ...chat, protocol: chat.protocol.replace("agentic: true", "loopGuard: true") },
  ]);
  const instance = await world.addInstance();
  const sessionId = await openSession(world, instance);
  const events = await readAll(instance.client.trigger(say(sessionId, "hi"), world.as()));
  assert.equal(events.at(-1)?.type, "finish");
  assert.ok(textOf(events).length < 400 * "I am sorry. ".length);
  await world.provider.requests[0]?.clientGone;
});
