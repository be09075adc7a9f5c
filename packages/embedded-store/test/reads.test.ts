import assert from "node:assert/strict";
import { Double, Long, type Sort } from "mongodb";
import { describe, test } from "vitest";
import { startTestServer } from "./support/test-server.ts";

const server = await startTestServer();

async function collectionOf(documents: object[]) {
  const items = server.collection();
  await items.insertMany(documents.map((document, i) => ({ _id: i, ...document })));
  return items;
}

describe("projection", () => {
  const source = { a: 1, b: { c: 2, d: 3 }, list: [{ x: 1, y: 2 }, 7, [{ x: 3, y: 4 }]] };
  const examples: [projection: object, expected: object][] = [
    [{ a: 1 }, { _id: 0, a: 1 }],
    [{ a: 1, _id: 0 }, { a: 1 }],
    [{ _id: 1 }, { _id: 0 }],
    [{ _id: 0 }, source],
    [
      { b: 0, list: 0 },
      { _id: 0, a: 1 },
    ],
    [{ b: 0, list: 0, _id: 0 }, { a: 1 }],
    [
      { "b.c": 1, missing: 1 },
      { _id: 0, b: { c: 2 } },
    ],
    [
      { "b.c": 0, list: 0 },
      { _id: 0, a: 1, b: { d: 3 } },
    ],
    [{ "list.x": 1 }, { _id: 0, list: [{ x: 1 }, [{ x: 3 }]] }],
    [
      { "list.x": 0, b: 0 },
      { _id: 0, a: 1, list: [{ y: 2 }, 7, [{ y: 4 }]] },
    ],
    [{ "a.x": 1 }, { _id: 0 }],
  ];
  for (const [projection, expected] of examples) {
    test(`the projection ${JSON.stringify(projection)} returns the right fields`, async () => {
      const items = await collectionOf([source]);
      assert.deepEqual(await items.findOne({}, { projection }), expected);
    });
  }

  test("a projection that is neither an inclusion nor an exclusion is refused", async () => {
    const items = await collectionOf([source]);
    const code = (projection: object) =>
      items.findOne({}, { projection }).then(
        () => 0,
        (error) => error.code,
      );
    assert.equal(await code({ a: 1, b: 0 }), 31254);
    assert.equal(await code({ a: 0, b: 1 }), 31253);
    assert.equal(await code({ b: 1, "b.c": 1 }), 31249);
    assert.equal(await code({ list: { $slice: 1 } }), 238);
    assert.equal(await code({ list: { $elemMatch: { x: 1 } } }), 238);
    assert.equal(await code({ "list.$": 1 }), 238);
    assert.equal(await code({ z: "$a" }), 238);
    assert.equal(await code({ b: { c: 1 } }), 238);
  });
});

describe("sort", () => {
  const ids = async (documents: object[], sort: Sort) => {
    const items = await collectionOf(documents);
    return (await items.find().sort(sort).toArray()).map(({ _id }) => _id);
  };

  test("a sort orders values by type and treats missing ones as null", async () => {
    assert.deepEqual(
      await ids([{ a: "x" }, { a: 5 }, {}, { a: new Double(4.5) }, { a: null }], { a: 1, _id: 1 }),
      [2, 4, 3, 1, 0],
    );
  });

  test("a sort by several fields applies each field's direction", async () => {
    assert.deepEqual(
      await ids(
        [
          { a: 1, b: 1 },
          { a: 2, b: 1 },
          { a: 1, b: 2 },
        ],
        { a: 1, b: -1 },
      ),
      [2, 0, 1],
    );
  });

  test("an array sorts by its smallest element ascending and its greatest descending", async () => {
    const documents = [{ a: [5, 1] }, { a: 3 }, { a: [] }, { a: [4] }];
    assert.deepEqual(await ids(documents, { a: 1 }), [2, 0, 1, 3]);
    assert.deepEqual(await ids(documents, { a: -1 }), [0, 3, 1, 2]);
  });

  test("skip and limit apply after the sort", async () => {
    const items = await collectionOf(Array.from({ length: 3000 }, (_, i) => ({ n: (i * 7919) % 3000 })));
    const found = await items.find().sort({ n: -1 }).skip(2).limit(3).toArray();
    assert.deepEqual(
      found.map(({ n }) => n),
      [2997, 2996, 2995],
    );
  });
});

