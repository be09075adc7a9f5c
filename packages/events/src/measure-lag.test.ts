import assert from "node:assert/strict";
import { CollectedMetrics } from "@muster/metrics/testing";
import { silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { onTestFinished, test } from "vitest";
import { createInProcessBus } from "./in-process-bus.ts";

const subject = "auth.key-revoked";
const event = { keyId: "key_1", projectId: "prj_1" };

test("the lag of an event is measured once for each subscription, and not again when its handler has failed", async () => {
  const metrics = new CollectedMetrics();
  const bus = createInProcessBus({ log: silentLogger, metrics });
  onTestFinished(() => bus.close());
  let attempts = 0;
  let handled = 0;
  await bus.subscribe(subject, { broadcast: true }, async () => {
    if (attempts++ < 2) throw new Error("not yet");
  });
  await bus.subscribe(subject, { broadcast: true }, async () => {
    handled++;
  });
  await bus.publish(subject, event, { id: "evt_1" });
  await until("both have handled it", () => attempts === 3 && handled === 1);
  const scraped = await metrics.read();
  assert.equal(scraped.total("muster_event_lag_seconds", { subject }), 2);
});
