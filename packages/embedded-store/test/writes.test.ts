import assert from "node:assert/strict";
import { Binary, MongoBulkWriteError, ObjectId, Timestamp } from "mongodb";
import { describe, test } from "vitest";
import { startTestServer } from "./support/test-server.ts";

const server = await startTestServer();

describe("insert", () => {
  test("an ordered insert stops at the first failure, an unordered one continues", async () => {
    const items = server.collection();
    await items.insertOne({ _id: 2 });
    const batch = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
    await assert.rejects(items.insertMany(batch, { ordered: true }), (error) => {
      assert.ok(error instanceof MongoBulkWriteError);
      assert.equal(error.code, 11000);
      assert.equal(error.insertedCount, 1);
      return true;
    });
    assert.equal(await items.countDocuments(), 2);
    await assert.rejects(
      items.insertMany([{ _id: 1 }, { _id: 4 }, { _id: 2 }, { _id: 5 }], { ordered: false }),
    );
    assert.deepEqual(
      (await items.find().toArray()).map(({ _id }) => _id),
      [2, 1, 4, 5],
    );
  });

  test("a duplicate key error names the index, its keys and values in MongoDB's words", async () => {
    const items = server.collection();
    await items.createIndex({ project: 1, "owner.email": 1 }, { unique: true, name: "one_owner" });
    await items.insertOne({ _id: 1, project: "p", owner: { email: "x" } });
    await assert.rejects(items.insertOne({ _id: 2, project: "p", owner: { email: "x" } }), {
      code: 11000,
      message: `E11000 duplicate key error collection: ${items.namespace} index: one_owner dup key: { project: "p", owner.email: "x" }`,
      keyPattern: { project: 1, "owner.email": 1 },
      keyValue: { project: "p", "owner.email": "x" },
    });
    assert.equal(await items.countDocuments(), 1);
  });

  test("a stored document begins with _id, which is generated if missing", async () => {
    const items = server.database().collection("made");
    await items.insertOne({ a: 1, _id: new ObjectId() });
    const command = { insert: "made", documents: [{ b: 1 }] };
    await server.client.db(items.dbName).command(command);
    const documents = await items.find().toArray();
    assert.deepEqual(
      documents.map((document) => Object.keys(document)),
      [
        ["_id", "a"],
        ["_id", "b"],
      ],
    );
    assert.ok(documents[1]?._id instanceof ObjectId);
  });

  test("values of _id that MongoDB refuses are refused", async () => {
    const db = server.database();
    const insert = async (_id: unknown) => {
      const reply = await db.command({ insert: "items", documents: [{ _id }] });
      return reply.writeErrors?.[0]?.code;
    };
    assert.equal(await insert([1]), 53);
    assert.equal(await insert(/x/), 53);
    assert.equal(await insert({ $x: 1 }), 52);
    assert.equal(await insert({ x: 1 }), undefined);
  });

  test("nested field names may begin with a dollar sign, as in JSON schemas", async () => {
    const items = server.collection();
    await items.insertOne({ _id: 1, schema: { $ref: "#/a", $schema: "x", "a.b": 1 } });
    assert.deepEqual(await items.findOne(), { _id: 1, schema: { $ref: "#/a", $schema: "x", "a.b": 1 } });
    await items.updateOne({ _id: 1 }, { $set: { other: { $ref: "#/b" }, n: 1 } });
    const raw = await items.findOne({}, { raw: true });
    assert.ok(raw);
  });

  test("a document of 16 MB is stored, a larger one is refused", async () => {
    const items = server.collection();
    const fits = new Binary(Buffer.alloc(16 * 1024 * 1024 - 100));
    await items.insertOne({ _id: 1, bytes: fits });
    assert.equal((await items.findOne({ _id: 1 }))?.bytes.length(), fits.length());
    await assert.rejects(items.updateOne({ _id: 1 }, { $set: { more: "x".repeat(100) } }), { code: 10334 });
  });
});

