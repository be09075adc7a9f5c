import assert from "node:assert/strict";
import { CollectedMetrics } from "@muster/metrics/testing";
import { describe, type TestContext, test } from "vitest";
import { openSession, readAll, say, startWorld } from "./support/harness.ts";
import { readStart, scripted, startSaying } from "./support/starting.ts";

/** Those that a caller waits for. Events and logs of several turns are inserted together, at any time. */
const operations = ["findOne", "findOneAndUpdate", "insertOne", "updateOne"] as const;

async function startCounted(t: TestContext, turns: number) {
  const world = await startWorld(
    t,
    Array.from({ length: turns }, () => ({ parts: [{ text: "Hello. " }, { text: "How are you?" }] })),
  );
  const metrics = new CollectedMetrics("sessions");
  const instance = await world.addInstance({}, { metrics });
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
});
