import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedStore } from "@muster/embedded-store";
import { Reason } from "@muster/rpc";
import { until } from "@muster/testing";
import { test } from "vitest";
import { messagesOf, openSession, readAll, refusal, say, startWorld, textOf } from "./support/harness.ts";

test("a store that fails during a turn ends it with a platform error, and the session continues later", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), "muster-sessions-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  let store = await startEmbeddedStore({ directory });
  t.onTestFinished(() => store.stop());
  const port = Number(new URL(store.uri).port);
  const hold = Promise.withResolvers<void>();
  const world = await startWorld(t, [
    { parts: [{ text: "First." }] },
    { parts: [{ text: "Lost " }, { until: hold.promise }, { text: "words." }] },
    { parts: [{ text: "Back." }] },
  ]);
  const instance = await world.addInstance({ store: { uri: store.uri, databasePrefix: "down" } });
  const sessionId = await openSession(world, instance);
  await readAll(instance.client.trigger(say(sessionId, "one"), world.as()));
  const turn = readAll(instance.client.trigger(say(sessionId, "two"), world.as()));
  await world.provider.received(2);
  await store.stop();
  hold.resolve();
  const events = await turn;
  assert.equal(textOf(events), "Lost words.");
  const { type, source, retryable, code } = events.at(-1) ?? { type: "none" };
  assert.deepEqual(
    { type, source, retryable, code },
    {
      type: "error",
      source: "platform",
      retryable: true,
      code: "UNAVAILABLE",
    },
  );
  const refused = await refusal(readAll(instance.client.trigger(say(sessionId, "three"), world.as())));
  assert.equal(refused.reason, Reason.UNAVAILABLE);
  assert.ok((refused.retryAfterMs ?? 0) > 0);
  store = await startEmbeddedStore({ directory, port });
  world.clock.advance(15_000);
  await until("the store is reachable again", async () => {
    const messages = await messagesOf(world, instance, sessionId).catch(() => []);
    return messages.length === 2;
  });
  const back = await readAll(instance.client.trigger(say(sessionId, "four"), world.as()));
  assert.equal(textOf(back), "Back.");
});