describe("update", () => {
  test("an update counts matched and changed documents", async () => {
    const items = server.collection();
    await items.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 1 },
      { _id: 3, n: 2 },
    ]);
    const one = await items.updateOne({ n: 1 }, { $set: { n: 1 } });
    assert.deepEqual([one.matchedCount, one.modifiedCount], [1, 0]);
    const many = await items.updateMany({ n: { $gte: 1 } }, { $set: { n: 2 } });
    assert.deepEqual([many.matchedCount, many.modifiedCount], [3, 2]);
    const none = await items.updateOne({ n: 9 }, { $set: { n: 1 } });
    assert.deepEqual([none.matchedCount, none.upsertedCount], [0, 0]);
  });

  test("a $push counts as a change even if its $slice leaves the document unchanged", async () => {
    const items = server.collection();
    await items.insertOne({ _id: 1, list: [1, 2] });
    const countOf = async (push: object) => {
      const updates = [{ q: { _id: 1 }, u: { $push: { list: push } } }];
      return (await server.client.db(items.dbName).command({ update: items.collectionName, updates }))
        .nModified;
    };
    assert.equal(await countOf({ $each: [3], $slice: 2 }), 1);
    assert.equal(await countOf({ $each: [], $slice: 2 }), 0);
    assert.deepEqual(await items.findOne(), { _id: 1, list: [1, 2] });
  });

  test("updateMany never changes a document twice, even if it moves within the index of the query", async () => {
    const items = server.collection();
    await items.createIndex({ n: 1 });
    await items.insertMany(Array.from({ length: 50 }, (_, i) => ({ _id: i, n: i })));
    await items.updateMany({ n: { $gte: 0 } }, { $inc: { n: 1000 } });
    assert.equal(await items.countDocuments({ n: { $gte: 2000 } }), 0);
  });

  test("a replacement keeps _id and replaces everything else", async () => {
    const items = server.collection();
    await items.insertOne({ _id: 1, a: 1, b: 2 });
    await items.replaceOne({ a: 1 }, { c: 3 });
    assert.deepEqual(await items.findOne(), { _id: 1, c: 3 });
    await assert.rejects(items.replaceOne({ _id: 1 }, { _id: 2, c: 3 }), { code: 66 });
  });

  test("an upsert inserts the filter's equalities, then applies the update", async () => {
    const items = server.collection();
    const update: object = { $set: { d: 1 }, $setOnInsert: { e: 2 }, $push: { list: 1 } };
    const result = await items.updateOne(
      { _id: "new", "a.b": 1, n: { $gt: 5 }, $and: [{ c: { $eq: "x" } }] },
      update,
      { upsert: true },
    );
    assert.equal(result.upsertedId, "new");
    assert.deepEqual(await items.findOne(), { _id: "new", a: { b: 1 }, c: "x", d: 1, e: 2, list: [1] });
    const replaced = await items.replaceOne({ _id: "other", x: 1 }, { y: 1 }, { upsert: true });
    assert.equal(replaced.upsertedId, "other");
    assert.deepEqual(await items.findOne({ _id: "other" }), { _id: "other", y: 1 });
  });

  test("an upsert that violates a unique index reports a duplicate key and inserts nothing", async () => {
    const items = server.collection();
    await items.createIndex({ slug: 1 }, { unique: true });
    await items.insertOne({ _id: 1, slug: "x", version: 2 });
    const conditional = items.updateOne(
      { slug: "x", version: 1 },
      { $set: { version: 2 } },
      { upsert: true },
    );
    await assert.rejects(conditional, { code: 11000 });
    assert.equal(await items.countDocuments(), 1);
  });

  test("an upsert whose filter may imply an equality that MongoDB may or may not find is refused", async () => {
    const items = server.collection();
    const filters: object[] = [
      { a: { $not: { $not: { $eq: 1 } } } },
      { a: { $not: { $ne: 1 } } },
      { a: { $in: [] } },
      { a: { $in: [1] } },
      { $or: [{ a: 1 }, { a: 1 }] },
      { b: 1, $and: [{ $or: [{ a: 1 }] }] },
    ];
    for (const filter of filters) {
      const upsert = items.updateOne(filter, { $set: { c: 1 } }, { upsert: true });
      await assert.rejects(upsert, { code: 238, message: /An upsert whose filter contains/ });
    }
    assert.equal(await items.countDocuments(), 0);
    const harmless = { a: { $ne: 1 }, b: { $nin: [1] }, c: { $exists: false }, d: { $not: { $gt: 1 } } };
    await items.updateOne({ _id: 1, ...harmless }, { $set: { e: 7 } }, { upsert: true });
    assert.deepEqual(await items.findOne(), { _id: 1, e: 7 });
  });

  test("a document with an empty timestamp, which MongoDB changes, is refused", async () => {
    const items = server.collection();
    const empty = new Timestamp({ t: 0, i: 0 });
    await assert.rejects(items.insertOne({ _id: 1, at: empty }), { code: 238 });
    await assert.rejects(items.replaceOne({ _id: 2 }, { at: empty }, { upsert: true }), { code: 238 });
    await items.insertOne({ _id: 3, nested: { at: empty } });
    await items.updateOne({ _id: 3 }, { $set: { at: empty } });
    assert.deepEqual(await items.findOne(), { _id: 3, nested: { at: empty }, at: empty });
  });

  test("an inserted _id contains no field that begins with a dollar sign, however deep", async () => {
    const items = server.database().collection("ids");
    for (const _id of [{ $a: 1 }, { a: { $b: 1 } }, { a: [{ b: { $c: 1 } }] }])
      await assert.rejects(items.insertOne({ _id: Object(_id) }), { code: 52 });
    assert.equal(await items.countDocuments(), 0);
  });

  test("an upsert with contradicting equalities is refused", async () => {
    const items = server.collection();
    await assert.rejects(items.updateOne({ a: 1, $and: [{ a: 2 }] }, { $set: { b: 1 } }, { upsert: true }), {
      code: 54,
    });
    await assert.rejects(items.updateOne({ _id: 1 }, { $set: { _id: 2 } }, { upsert: true }), { code: 66 });
    await assert.rejects(items.replaceOne({ _id: 1 }, { _id: 2, a: 1 }, { upsert: true }), { code: 66 });
    const replace = { query: { _id: 1 }, update: { _id: 2 }, upsert: true };
    await assert.rejects(server.client.db(items.dbName).command({ findAndModify: "items", ...replace }), {
      code: 66,
    });
    assert.equal(await items.countDocuments(), 0);
  });

  test("a refused update applies none of its changes", async () => {
    const items = server.collection();
    await items.createIndex({ u: 1 }, { unique: true });
    await items.insertMany([
      { _id: 1, u: 1 },
      { _id: 2, u: 2 },
    ]);
    await assert.rejects(items.updateOne({ _id: 1 }, { $set: { u: 2, other: 1 } }), { code: 11000 });
    assert.deepEqual(await items.findOne({ _id: 1 }), { _id: 1, u: 1 });
    assert.deepEqual(await items.findOne({ u: 1 }), { _id: 1, u: 1 }, "its index entry still exists");
  });

  test("exactly one of several concurrent conditional updates succeeds", async () => {
    const items = server.collection();
    await items.insertOne({ _id: 1, version: 0, wins: 0 });
    const attempt = async () => {
      for (let won = false; !won; ) {
        const current = await items.findOne({ _id: 1 });
        const filter = { _id: 1, version: current?.version };
        won = (await items.updateOne(filter, { $inc: { version: 1, wins: 1 } })).modifiedCount === 1;
      }
    };
    await Promise.all(Array.from({ length: 16 }, attempt));
    assert.deepEqual(await items.findOne(), { _id: 1, version: 16, wins: 16 });
  });
});

