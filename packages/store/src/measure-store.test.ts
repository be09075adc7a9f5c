import assert from "node:assert/strict";
import { startEmbeddedStore } from "@muster/embedded-store";
import { CollectedMetrics } from "@muster/metrics/testing";
import { silentLogger } from "@muster/service";
import { failureOf, startProxy, type TestScope, temporaryDirectory, until } from "@muster/testing";
import {
  MongoClient,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoOperationTimeoutError,
  MongoServerError,
} from "mongodb";
import { describe, test } from "vitest";
import { measureStore } from "./measure-store.ts";
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
  return { metrics, proxy, server, store, named: store.db.collection<Named>("named") };
}

async function failures(metrics: CollectedMetrics) {
  const scraped = await metrics.read();
  const of = (kind: "timeout" | "network" | "other") => scraped.total("muster_store_errors_total", { kind });
  return { timeout: of("timeout"), network: of("network"), other: of("other") };
}

describe("a measured store", () => {
  test("counts its operations by name with their durations, also those that are refused", async (t) => {
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
      ["insertOne", 2],
      ["findOne", 1],
      ["findOneAndUpdate", 1],
    ] as const) {
      const count = (name: "total" | "sum", scraped = after) =>
        scraped[name]("muster_store_operation_duration_seconds", { operation });
      assert.equal(count("total") - count("total", before), calls, operation);
      assert.ok(count("sum") - count("sum", before) > calls * 0.015, `${operation} took ${count("sum")} s`);
    }
    assert.equal(after.total("muster_store_errors_total"), 0, "a duplicate is no failure of the store");
  });

  test("counts a command that the server refuses as `other`", async (t) => {
    const { metrics, store } = await openMeasured(t);
    await failureOf(store.db.command({ nonsense: 1 }));
    assert.deepEqual(await failures(metrics), { timeout: 0, network: 0, other: 1 });
  });

  test("counts an operation that a silent server does not answer as `timeout`", async (t) => {
    // No heartbeat falls into the test.
    const settings = "&socketTimeoutMS=200&retryReads=false&heartbeatFrequencyMS=60000";
    const { metrics, named, proxy } = await openMeasured(t, settings);
    proxy.blackhole();
    await failureOf(named.findOne({ _id: "a" }));
    assert.deepEqual(await failures(metrics), { timeout: 1, network: 0, other: 0 });
  });

  test("counts an operation that finds no server as `network`", async (t) => {
    const settings = "&serverSelectionTimeoutMS=4000&heartbeatFrequencyMS=60000";
    const { metrics, named, server } = await openMeasured(t, settings);
    await server.stop();
    await failureOf(named.findOne({ _id: "a" }));
    const { timeout, network, other } = await failures(metrics);
    assert.deepEqual({ timeout, other }, { timeout: 0, other: 0 });
    assert.ok(network > 0);
    const find = { operation: "findOne" };
    assert.equal((await metrics.read()).total("muster_store_operation_duration_seconds", find), 1);
  });

  test("counts the heartbeats that the server misses", async (t) => {
    const { metrics, proxy } = await openMeasured(t, "&connectTimeoutMS=200");
    proxy.blackhole();
    await until("they are counted", async () => {
      const { timeout, network } = await failures(metrics);
      return timeout + network > 2;
    });
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

const serverError = (code: number) => new MongoServerError({ message: "refused", code });

describe("the failure of an operation", () => {
  for (const [failure, kind] of [
    [new MongoNetworkTimeoutError("late"), "timeout"],
    [new MongoOperationTimeoutError("late"), "timeout"],
    [serverError(50), "timeout"],
    [new MongoNetworkError("cut"), "network"],
    [serverError(13), "other"],
    [new TypeError("unexpected"), "other"],
    [serverError(11_000), "none"],
  ] as const)
    test(`${failure.name} ${"code" in failure ? failure.code : ""} is counted as ${kind}`, async (t) => {
      const metrics = new CollectedMetrics("agents");
      const client = new MongoClient("mongodb://127.0.0.1:1");
      const { operation, end } = measureStore(client, metrics);
      t.onTestFinished(end);
      const result = Promise.reject(failure);
      operation("findOne", result);
      await failureOf(result);
      const expected = { timeout: 0, network: 0, other: 0, ...(kind !== "none" && { [kind]: 1 }) };
      assert.deepEqual(await failures(metrics), expected);
    });
});
