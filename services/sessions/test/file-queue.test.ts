import assert from "node:assert/strict";
import { CollectedMetrics } from "@muster/metrics/testing";
import { scriptedTargets } from "@muster/models/testing";
import { until } from "@muster/testing";
import { test } from "vitest";
import { note, send, startFileWorld } from "./support/file-world.ts";
import { readAll, textOf } from "./support/harness.ts";

const [target] = scriptedTargets;
assert.ok(target);

test("a model call that waits for memory for its files is in the queue until it gets some", async (t) => {
  const metrics = new CollectedMetrics("sessions");
  const ends = Promise.withResolvers<void>();
  const steps = [{ parts: [{ text: "One." }, { until: ends.promise }] }, { parts: [{ text: "Two." }] }];
  const memory = { fileMemoryBytes: note.length };
  const { world, instance, provider, open, upload } = await startFileWorld(
    t,
    target,
    steps,
    { metrics },
    memory,
  );
  const ask = async () => {
    const sessionId = await open();
    const sent = await upload(sessionId, note, { mediaType: "text/plain", filename: "hours.txt" });
    return readAll(instance.client.trigger(send(sessionId, "Read", { FILES: [sent] }), world.as()));
  };
  const queue = async () => (await metrics.read()).total("muster_queue_depth", { queue: "model_files" });
  const first = ask();
  await provider.received(1);
  assert.equal(await queue(), 0);
  const second = ask();
  await until("the second waits", async () => (await queue()) === 1);
  ends.resolve();
  assert.deepEqual((await Promise.all([first, second])).map(textOf), ["One.", "Two."]);
  assert.equal(await queue(), 0);
});
