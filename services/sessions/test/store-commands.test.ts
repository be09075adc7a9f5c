import assert from "node:assert/strict";
import { CollectedMetrics } from "@muster/metrics/testing";
import { describe, type TestContext, test } from "vitest";
import { openSession, readAll, say, startWorld } from "./support/harness.ts";
import { readStart, scripted, startSaying } from "./support/starting.ts";

const operations = ["findOne", "findOneAndUpdate", "insertOne", "insertMany", "updateOne"] as const;

async function startCounted(t: TestContext, turns: number, words = 5) {
  const world = await startWorld(
    t,
    Array.from({ length: turns }, () => ({ parts: [{ text: "word ".repeat(words) }] })),
  );
  const metrics = new CollectedMetrics("sessions");
  const hourMs = 3_600_000;
  // The logs and the usage of several turns are inserted together, after them.
  const logs = { logGatherMs: hourMs, usageGatherMs: hourMs };
  // A turn on a busy machine may take as long as one that is saved before its end.
  const early = {
    earlySaveMs: hourMs,
    flushEventsEveryMs: hourMs,
    renewEveryMs: hourMs,
    leaseMs: 2 * hourMs,
  };
  const timings = { ...logs, ...early };
  const instance = await world.addInstance({ onlyInstance: true, timings }, { metrics });
  const counts = async () => {
    const scraped = await metrics.read();
    return operations.map((operation) =>
      scraped.total("muster_store_operation_duration_seconds", { operation }),
    );
  };
  /** The counts of one turn. */
  const countsOf = async (turn: () => Promise<unknown>) => {
    const before = await counts();
    await turn();
    const after = await counts();
    const changes = operations.map((name, index) => [name, (after[index] ?? 0) - (before[index] ?? 0)]);
    return Object.fromEntries(changes.filter(([, count]) => count !== 0));
  };
  return { world, instance, countsOf };
}

describe("the commands to the store of a turn with one model call", () => {
  test("are two if it opens its session: an insert, and the write that ends the turn", async (t) => {
    const { world, instance, countsOf } = await startCounted(t, 1);
    const counts = await countsOf(() => readStart(instance, world, startSaying("Hi", {}, scripted)));
    assert.deepEqual(counts, { insertOne: 1, updateOne: 1 });
  });

  test("are two in a session that exists, also in a later turn: a lock that reads, and the write that ends the turn", async (t) => {
    const { world, instance, countsOf } = await startCounted(t, 3);
    const sessionId = await openSession(world, instance);
    for (const text of ["Hi", "And you?", "Fine."]) {
      const counts = await countsOf(() => readAll(instance.client.trigger(say(sessionId, text), world.as())));
      assert.deepEqual(counts, { findOneAndUpdate: 1, updateOne: 1 });
    }
  });

  test("store the events of 64 deltas in less than 2.5 KB", async (t) => {
    const { world, instance } = await startCounted(t, 1, 64);
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, "Hi"), world.as()));
    const { pendingEvents } = await world.document(sessionId);
    assert.equal(pendingEvents?.count, events.length);
    assert.ok(events.length > 64 && pendingEvents.events.length < 2_500);
  });
});
