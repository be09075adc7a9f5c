import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { startEmbeddedStore } from "@muster/embedded-store";
import { silentLogger } from "@muster/service";
import { freePort, startProxy, temporaryDirectory, until } from "@muster/testing";
import type { MongoClient } from "mongodb";
import { describe, test } from "vitest";
import { isStoreUnavailable } from "./errors.ts";
import { openStore } from "./open-store.ts";
import { createOutageWatch } from "./outage-watch.ts";

/** The longest time that one operation waits, in milliseconds, for a server that stops responding. */
function longestWaitMs({ options }: MongoClient): number {
  const noticedMs = options.heartbeatFrequencyMS + options.connectTimeoutMS;
  // The driver repeats the operation once, on the server that it then selects.
  return noticedMs + options.serverSelectionTimeoutMS;
}

describe("an outage of the store", () => {
  test("an outage counts only after the tolerated time, and ends with the first server that accepts writes", () => {
    let nowMs = 0;
    const events = new EventEmitter();
    const watch = createOutageWatch(events, { toleratedMs: 2_000, now: () => nowMs });
    const change = (...writable: boolean[]) => {
      const servers = new Map(writable.map((isWritable, index) => [`db${index}:27017`, { isWritable }]));
      events.emit("topologyDescriptionChanged", { newDescription: { servers } });
    };
    assert.equal(watch.isDown(), false);
    change(false, false);
    nowMs = 1_999;
    assert.equal(watch.isDown(), false);
    change(false);
    nowMs = 2_000;
    assert.equal(watch.isDown(), true);
    change(false, true);
    assert.equal(watch.isDown(), false);
  });

  test("a store whose network swallows everything fails its operations, is known to be down, and returns", async (t) => {
    const { port, directory } = { port: await freePort(), directory: await temporaryDirectory(t) };
    const server = await startEmbeddedStore({ directory, port });
    t.onTestFinished(() => server.stop());
    const proxy = await startProxy(t, port);
    // Otherwise the driver would find the server's own address and go past the proxy.
    const uri = `mongodb://127.0.0.1:${proxy.port}/?directConnection=true`;
    const store = await openStore({ uri, database: "outage", log: silentLogger });
    t.onTestFinished(() => store.close());
    assert.ok(longestWaitMs(store.db.client) < 5_000);
    const items = store.db.collection<{ _id: string }>("items");
    await items.insertOne({ _id: "before" });
    assert.equal(store.dependency.outage?.(), undefined);
    proxy.blackhole();
    // 50 connections, and as many operations that wait for one of them.
    const failures = await Promise.allSettled(Array.from({ length: 100 }, () => items.findOne({ _id: "x" })));
    for (const failure of failures) {
      assert.ok(failure.status === "rejected" && isStoreUnavailable(failure.reason));
    }
    await until("the outage is known", () => store.dependency.outage?.() !== undefined);
    proxy.restore();
    await until("the outage has ended", () => store.dependency.outage?.() === undefined, 60_000);
    assert.equal((await items.findOne({ _id: "before" }))?._id, "before");
  });
});
