import assert from "node:assert/strict";
import { startEmbeddedStore } from "@muster/embedded-store";
import { CollectedMetrics } from "@muster/metrics/testing";
import { silentLogger } from "@muster/service";
import { failureOf, startProxy, type TestScope, temporaryDirectory, until } from "@muster/testing";
import { describe, test } from "vitest";
import { openStore } from "./open-store.ts";

interface Named {
  _id: string;
  name: string;
}

/** A measured store, which can be cut off. */
async function openMeasured(t: TestScope, settings = "") {
  const metrics = new CollectedMetrics("agents");
  const server = await startEmbeddedStore({ directory: await temporaryDirectory(t), host: "127.0.0.1" });
  t.onTestFinished(() => server.stop());
  const proxy = await startProxy(t, Number(/:(\d+)/.exec(server.uri)?.[1]));
  const store = await openStore({
    uri: `mongodb://127.0.0.1:${proxy.port}/?directConnection=true${settings}`,
    database: "measured",
    log: silentLogger,
    metrics,
  });
  t.onTestFinished(() => store.close());
  return { metrics, proxy, store, named: store.db.collection<Named>("named") };
}

describe("a measured store", () => {
  test("counts its commands by name with their durations, also those that are refused", async (t) => {
    const { metrics, named, proxy } = await openMeasured(t);
    await named.createIndex({ name: 1 }, { unique: true });
    const before = await metrics.read();
    proxy.delay(20);
    await named.insertOne({ _id: "a", name: "x" });
    await failureOf(named.insertOne({ _id: "b", name: "x" }));
    await named.findOne({ _id: "a" });
    await failureOf(named.findOneAndUpdate({ _id: "c" }, { $set: { name: "x" } }, { upsert: true }));
    const after = await metrics.read();
    for (const [operation, calls] of [
      ["insert", 2],
      ["find", 1],
      ["findAndModify", 1],
    ] as const) {
      const count = (name: "total" | "sum", scraped = after) =>
        scraped[name]("muster_store_operation_duration_seconds", { operation });
      assert.equal(count("total") - count("total", before), calls, operation);
      assert.ok(count("sum") - count("sum", before) > calls * 0.015, `${operation} took ${count("sum")} s`);
    }
    assert.equal(after.total("muster_store_errors_total"), 0, "a duplicate is no failure of the store");
  });

  test("counts what the server refuses, and what it misses when it is cut off", async (t) => {
    const { metrics, store, named, proxy } = await openMeasured(
      t,
      "&connectTimeoutMS=200&serverSelectionTimeoutMS=300",
    );
    await failureOf(store.db.command({ nonsense: 1 }));
    assert.equal((await metrics.read()).total("muster_store_errors_total", { kind: "other" }), 1);
    proxy.blackhole();
    await failureOf(named.findOne({ _id: "a" }));
    const failures = async (kind: string) =>
      (await metrics.read()).total("muster_store_errors_total", { kind });
    await until(
      "missed heartbeats are counted",
      async () => (await failures("timeout")) + (await failures("network")) > 2,
    );
  });

  test("shows the operations that wait for a connection, and none once they are done", async (t) => {
    const { metrics, named, proxy } = await openMeasured(t, "&maxPoolSize=1");
    proxy.delay(50);
    const queue = async () =>
      (await metrics.read()).total("muster_queue_depth", { queue: "store_connections" });
    assert.equal(await queue(), 0);
    const reads = Promise.all(Array.from({ length: 5 }, () => named.findOne({ _id: "a" })));
    await until("some wait", async () => (await queue()) >= 3);
    await reads;
    assert.equal(await queue(), 0);
  });
});
