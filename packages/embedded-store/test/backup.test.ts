import assert from "node:assert/strict";
import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryDirectory, until } from "@muster/testing";
import { MongoClient } from "mongodb";
import { describe, type TestContext, test } from "vitest";
import { copyTo } from "../src/backup/copy.ts";
import { backUp, restore } from "../src/backup/index.ts";
import { openStore } from "../src/open-store.ts";
import { startEmbeddedStore } from "../src/start.ts";

interface Item {
  _id: number;
  n: number;
}

async function start(t: TestContext, directory: string, more: { host?: "127.0.0.1" } = {}) {
  const log: string[] = [];
  const store = await startEmbeddedStore({ directory, log: (line) => log.push(line), ...more });
  const client = new MongoClient(store.uri);
  t.onTestFinished(async () => {
    await client.close();
    await store.stop();
    assert.deepEqual(log, []);
  });
  return { store, items: client.db("kept").collection<Item>("items") };
}

describe("a backup", () => {
  test("a backup under continuous writes contains every write acknowledged before its start, and its restored store works", async (t) => {
    const directory = await temporaryDirectory(t);
    const { items } = await start(t, directory);
    await items.createIndex({ n: 1 }, { unique: true });
    await items.insertMany(Array.from({ length: 20_000 }, (_, _id) => ({ _id, n: _id })));
    let isDone = false;
    let acknowledged = 20_000;
    const write = async () => {
      while (!isDone) {
        await items.insertOne({ _id: acknowledged, n: acknowledged });
        acknowledged++;
      }
    };
    const writing = write();
    const folder = await temporaryDirectory(t);
    const file = join(folder, "muster.backup");
    const before = acknowledged;
    await backUp(directory, file);
    isDone = true;
    await writing;
    assert.deepEqual(readdirSync(folder), ["muster.backup"]);
    assert.equal(statSync(file).mode & 0o777, 0o600);

    const target = join(await temporaryDirectory(t), "data", "store");
    restore(file, target);
    const restored = await start(t, target);
    const count = await restored.items.countDocuments({ n: { $gte: 0 } });
    assert.ok(count >= before && count <= acknowledged, `${count} of ${before} to ${acknowledged}`);
    assert.equal(await restored.items.countDocuments({ n: { $lt: before } }), before);
    await assert.rejects(restored.items.insertOne({ _id: -1, n: 1 }), { code: 11000 });
  });

  test("a backup that starts during a transaction waits for its end", async (t) => {
    const { database } = openStore(await temporaryDirectory(t));
    t.onTestFinished(() => database.close());
    const file = join(await temporaryDirectory(t), "muster.backup");
    database.begin();
    let checks = 0;
    const made = copyTo(database, file, () => ++checks < 0);
    // The copy asks whether it is stopped after each attempt.
    await until(() => checks > 1);
    database.commit();
    await made;
    assert.ok(existsSync(file));
  });

  test("a stopped store can be backed up, too", async (t) => {
    const directory = await temporaryDirectory(t);
    const { store, items } = await start(t, directory);
    await items.insertOne({ _id: 1, n: 1 });
    await store.stop();
    const file = join(await temporaryDirectory(t), "muster.backup");
    await backUp(directory, file);
    const target = await temporaryDirectory(t);
    restore(file, target);
    assert.deepEqual(await (await start(t, target)).items.findOne(), { _id: 1, n: 1 });
  });

  test("a backup overwrites no file, and reports a missing folder, a missing store and one without a socket", async (t) => {
    const directory = await temporaryDirectory(t);
    await start(t, directory);
    const folder = await temporaryDirectory(t);
    const file = join(folder, "kept");
    writeFileSync(file, "kept");
    await assert.rejects(backUp(directory, file), {
      name: "BackupError",
      message: /kept: it exists already/,
    });
    assert.equal(statSync(file).size, 4);
    await assert.rejects(backUp(directory, join(folder, "missing/file")), {
      message: /its folder does not exist/,
    });
    await assert.rejects(backUp(folder, join(folder, "file")), { message: /does not contain a store/ });
    const overTcp = await temporaryDirectory(t);
    const { items } = await start(t, overTcp, { host: "127.0.0.1" });
    await assert.rejects(backUp(overTcp, join(folder, "file")), { message: /only over its socket/ });
    const request = { backUp: join(folder, "file") };
    await assert.rejects(items.db.command(request), { code: 238 });
    assert.deepEqual(readdirSync(folder), ["kept"]);
  });

  test("a store that stops during a backup leaves no file, or a complete one", async (t) => {
    const directory = await temporaryDirectory(t);
    const { store, items } = await start(t, directory);
    const text = "x".repeat(1_000_000);
    await items.insertMany(Array.from({ length: 40 }, (_, _id) => ({ _id, n: _id, text })));
    const folder = await temporaryDirectory(t);
    const copying = backUp(directory, join(folder, "file")).catch((error: unknown) => error);
    await store.stop();
    await copying;
    // The stop may arrive before the request, during the copy, or after its last step.
    for (const name of readdirSync(folder)) {
      assert.equal(name, "file");
      const target = await temporaryDirectory(t);
      restore(join(folder, name), target);
      const restored = await start(t, target);
      assert.equal(await restored.items.countDocuments({ n: { $gte: 0 } }), 40);
    }
  });
});

describe("a restore", () => {
  test("a restore refuses folders with contents, and files that are not an intact backup", async (t) => {
    const folder = await temporaryDirectory(t);
    const target = join(folder, "target");
    const text = join(folder, "text");
    writeFileSync(text, "This is not a database. ".repeat(1000));
    assert.throws(() => restore(text, target), { name: "BackupError", message: /is not a backup/ });
    const foreign = join(folder, "foreign");
    new DatabaseSync(foreign).exec("CREATE TABLE items (id INTEGER)");
    assert.throws(() => restore(foreign, target), { message: /is not a backup/ });
    assert.throws(() => restore(join(folder, "missing"), target), { message: /does not exist/ });
    assert.deepEqual(existsSync(target) ? readdirSync(target) : [], []);
    assert.throws(() => restore(text, folder), { message: /is not empty/ });
  });
});
