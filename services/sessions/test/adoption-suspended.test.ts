import assert from "node:assert/strict";
import { test } from "vitest";
import {
  assertWhole,
  continuing,
  hasText,
  Reader,
  resume,
  startAdoptionWorld,
  survivorTimings,
} from "./support/adoption-harness.ts";
import { openSession, readAll, say, textOf } from "./support/harness.ts";
import { startChild } from "./support/start-child.ts";

/** Only the clock of the test ends a lease. */
const leaseMs = 600_000;

test("a suspended process that wakes up while another one continues its turn changes nothing, and its own reader learns why", async (t) => {
  const [late, rest] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const world = await startAdoptionWorld(t, [
    { parts: [{ text: "Half an ans" }, { until: late.promise }, { text: ["late ", "too late"] }] },
    { parts: [{ text: "Wh" }, { until: rest.promise }, { text: "ole." }] },
    { parts: [{ text: "Again." }] },
  ]);
  const child = await startChild(world, leaseMs);
  t.onTestFinished(child.kill);
  const other = await world.addInstance({ timings: survivorTimings });
  const sessionId = await openSession(world, other);
  const reader = new Reader(child.client.trigger({ ...say(sessionId, "hi"), ...continuing }, world.as()));
  await reader.until(hasText("Half"));
  const seen = [...reader.seen];
  const ids = { sessionId, executionId: reader.executionId };

  child.signal("SIGSTOP");
  world.clock.advance(2 * leaseMs);
  const request = { ...ids, afterSequence: seen.length };
  const adopted = new Reader(other.client.resumeExecution(request, world.as()));
  await adopted.until(hasText("Wh"));
  late.resolve();
  child.signal("SIGCONT");
  await reader.ended;
  assert.match(reader.seen.at(-1)?.json ?? "", /SESSION_BUSY/);
  const { epoch, lease } = await world.document(sessionId);
  rest.resolve();
  assert.equal(await adopted.ended, undefined);

  assert.ok(lease !== null && lease.run !== undefined && lease.run < epoch);
  await assertWhole(world, other, sessionId, [], seen, adopted.seen);
  const all = await resume(world, other, ids);
  await assertWhole(world, other, sessionId, [], all);
  assert.ok(!hasText("late")(all));
  const byNumber = new Map(adopted.seen.map(({ sequence, json }) => [sequence, json]));
  for (const { sequence, json } of reader.seen) assert.equal(byNumber.get(sequence) ?? json, json);
  const next = await readAll(other.client.trigger(say(sessionId, "and now?"), world.as()));
  assert.equal(textOf(next), "Again.");
});
