import assert from "node:assert/strict";
import { BSON, Decimal128, Double, Int32, Long, type UpdateFilter } from "mongodb";
import { test } from "vitest";
import { type AnyDocument, startTestServer } from "./support/test-server.ts";

const server = await startTestServer();

/** The document after an update. */
async function updated(before: object, update: UpdateFilter<AnyDocument>): Promise<AnyDocument | null> {
  const items = server.collection();
  await items.insertOne({ ...before, _id: 1 });
  await items.updateOne({ _id: 1 }, update);
  return items.findOne({ _id: 1 }, { projection: { _id: 0 }, promoteValues: false });
}

/** A document as text, with the types of numbers and the order of fields. */
function exactly(document: object | null): string {
  return BSON.EJSON.stringify(document, { relaxed: false });
}

type Example = [title: string, before: object, update: object, after: object];

const int = (value: number) => new Int32(value);
const dbl = (value: number) => new Double(value);
const long = (value: bigint) => Long.fromBigInt(value);

const examples: Example[] = [
  [
    "$set replaces in place and appends in the order of the names",
    { b: int(1), a: int(2) },
    { $set: { d: int(4), c: int(3), b: int(9) } },
    { b: int(9), a: int(2), c: int(3), d: int(4) },
  ],
  [
    "$set creates missing documents on its path",
    {},
    { $set: { "a.b.c": int(1) } },
    { a: { b: { c: int(1) } } },
  ],
  ["$set accepts a number as a field name", { a: {} }, { $set: { "a.0": int(5) } }, { a: { 0: int(5) } }],
  ["$set stores the type of the new value", { a: int(1) }, { $set: { a: dbl(1) } }, { a: dbl(1) }],
  ["$unset removes a field", { a: int(1), b: int(2) }, { $unset: { a: 1, c: 1, "d.e": 1 } }, { b: int(2) }],
  ["$unset through a scalar does nothing", { a: int(1) }, { $unset: { "a.b": 1 } }, { a: int(1) }],
  [
    "$inc of int32 by int32 stays an int32",
    { a: int(1) },
    { $inc: { a: int(2), b: int(3) } },
    { a: int(3), b: int(3) },
  ],
  [
    "$inc of int32 beyond its range becomes an int64",
    { a: int(2147483647) },
    { $inc: { a: int(1) } },
    { a: long(2147483648n) },
  ],
  ["$inc of int64 by int32 stays an int64", { a: long(5n) }, { $inc: { a: int(1) } }, { a: long(6n) }],
  [
    "$inc of int64 is exact",
    { a: long(9007199254740993n) },
    { $inc: { a: int(2) } },
    { a: long(9007199254740995n) },
  ],
  ["$inc of int32 by double becomes a double", { a: int(1) }, { $inc: { a: dbl(0.5) } }, { a: dbl(1.5) }],
  ["$inc of double by int32 stays a double", { a: dbl(1) }, { $inc: { a: int(1) } }, { a: dbl(2) }],
  [
    "$min compares across types and sets what is missing",
    { a: int(5), b: int(5), c: "x" },
    { $min: { a: int(3), b: int(7), d: int(1), c: int(9) } },
    { a: int(3), b: int(5), c: int(9), d: int(1) },
  ],
  [
    "$push appends to an array and creates a missing one",
    { a: [int(1)] },
    { $push: { a: int(2), b: { x: int(1) } } },
    { a: [int(1), int(2)], b: [{ x: int(1) }] },
  ],
  ["$push appends an array as one element", { a: [] }, { $push: { a: [int(1)] } }, { a: [[int(1)]] }],
  [
    "$push with a negative $slice keeps the last elements",
    { a: [int(1), int(2)] },
    { $push: { a: { $each: [int(3)], $slice: -2 } } },
    { a: [int(2), int(3)] },
  ],
  [
    "$push with a positive $slice keeps the first elements",
    { a: [int(1), int(2)] },
    { $push: { a: { $each: [int(3)], $slice: 1 } } },
    { a: [int(1)] },
  ],
  [
    "$push with $slice 0 empties the array",
    { a: [int(1), int(2)] },
    { $push: { a: { $each: [], $slice: 0 } } },
    { a: [] },
  ],
  [
    "$pull removes equal values",
    { a: [int(1), dbl(1), int(2), [int(1)]] },
    { $pull: { a: int(1) } },
    { a: [int(2), [int(1)]] },
  ],
  [
    "$pull removes documents that match a filter",
    { a: [{ id: "a", n: int(1) }, { id: "b" }, "a"] },
    { $pull: { a: { id: { $in: ["a", "c"] } } } },
    { a: [{ id: "b" }, "a"] },
  ],
  [
    "$pull from a missing field does nothing",
    { b: int(1) },
    { $pull: { a: int(1), "c.d": int(1) } },
    { b: int(1) },
  ],
  [
    "$setOnInsert does nothing to an existing document",
    { a: int(1) },
    { $setOnInsert: { a: int(2) }, $set: { b: int(1) } },
    { a: int(1), b: int(1) },
  ],
  [
    "several operators apply at once",
    { n: int(1), list: [], old: "x" },
    { $inc: { n: int(1) }, $push: { list: "a" }, $unset: { old: "" }, $set: { "m.k": true } },
    { n: int(2), list: ["a"], m: { k: true } },
  ],
];