describe("findAndModify", () => {
  test("findAndModify returns the first document of the sort, before or after the update, projected", async () => {
    const items = server.collection();
    await items.insertMany([
      { _id: 1, n: 1, x: 1 },
      { _id: 2, n: 5, x: 2 },
    ]);
    const before = await items.findOneAndUpdate({}, { $inc: { n: 1 } }, { sort: { n: -1 } });
    assert.deepEqual(before, { _id: 2, n: 5, x: 2 });
    const options = { sort: { n: -1 }, projection: { n: 1, _id: 0 } } as const;
    const after = await items.findOneAndUpdate(
      {},
      { $inc: { n: 1 } },
      { ...options, returnDocument: "after" },
    );
    assert.deepEqual(after, { n: 7 });
    assert.equal(await items.findOneAndUpdate({ n: 99 }, { $inc: { n: 1 } }), null);
  });

  test("findAndModify upserts and replaces documents, and refuses to remove them", async () => {
    const items = server.collection();
    const update = { $set: { a: 1 } };
    assert.equal(await items.findOneAndUpdate({ _id: 1 }, update, { upsert: true }), null);
    const inserted = await items.findOneAndUpdate({ _id: 2 }, update, {
      upsert: true,
      returnDocument: "after",
    });
    assert.deepEqual(inserted, { _id: 2, a: 1 });
    const result = await items.findOneAndUpdate({ _id: 3 }, update, {
      upsert: true,
      includeResultMetadata: true,
    });
    assert.deepEqual(result.lastErrorObject, { n: 1, updatedExisting: false, upserted: 3 });
    assert.deepEqual(await items.findOneAndReplace({ _id: 2 }, { b: 1 }, { returnDocument: "after" }), {
      _id: 2,
      b: 1,
    });
    await assert.rejects(items.findOneAndDelete({ b: 1 }), { code: 238 });
  });

  test("16 callers of findAndModify claim 40 jobs, each job once", async () => {
    const jobs = server.collection();
    await jobs.createIndex({ state: 1, due: 1 });
    await jobs.insertMany(Array.from({ length: 40 }, (_, i) => ({ _id: i, state: "open", due: 40 - i })));
    const claimed: unknown[] = [];
    const claim = async (): Promise<void> => {
      const options = { sort: { due: 1 } } as const;
      const job = await jobs.findOneAndUpdate({ state: "open" }, { $set: { state: "taken" } }, options);
      if (!job) return;
      claimed.push(job._id);
      await claim();
    };
    await Promise.all(Array.from({ length: 16 }, claim));
    assert.equal(claimed.length, 40);
    assert.equal(new Set(claimed).size, 40);
  });
});

describe("delete", () => {
  test("a delete removes one or all matches with their index entries", async () => {
    const items = server.collection();
    await items.createIndex({ n: 1 }, { unique: true, partialFilterExpression: { n: { $gt: 0 } } });
    await items.insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
      { _id: 3, n: 3 },
    ]);
    assert.equal((await items.deleteOne({ n: { $gt: 0 } })).deletedCount, 1);
    assert.equal((await items.deleteMany({ n: { $gt: 0 } })).deletedCount, 2);
    await items.insertMany([
      { _id: 4, n: 1 },
      { _id: 5, n: 2 },
    ]);
    assert.equal(await items.countDocuments(), 2);
    assert.equal((await items.deleteMany({})).deletedCount, 2);
  });
});