describe("cursors", () => {
  test("a cursor's batches return every document once, from an index, a sort and the collection", async () => {
    const items = await collectionOf(
      Array.from({ length: 250 }, (_, i) => ({ n: i % 10, tags: [i % 3, i % 5] })),
    );
    await items.createIndex({ n: 1 });
    await items.createIndex({ tags: 1 });
    const everywhere = [
      items.find().batchSize(7),
      items.find({ n: { $gte: 0 } }).batchSize(7),
      items.find({ tags: { $in: [0, 1, 2, 3, 4] } }).batchSize(7),
      items.find().sort({ tags: -1, n: 1 }).batchSize(7),
      items.find().batchSize(7).limit(1000),
    ];
    for (const cursor of everywhere) {
      assert.deepEqual(new Set((await cursor.toArray()).map(({ _id }) => _id)).size, 250);
    }
    assert.equal((await items.find().batchSize(7).limit(20).toArray()).length, 20);
    assert.equal(
      (
        await items
          .find({ n: { $in: [3, 1] } })
          .batchSize(3)
          .toArray()
      ).length,
      50,
    );
  });

  test("a cursor continues while documents are inserted and deleted", async () => {
    const items = await collectionOf(Array.from({ length: 20 }, () => ({})));
    const cursor = items.find().batchSize(5);
    const seen = [];
    for await (const { _id } of cursor) {
      seen.push(_id);
      if (seen.length === 3) await items.deleteMany({ _id: { $in: [2, 6, 7] } });
    }
    assert.deepEqual(seen, [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]);
  });

  test("a cursor's batches stay below 16 MB and return large documents one by one", async () => {
    const items = server.collection();
    for (let i = 0; i < 5; i++) await items.insertOne({ _id: i, text: "x".repeat(6_000_000) });
    const found = await items.find().toArray();
    assert.deepEqual(
      found.map(({ _id }) => _id),
      [0, 1, 2, 3, 4],
    );
  });

  test("a closed, dropped or unknown cursor is not found", async () => {
    const items = await collectionOf([{}, {}, {}]);
    const db = server.client.db(items.dbName);
    const open = async (): Promise<Long> => {
      const reply = await db.command({ find: items.collectionName, batchSize: 1 }, { promoteLongs: false });
      return reply.cursor.id;
    };
    const more = (id: Long) => db.command({ getMore: id, collection: items.collectionName });
    const closed = await open();
    const killed = await db.command({
      killCursors: items.collectionName,
      cursors: [closed, Long.fromNumber(7)],
    });
    assert.deepEqual([killed.cursorsKilled.length, killed.cursorsNotFound.length], [1, 1]);
    await assert.rejects(more(closed), { code: 43 });
    const dropped = await open();
    await items.drop();
    await assert.rejects(more(dropped), { code: 43 });
    await assert.rejects(more(Long.fromNumber(12345)), { code: 43 });
  });
});

describe("count", () => {
  test("count applies filter, skip and limit", async () => {
    const items = await collectionOf([{ a: 1 }, { a: 1 }, { a: 2 }]);
    assert.equal(await items.countDocuments({ a: 1 }), 2);
    assert.equal(await items.countDocuments({ a: 9 }), 0);
    assert.equal(await items.countDocuments({}, { skip: 1, limit: 1 }), 1);
    assert.equal(await items.estimatedDocumentCount(), 3);
    assert.equal(await server.collection().countDocuments(), 0);
  });

  test("the count stays right through inserts, deletes and refused writes", async () => {
    const items = await collectionOf([{}, {}, {}]);
    assert.equal(await items.estimatedDocumentCount(), 3);
    await items.insertMany([{ _id: 100 }, { _id: 101 }]);
    await assert.rejects(items.insertOne({ _id: 100 }), { code: 11000 });
    await items.deleteMany({ _id: { $in: [100, 7] } });
    await items.updateOne({ _id: "new" }, { $set: { a: 1 } }, { upsert: true });
    assert.equal(await items.estimatedDocumentCount(), await items.countDocuments());
    const command = { count: items.collectionName, skip: 1, limit: 2 };
    assert.equal((await server.client.db(items.dbName).command(command)).n, 2);
  });

  test("an aggregation other than that of countDocuments is refused", async () => {
    const items = await collectionOf([{ a: 1 }]);
    const group = { $group: { _id: 1, n: { $sum: 1 } } };
    const match = { $match: { a: 1 } };
    const refused = [
      [],
      [match],
      [group],
      [match, { $group: { _id: "$a", n: { $sum: 1 } } }],
      [match, { $limit: 1 }, { $skip: 1 }, group],
      [{ ...match, ...group }],
      [match, group, { $sort: { n: 1 } }],
      [match, { $lookup: {} }, group],
    ];
    for (const pipeline of refused) await assert.rejects(items.aggregate(pipeline).toArray(), { code: 238 });
    await assert.rejects(items.watch().next(), { code: 238 });
    await assert.rejects(items.countDocuments({}, { limit: 0 }), { code: 15958 });
    await assert.rejects(items.countDocuments({}, { skip: -1 }), { code: 2 });
    await assert.rejects(items.distinct("a"), { code: 59 });
  });

  test("a sort that would keep more than 100 MB is refused, whereas counting needs no memory", async () => {
    const items = server.collection();
    const text = "x".repeat(15_000_000);
    for (let i = 0; i < 8; i++) await items.insertOne({ _id: i, text });
    await assert.rejects(items.find().sort({ n: 1 }).toArray(), { code: 292 });
    assert.equal(await items.countDocuments({ text }), 8);
  });
});