type Refusal = [title: string, before: object, update: object, code: number];

const refusals: Refusal[] = [
  ["$set through a scalar", { a: int(1) }, { $set: { "a.b": 1 } }, 28],
  ["$set through null", { a: null }, { $set: { "a.b": 1 } }, 28],
  ["$set of a name in an array", { a: [] }, { $set: { "a.b": 1 } }, 28],
  ["$inc of a string", { a: "x" }, { $inc: { a: 1 } }, 14],
  ["$inc by a string", { a: 1 }, { $inc: { a: "x" } }, 14],
  ["$inc of null", { a: null }, { $inc: { a: 1 } }, 14],
  ["$inc beyond int64", { a: long(2n ** 63n - 1n) }, { $inc: { a: 1 } }, 2],
  ["$push to a scalar", { a: 1 }, { $push: { a: 1 } }, 2],
  ["$push with an unknown clause", { a: [] }, { $push: { a: { $each: [], $foo: 1 } } }, 2],
  ["$push with an $each that is not an array", { a: [] }, { $push: { a: { $each: 1 } } }, 2],
  ["$push of a document like its clauses", { a: [] }, { $push: { a: { $slice: 1 } } }, 238],
  ["$pull from a scalar", { a: 1 }, { $pull: { a: 1 } }, 2],
  ["a change of _id", {}, { $set: { _id: 2 } }, 66],
  ["the removal of _id", {}, { $unset: { _id: 1 } }, 66],
  ["two operators on one path", {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
  ["two paths where one leads into the other", {}, { $set: { a: 1, "a.b.c": 1, b: 2 } }, 40],
  ["an unknown operator", {}, { $foo: { a: 1 } }, 9],
  ["an operator without fields", {}, { $set: 1 }, 9],
  ["a path with an empty part", {}, { $set: { "a..b": 1 } }, 56],
  ["a position in an array", { a: [1] }, { $set: { "a.0": 1 } }, 238],
  ["$pull through a scalar", { a: 1 }, { $pull: { "a.b": 1 } }, 28],
  ["$pull of a name in an array", { a: [{ b: [1] }] }, { $pull: { "a.b": 1 } }, 28],
  ["$push with $sort", { a: [] }, { $push: { a: { $each: [], $sort: 1 } } }, 238],
  ["$push with $position", { a: [] }, { $push: { a: { $each: [], $position: 1 } } }, 238],
  ["$pull with operators", { a: [1] }, { $pull: { a: { $gte: 1 } } }, 238],
  ["$addToSet", { a: [] }, { $addToSet: { a: 2 } }, 238],
  ["$currentDate", { a: 1 }, { $currentDate: { a: true } }, 238],
  ["$max", { a: 1 }, { $max: { a: 2 } }, 238],
  ["$mul", { a: 1 }, { $mul: { a: 2 } }, 238],
  ["$rename", { a: 1 }, { $rename: { a: "b" } }, 238],
  ["a positional operator", { a: [1] }, { $set: { "a.$": 2 } }, 238],
  ["the operator for all positions", { a: [1] }, { $set: { "a.$[]": 2 } }, 238],
  ["$inc of a decimal", { a: 1 }, { $inc: { a: Decimal128.fromString("1") } }, 238],
];

for (const [title, before, update, after] of examples) {
  test(`an update stores the right document: ${title}`, async () => {
    assert.equal(exactly(await updated(before, update)), exactly(after));
  });
}

for (const [title, before, update, code] of refusals) {
  test(`${title} is refused with code ${code} and changes nothing`, async () => {
    const items = server.collection();
    const stored = { _id: 1, ...before };
    await items.insertOne(stored);
    const original = await items.findOne({}, { promoteValues: false });
    const command = {
      update: "items",
      updates: [{ q: { _id: 1 }, u: { ...update, $min: { untouched: 1 } } }],
    };
    const reply = await server.client.db(items.dbName).command(command);
    assert.equal(reply.writeErrors?.[0]?.code, code, JSON.stringify(reply));
    assert.deepEqual(await items.findOne({}, { promoteValues: false }), original);
  });
}

test("an update that nests a document too deeply is refused", async () => {
  const items = server.collection();
  const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });
  const path = (parts: number) => Array.from({ length: parts }, () => "a").join(".");
  await items.insertOne({ _id: 1, deep: nested(150), list: [] });
  await items.updateOne({ _id: 1 }, { $set: { [`b.${path(50)}`]: nested(129) } });
  const updates: object[] = [
    { $set: { [`c.${path(90)}`]: nested(120) } },
    { $push: { [`c.${path(80)}`]: nested(100) } },
    { $min: { [`c.${path(90)}`]: nested(120) } },
  ];
  for (const update of updates) await assert.rejects(items.updateOne({ _id: 1 }, update), { code: 15 });
  const upsert = { [`c.${path(90)}`]: nested(120) };
  await assert.rejects(items.updateOne(upsert, { $set: { d: 1 } }, { upsert: true }), { code: 15 });
});
