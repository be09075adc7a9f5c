import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryDirectory } from "@muster/testing";
import { MongoClient } from "mongodb";
import { describe, type TestContext, test } from "vitest";
import { startEmbeddedStore } from "../src/start.ts";
import { type AnyDocument, connectRaw } from "./support/test-server.ts";

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

const clients = new WeakMap<TestContext, MongoClient[]>();

/** A client of a store that `start` returned; closed before the store. */
function clientOf(t: TestContext, uri: string): MongoClient {
  const client = new MongoClient(uri, { serverSelectionTimeoutMS: 2000, monitorCommands: true });
  clients.set(t, [...(clients.get(t) ?? []), client]);
  return client;
}

async function start(t: TestContext, options: Parameters<typeof startEmbeddedStore>[0]) {
  const store = await startEmbeddedStore(options);
  t.onTestFinished(async () => {
    // A client that is closed after its server may wait forever for a connection.
    for (const client of clients.get(t) ?? []) await client.close();
    await store.stop();
  });
  return store;
}

describe("the socket in the directory", () => {
  test("a store listens by default on a socket for its owner only, and the driver sends no retryable writes", async (t) => {
    // Signs that a URI or the driver's handling of names could change.
    const directory = join(await temporaryDirectory(t), "Ä Mixed,case@x#");
    const store = await start(t, { directory });
    const socket = await stat(join(directory, "store.sock"));
    assert.equal(socket.isSocket(), true);
    assert.equal(socket.mode & 0o777, 0o600);
    const client = clientOf(t, store.uri);
    const retryable: boolean[] = [];
    client.on("commandStarted", ({ command }) => retryable.push(command.txnNumber !== undefined));
    const items = client.db("socket").collection<AnyDocument>("items");
    await items.insertOne({ _id: 1 });
    assert.deepEqual(retryable, [false]);
    assert.deepEqual(await items.findOne(), { _id: 1 });
  });

  test("a store's files are readable by their owner only, whatever the directory's mode", async (t) => {
    const directory = join(await temporaryDirectory(t), "open");
    await mkdir(directory, { mode: 0o755 });
    const store = await start(t, { directory });
    await clientOf(t, store.uri).db("socket").collection("items").insertOne({});
    for (const name of ["store.sqlite", "store.sqlite-wal"]) {
      assert.equal((await stat(join(directory, name))).mode & 0o077, 0, name);
    }
  });

  test("clients reconnect after a restart, under the same URI", async (t) => {
    const directory = await temporaryDirectory(t);
    let store = await start(t, { directory });
    const client = clientOf(t, store.uri);
    const items = client.db("socket").collection<AnyDocument>("items");
    await items.insertOne({ _id: 1 });
    for (let i = 0; i < 3; i++) {
      const { uri } = store;
      await store.stop();
      await assert.rejects(stat(join(directory, "store.sock")), { code: "ENOENT" });
      store = await start(t, { directory });
      assert.equal(store.uri, uri);
      assert.equal((await items.updateOne({ _id: 1 }, { $inc: { n: 1 } })).modifiedCount, 1);
    }
    assert.deepEqual(await items.findOne(), { _id: 1, n: 3 });
  });

  test("a socket left by a killed server is replaced", async (t) => {
    const directory = await temporaryDirectory(t);
    const child = fork(main, { env: { ...process.env, EMBEDDED_STORE_DIRECTORY: directory }, silent: true });
    assert.ok(child.stdout);
    await once(child.stdout, "data");
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
    assert.equal((await stat(join(directory, "store.sock"))).isSocket(), true);
    const store = await start(t, { directory });
    assert.equal((await connectRaw(t, store.uri).command({ ping: 1, $db: "admin" })).ok, 1);
  });
});

describe("TCP", () => {
  test("a store listens on TCP on request", async (t) => {
    const store = await start(t, { directory: await temporaryDirectory(t), host: "127.0.0.1" });
    assert.match(store.uri, /^mongodb:\/\/127\.0\.0\.1:\d+\/\?replicaSet=embedded$/);
  });

  for (const [reason, name] of [
    ["is too long for a socket", "x".repeat(100)],
    ["contains a character that the driver decodes twice", "50%25"],
  ] as const) {
    test(`a store listens on TCP if the path ${reason}`, async (t) => {
      const store = await start(t, { directory: join(await temporaryDirectory(t), name) });
      assert.match(store.uri, /^mongodb:\/\/127\.0\.0\.1:/);
      assert.deepEqual(await clientOf(t, store.uri).db("tcp").command({ ping: 1 }), { ok: 1 });
    });
  }

  test("a store listens on TCP, with a line in the log, if it cannot create a socket", async (t) => {
    const directory = await temporaryDirectory(t);
    await mkdir(join(directory, "store.sock"));
    await writeFile(join(directory, "store.sock", "file"), "");
    const log: string[] = [];
    const store = await start(t, { directory, log: (line) => log.push(line) });
    assert.match(store.uri, /^mongodb:\/\/127\.0\.0\.1:/);
    assert.match(log.join(), /^cannot listen on the socket .*store\.sock, using TCP instead: /);
  });
});
