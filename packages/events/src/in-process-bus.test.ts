import assert from "node:assert/strict";
import { silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { test } from "vitest";
import { describeBusContract } from "../test/support/bus-contract.ts";
import { createInProcessBus } from "./in-process-bus.ts";

describeBusContract("the bus of one process", async (t, count) => {
  const bus = createInProcessBus({ log: silentLogger });
  t.onTestFinished(() => bus.close());
  // All parts of a process share the one bus.
  return [bus, ...Array.from({ length: count - 1 }, () => bus)];
});

test("a consumer that never returns cannot exhaust the memory: events are dropped and a rebuild is requested", async (t) => {
  const bus = createInProcessBus({ log: silentLogger, capacity: 10 });
  t.onTestFinished(() => bus.close());
  let rebuilds = 0;
  const forget = bus.onRebuild(() => {
    rebuilds++;
  });
  bus.onRebuild(() => {
    throw new Error("a failing callback does not prevent the others");
  });
  const options = { consumer: "gone" };
  const gone = await bus.subscribe("auth.key-revoked", options, async () => undefined);
  await gone.close();
  const publish = (index: number) =>
    bus.publish("auth.key-revoked", { keyId: `key_${index}`, projectId: "prj_1" }, { id: `evt_${index}` });
  for (let index = 0; index < 12; index++) await publish(index);
  assert.equal(rebuilds, 1);
  forget();
  const received: string[] = [];
  await bus.subscribe("auth.key-revoked", options, async ({ keyId }) => {
    received.push(keyId);
  });
  await until("events after the overflow arrive", () => received.length === 1);
  assert.deepEqual(received, ["key_11"]);
});

test("a handler that always fails cannot exhaust the memory: delayed events count as waiting", async (t) => {
  const bus = createInProcessBus({ log: silentLogger, capacity: 10 });
  t.onTestFinished(() => bus.close());
  let rebuilds = 0;
  bus.onRebuild(() => {
    rebuilds++;
  });
  let failures = 0;
  await bus.subscribe("auth.key-revoked", { broadcast: true }, async () => {
    failures++;
    throw new Error("the store is down");
  });
  for (let index = 0; index < 12; index++) {
    const seen = failures;
    await bus.publish("auth.key-revoked", { keyId: "key", projectId: "prj_1" }, { id: `evt_${index}` });
    await until("it has failed", () => failures > seen || rebuilds > 0);
  }
  assert.equal(rebuilds, 1);
});
