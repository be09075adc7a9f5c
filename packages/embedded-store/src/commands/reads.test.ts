import assert from "node:assert/strict";
import { Double, Int32, Long, type Sort } from "mongodb";
import { describe, test } from "vitest";
import { startTestServer } from "../testing.ts";

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
    [{ b: { c: 1 } }, { _id: 0, b: { c: 2 } }],
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

describe("count and distinct", () => {
  test("count applies filter, skip and limit", async () => {
    const items = await collectionOf([{ a: 1 }, { a: 1 }, { a: 2 }]);
    assert.equal(await items.countDocuments({ a: 1 }), 2);
    assert.equal(await items.countDocuments({ a: 9 }), 0);
    assert.equal(await items.countDocuments({}, { skip: 1, limit: 1 }), 1);
    assert.equal(await items.estimatedDocumentCount(), 3);
    assert.equal(await server.collection().countDocuments(), 0);
  });

  test("the estimated count stays right through inserts, deletes and refused writes", async () => {
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

  test("distinct returns each array element and equal numbers once", async () => {
    const items = await collectionOf([
      { a: 1 },
      { a: new Double(1) },
      { a: ["x", 2, [3]] },
      {},
      { a: null, b: 1 },
    ]);
    assert.deepEqual(await items.distinct("a"), [1, "x", 2, [3], null]);
    assert.deepEqual(await items.distinct("a", { b: 1 }), [null]);
  });

  test("distinct reads digits after an array as a position only, and skips arrays directly in arrays", async () => {
    const items = await collectionOf([
      { a: [{ 0: 3, x: 1 }, { x: 2 }, [{ x: 3 }]] },
      { a: [[4, [5]], { 0: 6 }] },
      { a: { 0: { x: 7 } } },
    ]);
    assert.deepEqual(await items.distinct("a.0"), [{ 0: 3, x: 1 }, 4, [5], { x: 7 }]);
    assert.deepEqual(await items.distinct("a.x"), [1, 2]);
    assert.deepEqual(await items.distinct("a.2.x"), [3]);
    assert.deepEqual(await items.distinct("a.0.x"), [1, 7]);
  });
});

describe("aggregation", () => {
  test("$group computes every accumulator", async () => {
    const items = await collectionOf([
      { k: "a", n: 1, s: "x" },
      { k: "b", n: 5 },
      { k: "a", n: 2.5, s: null },
      { k: "a", s: "y", n: "no number" },
    ]);
    const pipeline = [
      { $match: { k: { $exists: true } } },
      {
        $group: {
          _id: "$k",
          sum: { $sum: "$n" },
          ones: { $sum: 1 },
          count: { $count: {} },
          first: { $first: "$s" },
          max: { $max: "$n" },
          min: { $min: "$n" },
          all: { $push: "$s" },
          pairs: { $push: { n: "$n", always: "const" } },
        },
      },
      { $sort: { _id: -1 } },
    ];
    assert.deepEqual(await items.aggregate(pipeline).toArray(), [
      {
        _id: "b",
        sum: 5,
        ones: 1,
        count: 1,
        first: null,
        max: 5,
        min: 5,
        all: [],
        pairs: [{ n: 5, always: "const" }],
      },
      {
        _id: "a",
        sum: 3.5,
        ones: 3,
        count: 3,
        first: "x",
        max: "no number",
        min: 1,
        all: ["x", null, "y"],
        pairs: [
          { n: 1, always: "const" },
          { n: 2.5, always: "const" },
          { n: "no number", always: "const" },
        ],
      },
    ]);
  });

  test("a stage that would keep more than 100 MB is refused, whereas counting needs no memory", async () => {
    const items = server.collection();
    const text = "x".repeat(15_000_000);
    for (let i = 0; i < 8; i++) await items.insertOne({ _id: i, text });
    const answer = async (...stages: object[]) =>
      await items.aggregate([{ $limit: 100 }, ...stages]).toArray();
    await assert.rejects(answer({ $sort: { n: 1 } }, { $project: { _id: 1 } }), { code: 292 });
    await assert.rejects(
      answer({ $group: { _id: null, all: { $push: "$text" } } }, { $project: { _id: 1 } }),
      {
        code: 292,
      },
    );
    assert.deepEqual(await answer({ $count: "n" }), [{ n: 8 }]);
    const ids = await answer({ $group: { _id: null, all: { $push: "$_id" } } });
    assert.equal(ids[0]?.all.length, 8);
  });

  test("$group groups by nothing, by a document and by a missing field", async () => {
    const items = await collectionOf([{ a: { b: 1 }, c: 2 }, { a: { b: 1 }, c: 2 }, { c: 3 }]);
    const group = (_id: unknown) => items.aggregate([{ $group: { _id, n: { $sum: 1 } } }]).toArray();
    assert.deepEqual(await group(null), [{ _id: null, n: 3 }]);
    assert.deepEqual(await group({ b: "$a.b", c: "$c" }), [
      { _id: { b: 1, c: 2 }, n: 2 },
      { _id: { c: 3 }, n: 1 },
    ]);
    assert.deepEqual(await group("$a.b"), [
      { _id: 1, n: 2 },
      { _id: null, n: 1 },
    ]);
  });

  test("a path in $group skips arrays directly in arrays", async () => {
    const items = await collectionOf([{ a: [{ b: 1 }, [{ b: 2 }], 3, { b: [4] }] }, { a: [[{ b: 2 }]] }]);
    const groups = await items.aggregate([{ $group: { _id: "$a.b" } }]).toArray();
    assert.deepEqual(groups, [{ _id: [1, [4]] }, { _id: [] }]);
  });

  test("a $group key with one field reads a missing value as null, and a key with several fields omits it", async () => {
    const items = await collectionOf([{ a: null }, {}, { a: 1 }]);
    const group = (_id: unknown) => items.aggregate([{ $group: { _id, n: { $sum: 1 } } }]).toArray();
    assert.deepEqual(await group({ x: "$a" }), [
      { _id: { x: null }, n: 2 },
      { _id: { x: 1 }, n: 1 },
    ]);
    assert.deepEqual(await group({ x: "$a", y: "$a" }), [
      { _id: { x: null, y: null }, n: 1 },
      { _id: {}, n: 1 },
      { _id: { x: 1, y: 1 }, n: 1 },
    ]);
  });

  test("$sum returns int32, int64 beyond its range, and double if any value is a double", async () => {
    const sum = async (...values: unknown[]) => {
      const items = await collectionOf(values.map((n) => ({ n })));
      const options = { promoteValues: false };
      const [result] = await items.aggregate([{ $group: { _id: 1, n: { $sum: "$n" } } }], options).toArray();
      return result?.n;
    };
    assert.deepEqual(await sum(1, 2), new Int32(3));
    assert.deepEqual(await sum(2147483647, 1), Long.fromNumber(2147483648));
    assert.deepEqual(await sum(Long.fromNumber(1), 1), Long.fromNumber(2));
    assert.deepEqual(await sum(1, new Double(2)), new Double(3));
    assert.deepEqual(await sum(0.1, 0.2, 0.3), new Double(0.6));
    assert.deepEqual(await sum("x"), new Int32(0));
    const odd = Long.fromString("9007199254740993");
    assert.deepEqual(await sum(odd, 0.5, 0.5), new Double(9007199254740994));
    assert.deepEqual(await sum(Infinity, 1), new Double(Infinity));
    assert.deepEqual(await sum(Infinity, -Infinity), new Double(Number.NaN));
  });

  test("$sum of a constant adds doubles one by one, without the correction for fields", async () => {
    const items = await collectionOf(Array.from({ length: 10 }, () => ({ n: 0.1 })));
    const sums = { field: { $sum: "$n" }, constant: { $sum: 0.1 }, literal: { $sum: { $literal: 0.1 } } };
    const [result] = await items.aggregate([{ $group: { _id: 1, ...sums, ones: { $sum: 1 } } }]).toArray();
    assert.deepEqual(result, {
      _id: 1,
      field: 1,
      constant: 0.9999999999999999,
      literal: 0.9999999999999999,
      ones: 10,
    });
  });

  test("pipeline stages work in any order", async () => {
    const items = await collectionOf(Array.from({ length: 20 }, (_, i) => ({ n: i, even: i % 2 === 0 })));
    const run = (...pipeline: object[]) => items.aggregate(pipeline).toArray();
    assert.deepEqual(await run({ $limit: 10 }, { $match: { even: true } }, { $count: "total" }), [
      { total: 5 },
    ]);
    assert.deepEqual(await run({ $skip: 18 }, { $sort: { n: -1 } }, { $project: { n: 1, _id: 0 } }), [
      { n: 19 },
      { n: 18 },
    ]);
    assert.deepEqual(await run({ $match: { n: 99 } }, { $count: "total" }), []);
    assert.deepEqual(
      await run(
        { $sort: { n: -1 } },
        { $limit: 2 },
        { $sort: { n: 1 } },
        { $limit: 1 },
        { $project: { even: 0, _id: 0 } },
      ),
      [{ n: 18 }],
    );
    assert.equal((await items.aggregate([{ $sort: { n: 1 } }], { batchSize: 3 }).toArray()).length, 20);
  });

  test("unsupported stages, accumulators and expressions are refused", async () => {
    const items = await collectionOf([{ a: 1 }]);
    const refused = [
      { $lookup: {} },
      { $unwind: "$a" },
      { $facet: {} },
      { $out: "x" },
      { $changeStream: {} },
      { $group: { _id: 1, n: { $avg: "$a" } } },
      { $group: { _id: { $add: [1, 2] } } },
      { $group: { _id: "$$ROOT" } },
      { $project: { b: "$a" } },
    ];
    for (const stage of refused) await assert.rejects(items.aggregate([stage]).toArray(), { code: 238 });
    await assert.rejects(items.watch().next(), { code: 238 });
  });

  const wrong: [stage: object, code: number][] = [
    [{ $limit: 0 }, 15958],
    [{ $limit: -1 }, 5107201],
    [{ $limit: "1" }, 5107201],
    [{ $skip: -1 }, 5107200],
    [{ $match: 1 }, 15959],
    [{ $match: {}, $limit: 1 }, 40323],
    [{}, 40323],
    [{ $sort: 1 }, 15973],
    [{ $sort: {} }, 15976],
    [{ $sort: { a: 2 } }, 15975],
    [{ $project: 1 }, 15969],
    [{ $project: {} }, 51272],
    [{ $project: { "a.": 1 } }, 40353],
    [{ $group: 1 }, 15947],
    [{ $group: { _id: "$" } }, 16872],
    [{ $group: { _id: "$a..b" } }, 15998],
    [{ $group: { _id: { "a.b": 1 } } }, 16412],
    [{ $count: 1 }, 40156],
    [{ $count: "" }, 40157],
    [{ $count: "$n" }, 40158],
    [{ $count: "a.b" }, 40160],
    [{ $count: "_id" }, 9039800],
  ];
  for (const [stage, code] of wrong) {
    test(`the stage ${JSON.stringify(stage)} is refused with code ${code}`, async () => {
      const items = await collectionOf([{ a: 1 }]);
      await assert.rejects(items.aggregate([stage]).toArray(), { code });
    });
  }
});
