import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { createServer } from "node:net";
import { startEmbeddedStore } from "@muster/embedded-store";
import { silentLogger } from "@muster/service";
import { freePort, startProxy, temporaryDirectory, until } from "@muster/testing";
import type { MongoClient } from "mongodb";
import { describe, test } from "vitest";
import { openTestStore } from "../test/support/open-test-store.ts";
import { ensureIndexes } from "./ensure-indexes.ts";
import { isDuplicateKey, isStoreUnavailable, StoreUnreachableError } from "./errors.ts";
import { createOutageWatch, openStore } from "./open-store.ts";

interface Named {
  _id: string;
  name?: string | undefined;
  count?: number;
}

test("an unreachable store is reported within seconds, with a remedy and without credentials", async () => {
  const uri = "mongodb://someone:hunter2@127.0.0.1:1/?authSource=admin";
  const startMs = Date.now();
  await assert.rejects(openStore({ uri, database: "none", log: silentLogger }), (error) => {
    assert.ok(error instanceof StoreUnreachableError);
    assert.match(error.message, /127\.0\.0\.1:1 .*MONGODB_URI/);
    assert.doesNotMatch(error.message, /hunter2/);
    assert.equal(isStoreUnavailable(error), true);
    return true;
  });
  assert.ok(Date.now() - startMs < 30_000, "the driver's own limit");
});

test("a server that accepts connections and never responds is reported as unreachable", async (t) => {
  const server = createServer((socket) => socket.resume()).listen(0, "127.0.0.1");
  t.onTestFinished(() => {
    server.close();
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const uri = `mongodb://127.0.0.1:${address.port}/?connectTimeoutMS=300&serverSelectionTimeoutMS=2600`;
  const startMs = Date.now();
  await assert.rejects(openStore({ uri, database: "none", log: silentLogger }), StoreUnreachableError);
  assert.ok(Date.now() - startMs > 2_500, "settings in the URI win over the defaults");
});

test("documents written through the store are found again, and numbers keep their value", async (t) => {
  const { db, ping } = await openTestStore(t);
  await ping();
  const named = db.collection<Named>("named");
  await named.insertOne({ _id: "a", name: undefined, count: 2 ** 40 });
  assert.deepEqual(await named.findOne({ _id: "a" }), { _id: "a", count: 2 ** 40 });
});

test("a field that is undefined in a filter does not match documents without it", async (t) => {
  const { db } = await openTestStore(t);
  const named = db.collection<Named>("named");
  await named.insertOne({ _id: "a", name: "x" });
  assert.equal((await named.findOne({ _id: "a", name: undefined }))?.name, "x");
});

test("indexes are created once, however often they are declared, and unique ones refuse duplicates", async (t) => {
  const { db } = await openTestStore(t);
  const declarations = [
    { collection: "named", indexes: [{ key: { name: 1 }, name: "by_name", unique: true }] },
  ];
  await Promise.all([ensureIndexes(db, declarations), ensureIndexes(db, declarations)]);
  await ensureIndexes(db, declarations);
  const named = db.collection<Named>("named");
  await named.insertOne({ _id: "a", name: "x" });
  const refused = await named.insertOne({ _id: "b", name: "x" }).catch((error: unknown) => error);
  assert.equal(isDuplicateKey(refused), true);
  assert.equal(isStoreUnavailable(refused), false);
  const many = await named.insertMany([{ _id: "c", name: "x" }]).catch((error: unknown) => error);
  assert.equal(isDuplicateKey(many), true);
  assert.equal(isDuplicateKey(new Error("E11000")), false);
});

test("an index of the same name with another shape is refused, not rebuilt", async (t) => {
  const { db } = await openTestStore(t);
  const index = (key: string) => [{ collection: "named", indexes: [{ key: { [key]: 1 }, name: "by_it" }] }];
  await ensureIndexes(db, index("name"));
  await assert.rejects(ensureIndexes(db, index("count")), /exists with another shape/);
});

test("two tests never see each other's documents", async (t) => {
  const [one, two] = await Promise.all([openTestStore(t), openTestStore(t)]);
  await one.db.collection<Named>("named").insertOne({ _id: "a" });
  assert.equal(await two.db.collection("named").countDocuments(), 0);
  assert.notEqual(one.databasePrefix, two.databasePrefix);
});

test("after the store is closed, operations fail as unavailable and closing again does nothing", async (t) => {
  const { uri, databasePrefix } = await openTestStore(t);
  const store = await openStore({ uri, database: `${databasePrefix}_more`, log: silentLogger });
  await store.close();
  await store.close();
  await assert.rejects(store.ping());
});

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
