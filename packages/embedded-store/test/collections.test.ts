import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { startTestServer } from "./support/test-server.ts";

const server = await startTestServer(20);

describe("collections and databases", () => {
  test("a collection can be created, listed and dropped", async () => {
    const db = server.database();
    await db.createCollection("made");
    await assert.rejects(db.createCollection("made"), { code: 48 });
    await db.collection("written").insertOne({});
    const names = async () =>
      (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
    assert.deepEqual(await names(), ["made", "written"]);
    assert.equal((await db.listCollections({ name: "made" }).toArray()).length, 1);
    await db.collection("made").drop();
    await db.collection("never").drop();
    assert.deepEqual(await names(), ["written"]);
    await db.dropDatabase();
    assert.deepEqual(await names(), []);
    assert.equal(await db.collection("written").countDocuments(), 0);
  });

  test("databases are separate and are listed while they contain a collection", async () => {
    const [one, two] = [server.database(), server.database()];
    await one.collection("items").insertOne({ n: 1 });
    assert.equal(await two.collection("items").countDocuments(), 0);
    const names = async () =>
      (await server.client.db().admin().listDatabases()).databases.map(({ name }) => name);
    assert.ok((await names()).includes(one.databaseName));
    await one.dropDatabase();
    assert.ok(!(await names()).includes(one.databaseName));
  });

  test("a collection recreated after a drop is empty and has only the index on _id", async () => {
    const items = server.collection();
    await items.createIndex({ n: 1 });
    await items.insertOne({ _id: 1, n: 1 });
    await items.drop();
    await items.insertOne({ _id: 1, n: 1 });
    assert.deepEqual(
      (await items.indexes()).map(({ name }) => name),
      ["_id_"],
    );
    assert.equal(await items.countDocuments(), 1);
  });

  test("collection and database names that MongoDB refuses are refused", async () => {
    const db = server.database();
    await assert.rejects(db.command({ insert: "a$b", documents: [{}] }), { code: 73 });
    await assert.rejects(db.command({ create: "system.x" }), { code: 73 });
    await assert.rejects(db.command({ create: "x".repeat(300) }), { code: 73 });
  });

  test("create options for unsupported kinds of collections are refused", async () => {
    const db = server.database();
    await assert.rejects(db.createCollection("x", { capped: true, size: 1000 }), { code: 238 });
    await assert.rejects(db.createCollection("x", { validator: { a: 1 } }), { code: 238 });
  });
});

describe("createIndexes", () => {
  test("declaring an index twice succeeds, and listIndexes shows its declaration", async () => {
    const items = server.collection();
    const options = { unique: true, partialFilterExpression: { a: { $exists: true } } };
    await items.createIndex({ a: 1, "b.c": -1 }, options);
    await items.createIndex({ a: 1, "b.c": -1 }, options);
    assert.deepEqual(await items.indexes(), [
      { v: 2, key: { _id: 1 }, name: "_id_" },
      { v: 2, key: { a: 1, "b.c": -1 }, name: "a_1_b.c_-1", ...options },
    ]);
    await items.dropIndex("a_1_b.c_-1");
    assert.equal((await items.indexes()).length, 1);
    await items.dropIndex("a_1_b.c_-1");
  });

  test("an index that conflicts with an existing one is refused", async () => {
    const items = server.collection();
    await items.createIndex({ a: 1 });
    await assert.rejects(items.createIndex({ a: 1 }, { unique: true }), { code: 85 });
    await assert.rejects(items.createIndex({ a: 1 }, { name: "other" }), { code: 85 });
    await assert.rejects(items.createIndex({ b: 1 }, { name: "a_1" }), { code: 86 });
  });

  test("unsupported kinds of indexes and index options are refused", async () => {
    const items = server.collection();
    await assert.rejects(items.createIndex({ a: "text" }), { code: 238 });
    await assert.rejects(items.createIndex({ a: "2dsphere" }), { code: 238 });
    await assert.rejects(items.createIndex({ a: 1 }, { sparse: true }), { code: 238 });
    await assert.rejects(items.createIndex({ a: 1 }, { collation: { locale: "en" } }), { code: 238 });
    await assert.rejects(items.createIndex({ "a.$**": 1 }), { code: 238 });
    await assert.rejects(items.createIndex({ a: 2 }), { code: 67 });
    const partialFilterExpression = { a: { $ne: 1 } };
    await assert.rejects(items.createIndex({ a: 1 }, { partialFilterExpression }), { code: 67 });
    await assert.rejects(items.createIndex({ a: 1, b: 1 }, { expireAfterSeconds: 1 }), { code: 67 });
  });

  test("building a unique index over duplicates fails and leaves nothing behind", async () => {
    const items = server.collection();
    await items.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
    ]);
    await assert.rejects(items.createIndex({ n: 1 }, { unique: true }), { code: 11000 });
    assert.equal((await items.indexes()).length, 1);
    await items.insertOne({ _id: 3, n: 1 });
    await items.deleteMany({ _id: { $gt: 1 } });
    await items.createIndex({ n: 1 }, { unique: true });
    await assert.rejects(items.insertOne({ _id: 4, n: 1 }), { code: 11000 });
  });

  test("one failing index leaves neither the others nor a new collection behind", async () => {
    const items = server.collection();
    await items.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
    ]);
    const indexes = [
      { key: { b: 1 }, name: "b" },
      { key: { a: 1 }, name: "a", unique: true },
    ];
    await assert.rejects(items.createIndexes(indexes), { code: 11000 });
    assert.deepEqual(
      (await items.indexes()).map(({ name }) => name),
      ["_id_"],
    );
    assert.equal((await items.find({ a: 1 }).toArray()).length, 2);
    const conflicting = [
      { key: { b: 1 }, name: "b" },
      { key: { c: 1 }, name: "b" },
    ];
    const missing = server.database();
    await assert.rejects(missing.collection("new").createIndexes(conflicting), { code: 86 });
    assert.deepEqual(await missing.listCollections().toArray(), []);
    await missing.collection("new").createIndexes([{ key: { b: 1 }, name: "b" }]);
  });

  test("a unique index allows one document per value or array element, and one without a value", async () => {
    const items = server.collection();
    await items.createIndex({ a: 1 }, { unique: true });
    await items.insertOne({ _id: 1, a: [1, 1, 2] });
    await assert.rejects(items.insertOne({ _id: 2, a: 2 }), { code: 11000 });
    await items.insertOne({ _id: 3 });
    await assert.rejects(items.insertOne({ _id: 4, a: null }), { code: 11000 });
    await items.updateOne({ _id: 1 }, { $set: { a: [1] } });
    await items.insertOne({ _id: 2, a: 2 });
  });

  test("a partial unique index constrains only the documents that match its filter", async () => {
    const items = server.collection();
    await items.createIndex({ slug: 1 }, { unique: true, partialFilterExpression: { active: true } });
    await items.insertMany([
      { _id: 1, slug: "x", active: true },
      { _id: 2, slug: "x", active: false },
    ]);
    await assert.rejects(items.updateOne({ _id: 2 }, { $set: { active: true } }), { code: 11000 });
    await items.updateOne({ _id: 1 }, { $set: { active: false } });
    await items.updateOne({ _id: 2 }, { $set: { active: true } });
  });

  test("two arrays in one compound index are refused", async () => {
    const items = server.collection();
    await items.createIndex({ a: 1, b: 1 });
    await assert.rejects(items.insertOne({ _id: 1, a: [1], b: [2] }), { code: 171 });
    assert.equal(await items.countDocuments(), 0);
  });
});

describe("TTL indexes", () => {
  test("a TTL index removes expired documents and keeps others", async () => {
    const items = server.collection();
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 3600 });
    const hour = 3_600_000;
    await items.insertMany([
      { _id: "old", at: new Date(Date.now() - 2 * hour) },
      { _id: "fresh", at: new Date() },
      { _id: "no date", at: "2001" },
      { _id: "none" },
      { _id: "one of several", at: [new Date(), new Date(Date.now() - 2 * hour)] },
    ]);
    await until(async () => (await items.countDocuments()) === 3);
    assert.deepEqual(
      (await items.find().toArray()).map(({ _id }) => _id),
      ["fresh", "no date", "none"],
    );
  });

  test("a partial TTL index expires only the documents that match its filter", async () => {
    const items = server.collection();
    const partialFilterExpression = { done: true };
    await items.createIndex({ at: 1 }, { expireAfterSeconds: 0, partialFilterExpression });
    await items.insertMany([
      { _id: 1, at: new Date(0), done: false },
      { _id: 2, at: new Date(0), done: true },
    ]);
    await until(async () => (await items.countDocuments()) === 1);
    assert.equal((await items.findOne())?._id, 1);
  });
});
