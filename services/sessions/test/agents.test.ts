import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { test } from "vitest";
import { chat } from "./support/definitions.ts";
import { messagesOf, openSession, readAll, refusal, say, startWorld, textOf } from "./support/harness.ts";

test("sessions of an archived agent keep their history and continue", async (t) => {
  const world = await startWorld(t);
  const instance = await world.addInstance();
  const sessionId = await openSession(world, instance, {});
  await readAll(instance.client.trigger(say(sessionId, "hello"), world.as()));
  const before = await messagesOf(world, instance, sessionId);
  world.agents.set("agt_chat", [{ ...chat, archived: true }]);
  const fresh = await world.addInstance();
  assert.deepEqual(await messagesOf(world, fresh, sessionId), before);
  const events = await readAll(fresh.client.trigger(say(sessionId, "still there?"), world.as()));
  assert.match(textOf(events), /still there/);
});

test("a trigger is unavailable while the agents service is down, unless the definition is cached", async (t) => {
  const world = await startWorld(t);
  const first = await world.addInstance();
  const sessionId = await openSession(world, first, {});
  const fresh = await world.addInstance();
  await world.agents.stop();
  const before = await world.document(sessionId);
  const refused = await refusal(readAll(fresh.client.trigger(say(sessionId, "hi"), world.as())));
  assert.equal(refused.reason, Reason.UNAVAILABLE);
  assert.ok((refused.retryAfterMs ?? 0) > 0);
  assert.deepEqual({ ...(await world.document(sessionId)), epoch: before.epoch }, before);
  assert.match(textOf(await readAll(first.client.trigger(say(sessionId, "hi"), world.as()))), /hi/);
});
