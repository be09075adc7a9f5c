import assert from "node:assert/strict";
import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { until } from "@muster/testing";
import { test } from "vitest";
import { eventsOf, openSession, say, startWorld } from "./support/harness.ts";
import { modelsThat } from "./support/scripted-model.ts";

/** A model that never stops sending, and counts the parts that were read. */
function talkative() {
  const model = { taken: 0, left: false };
  async function* talk(signal: AbortSignal | undefined): AsyncGenerator<LanguageModelV4StreamPart> {
    try {
      yield { type: "stream-start", warnings: [] };
      yield { type: "text-start", id: "0" };
      while (!signal?.aborted) {
        model.taken += 1;
        yield { type: "text-delta", id: "0", delta: `${model.taken} `.padEnd(1_000, ".") };
      }
    } finally {
      model.left = true;
    }
  }
  return { model, models: modelsThat(talk) };
}

test("a reader that stops reading pauses the model, loses nothing, and releases it by leaving", async (t) => {
  const world = await startWorld(t);
  const { model, models } = talkative();
  const instance = await world.addInstance({}, { models });
  const sessionId = await openSession(world, instance);
  const leaving = new AbortController();
  const as = world.as({}, { signal: leaving.signal });
  const events = eventsOf(instance.client.trigger(say(sessionId, "go"), as));
  await events.next();
  let last = -1;
  await until("the model is paused", async () => {
    const held = model.taken > 100 && model.taken === last;
    last = model.taken;
    await new Promise((resolve) => setTimeout(resolve, 100));
    return held;
  });
  // The queue has room for 256 KiB; the rest is buffered by the connection of the test.
  assert.ok(model.taken < 8_000, `${model.taken} KB were taken`);
  let next = 1;
  while (next < last + 500) {
    const { value, done } = await events.next();
    assert.ok(!done);
    if (value.type !== "text-delta") continue;
    assert.equal(Number.parseInt(String(value.delta), 10), next);
    next += 1;
  }
  leaving.abort();
  await until("the model is released", () => model.left);
  await until("the session is free", async () => (await world.document(sessionId)).lease === null);
});
