import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { join } from "node:path";
import { sourceEnvironment, temporaryDirectory } from "@muster/testing";
import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  MongoClient,
  ObjectId,
  Timestamp,
} from "mongodb";
import { type TestContext, test } from "vitest";
import { moveTo } from "../src/move/move-to.ts";
import { startEmbeddedStore } from "../src/start.ts";

const program = join(import.meta.dirname, "./support/move-process.ts");

/** One document with every type, and names that a plain object would sort. */
const everyType: Map<string, unknown> = new Map<string, unknown>([
  [
    "_id",
    new Map([
      ["z", 1],
      ["10", 2],
      ["9", 3],
    ]),
  ],
  [
    "values",
    [new Double(1), new Int32(1), Long.fromBigInt(2n ** 60n), Decimal128.fromString("1.10"), -0, null, true],
  ],
  [
    "others",
    [new ObjectId(), new Binary(Buffer.from("x"), 128), new Date(-5), new BSONRegExp("a.*", "i"), "é😀"],
  ],
  ["rare", [new Code("f()"), new Timestamp({ t: 7, i: 1 }), new MinKey(), new MaxKey(), {}, []]],
  ["10", 1],
  ["9", { 2: "b", 1: "a", $c: 1 }],
]);

/** A store that is filled and stopped. `prefix`: of its databases. */
async function filledStore(t: TestContext, count = 2500) {
  const directory = await temporaryDirectory(t);
  const prefix = `move_${randomBytes(6).toString("hex")}`;
  const change = async (write: (client: MongoClient) => Promise<unknown>) => {
    const store = await startEmbeddedStore({ directory });
    const client = new MongoClient(store.uri);
    await write(client).finally(async () => {
      await client.close();
      await store.stop();
    });
  };
  await change(async (client) => {
    const items = client.db(`${prefix}_a`).collection("items");
    await items.createIndex(
      { slug: 1 },
      { unique: true, partialFilterExpression: { slug: { $exists: true } } },
    );
    await items.insertMany(
      Array.from({ length: count }, (_, n) => ({ _id: Object(`item-${n}`), slug: n, n })),
    );
    await items.db.command({ insert: "types", documents: [everyType] });
    await client.db(`${prefix}_a`).createCollection("empty");
    const old = client.db(`${prefix}_b`).collection("old");
    await old.createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
    await old.insertOne({ at: new Date(Date.now() + 3_600_000), text: "x".repeat(100_000) });
  });
  return { directory, prefix, change };
}

/** The server in MONGODB_URI, or another embedded store. */
async function target(t: TestContext, prefix: string) {
  const uri = process.env.MONGODB_URI || (await embedded(t));
  const client = new MongoClient(uri);
  t.onTestFinished(async () => {
    for (const db of ["a", "b"]) await client.db(`${prefix}_${db}`).dropDatabase();
    await client.close();
  });
  return { uri, client, a: client.db(`${prefix}_a`), b: client.db(`${prefix}_b`) };
}

async function embedded(t: TestContext): Promise<string> {
  const store = await startEmbeddedStore({ directory: await temporaryDirectory(t) });
  t.onTestFinished(() => store.stop());
  return store.uri;
}

test("all documents arrive byte for byte, with unique, partial and expiring indexes", async (t) => {
  const { directory, prefix, change } = await filledStore(t);
  let original: unknown;
  await change(async (client) => {
    [original] = await client.db(`${prefix}_a`).collection("types").find({}, { raw: true }).toArray();
  });
  const { uri, a, b } = await target(t, prefix);
  const moved = await moveTo(directory, uri);
  assert.deepEqual(
    moved.map(({ namespace, documents }) => [namespace.slice(prefix.length), documents]),
    [
      ["_a.empty", 0],
      ["_a.items", 2500],
      ["_a.types", 1],
      ["_b.old", 1],
    ],
  );
  const [copy] = await a.collection("types").find({}, { raw: true }).toArray();
  assert.ok(original instanceof Uint8Array && copy instanceof Uint8Array);
  assert.ok(Buffer.from(copy).equals(original));
  const items = a.collection<Document>("items");
  assert.equal(await items.countDocuments(), 2500);
  await assert.rejects(items.insertOne({ slug: 7 }), { code: 11000 });
  await items.insertMany([{ n: 1 }, { n: 1 }]);
  const [, expiring] = await b.collection("old").indexes();
  assert.equal(expiring?.expireAfterSeconds, 3600);
  const collections = await a.listCollections({}, { nameOnly: true }).toArray();
  assert.ok(collections.some(({ name }) => name === "empty"));
  await assert.rejects(moveTo(directory, uri), {
    name: "BackupError",
    message: /has been moved there completely/,
  });
});

test("a move that is killed at any point ends right when it is repeated", async (t) => {
  const { directory, prefix, change } = await filledStore(t, 6000);
  const { uri, a } = await target(t, prefix);
  const killAfter = async (commands: number) => {
    const args = [program, directory, uri, String(commands)];
    const child = spawn(process.execPath, args, { env: sourceEnvironment(), stdio: "ignore" });
    const [, signal] = await once(child, "exit");
    return signal;
  };
  // `npm run test:long` has more of the points.
  for (const commands of process.env.LONG_RUN === undefined ? [1, 6] : [1, 2, 3, 4, 5, 6])
    assert.equal(await killAfter(commands), "SIGKILL");
  // The changes that Muster makes between two attempts.
  await change(async (client) => {
    const items = client.db(`${prefix}_a`).collection("items");
    await items.deleteOne({ slug: 1 });
    await items.updateOne({ slug: 2 }, { $set: { n: -1 } });
    await client.db(`${prefix}_a`).dropCollection("empty");
  });
  await moveTo(directory, uri).catch((error: Error) => assert.match(error.message, /moved there completely/));
  const items = a.collection("items");
  const [gone, changed] = [await items.findOne({ slug: 1 }), await items.findOne({ slug: 2 })];
  assert.deepEqual([await items.countDocuments(), gone, changed?.n], [5999, null, -1]);
  assert.equal((await a.listCollections({ name: "empty" }).toArray()).length, 0);
  await assert.rejects(items.insertOne({ slug: 7 }), { code: 11000 });
});

test("a target with other data, a store in use and an empty one are refused, and nothing is written", async (t) => {
  const { directory, prefix } = await filledStore(t, 1);
  const { uri, a } = await target(t, prefix);
  await a.collection("other").insertOne({ n: 1 });
  await assert.rejects(moveTo(directory, uri), {
    message: /contains other data: its database move_\w+_a is not empty/,
  });
  assert.deepEqual(
    (await a.listCollections().toArray()).map(({ name }) => name),
    ["other"],
  );
  const running = await startEmbeddedStore({ directory });
  await assert.rejects(moveTo(directory, uri), {
    name: "DirectoryError",
    message: /another server is using it/,
  });
  await running.stop();
  await assert.rejects(moveTo(await temporaryDirectory(t), uri), { message: /does not contain a store/ });
  await assert.rejects(moveTo(directory, "mongodb://user:secret@"), (error: Error) => {
    assert.doesNotMatch(error.message, /secret/);
    return error.name === "BackupError";
  });
});
