import assert from "node:assert/strict";
import { Reason } from "@muster/rpc";
import { test } from "vitest";
import { chat } from "./definitions.ts";
import { openSession, readAll, refusal, say, startWorld, textOf } from "./harness.ts";

test("sessions of an archived agent go on", async (t) => {
  const world = await startWorld(t);
  const sessionId = await openSession(world, await world.addInstance(), {});
  world.agents.set("agt_chat", [{ ...chat, archived: true }]);
  const fresh = await world.addInstance();
  const events = await readAll(fresh.client.trigger(say(sessionId, "still there?"), world.as()));
  assert.match(textOf(events), /still there/);
});

test("an agents service that is away makes a trigger unavailable, and a definition that was read once is enough", async (t) => {
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
