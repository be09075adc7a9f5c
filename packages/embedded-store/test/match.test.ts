import assert from "node:assert/strict";
import { Double, Int32, Long } from "mongodb";
import { test } from "vitest";
import { startTestServer } from "./support/test-server.ts";

const server = await startTestServer();

type Example = [title: string, filter: object, matching: object[], other: object[]];

const examples: Example[] = [
  [
    "a scalar matches itself and an array that contains it",
    { a: 1 },
    [{ a: 1 }, { a: [0, 1] }, { a: new Double(1) }, { a: Long.fromNumber(1) }],
    [{ a: 2 }, { a: "1" }, {}, { a: [[1]] }, { a: { b: 1 } }],
  ],
  ["strings match exactly", { a: "x" }, [{ a: "x" }], [{ a: "X" }, { a: "x " }, { a: null }]],
  [
    "an array matches as a whole or as an element",
    { a: [1, 2] },
    [{ a: [1, 2] }, { a: [[1, 2], 3] }],
    [{ a: [2, 1] }, { a: [1, 2, 3] }, { a: 1 }],
  ],
  [
    "documents match only with the same fields in the same order",
    { a: { x: 1, y: 2 } },
    [{ a: { x: 1, y: 2 } }, { a: { x: new Double(1), y: 2 } }],
    [{ a: { y: 2, x: 1 } }, { a: { x: 1, y: 2, z: 3 } }],
  ],
  [
    "null matches null and missing fields",
    { a: null },
    [{ a: null }, {}, { a: [1, null] }],
    [{ a: 0 }, { a: [] }, { a: false }],
  ],
  [
    "null matches a missing nested path",
    { "a.b": null },
    [{}, { a: 1 }, { a: {} }, { a: { b: null } }, { a: [{ c: 1 }] }],
    [{ a: { b: 1 } }, { a: [] }, { a: [1] }, { a: [{ b: 1 }] }],
  ],
  [
    "a path passes through arrays of documents",
    { "a.b": 1 },
    [{ a: { b: 1 } }, { a: [{ b: 0 }, { b: 1 }] }, { a: [{ b: [1] }] }],
    [{ a: [[{ b: 1 }]] }, { a: [1] }],
  ],
  [
    "a path may contain a position in an array",
    { "a.1": 2 },
    [{ a: [1, 2] }, { a: { 1: 2 } }, { a: [{ 1: 2 }] }],
    [{ a: [2, 1] }, { a: [2] }],
  ],
  [
    "a path may continue below a position",
    { "a.0.b": 1 },
    [{ a: [{ b: 1 }] }, { a: { 0: { b: 1 } } }],
    [{ a: [{ b: 2 }, { b: 1 }] }],
  ],
  [
    "a path may continue below a position that contains an array",
    { "a.1.b": 4 },
    [{ a: [5, [{ b: 4 }]] }, { a: [5, [1, { b: 4 }]] }],
    [{ a: [[{ b: 4 }]] }, { a: [5, [[{ b: 4 }]]] }],
  ],
  [
    "a path may contain a position in a nested array",
    { "a.0.1": 4 },
    [{ a: [[3, 4]] }, { a: [{ 0: { 1: 4 } }] }],
    [{ a: [[4, 3]] }, { a: [4, 4] }],
  ],
  [
    "$ne is the opposite of equality, including array elements",
    { a: { $ne: 1 } },
    [{ a: 2 }, {}, { a: [2] }],
    [{ a: 1 }, { a: [1, 2] }],
  ],
  [
    "$gt compares within a type",
    { a: { $gt: 1 } },
    [{ a: 2 }, { a: Long.fromNumber(2) }, { a: [0, 2] }],
    [{ a: 1 }, { a: "2" }, { a: null }, {}, { a: new Date(5) }],
  ],
  [
    "$lte compares strings",
    { a: { $lte: "b" } },
    [{ a: "b" }, { a: "a" }, { a: "" }],
    [{ a: "c" }, { a: 1 }],
  ],
  ["$gte null matches null and missing fields", { a: { $gte: null } }, [{ a: null }, {}], [{ a: 1 }]],
  [
    "dates compare with dates",
    { a: { $lt: new Date(1000) } },
    [{ a: new Date(999) }],
    [{ a: new Date(1000) }, { a: 1 }],
  ],
  [
    "NaN equals NaN and is neither less nor greater",
    { a: { $lte: Number.NaN } },
    [{ a: Number.NaN }],
    [{ a: 1 }, { a: -1 }],
  ],
  ["a number is never less than NaN", { a: { $lt: 5 } }, [{ a: 4 }], [{ a: Number.NaN }]],
  [
    "conditions on one field may be met by different elements",
    { a: { $gt: 3, $lt: 2 } },
    [{ a: [1, 4] }],
    [{ a: [2, 3] }, { a: 1 }],
  ],
  [
    "$elemMatch requires one element to satisfy all conditions",
    { a: { $elemMatch: { $gt: 1, $lt: 3 } } },
    [{ a: [0, 2] }],
    [{ a: [0, 4] }, { a: 2 }],
  ],
  [
    "$in matches any of its values",
    { a: { $in: [1, "x", null] } },
    [{ a: 1 }, { a: "x" }, {}, { a: [2, "x"] }],
    [{ a: 2 }, { a: "1" }],
  ],
  [
    "$in accepts many values",
    { a: { $in: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } },
    [{ a: new Double(10) }, { a: [0, 5] }],
    [{ a: 11 }, {}],
  ],
  ["an empty $in matches nothing", { a: { $in: [] } }, [], [{ a: 1 }, {}]],
  ["$nin matches none of its values", { a: { $nin: [1, null] } }, [{ a: 2 }], [{ a: 1 }, {}, { a: [1, 2] }]],
  ["$exists matches null but not missing fields", { a: { $exists: true } }, [{ a: null }, { a: [] }], [{}]],
  [
    "$exists false matches only missing paths",
    { "a.b": { $exists: false } },
    [{}, { a: 1 }, { a: [] }, { a: [{ c: 1 }] }],
    [{ a: { b: null } }, { a: [{ c: 1 }, { b: 1 }] }],
  ],
  ["$exists applies to a position in an array", { "a.0": { $exists: true } }, [{ a: [1] }], [{ a: [] }, {}]],
  [
    "$type accepts a name and also matches elements",
    { a: { $type: "int" } },
    [{ a: 1 }, { a: ["x", 1] }],
    [{ a: new Double(1) }, { a: Long.fromNumber(1) }, {}],
  ],
  [
    "$size compares the number of elements",
    { a: { $size: 2 } },
    [{ a: [1, [2]] }],
    [{ a: [1] }, { a: 2 }, {}],
  ],
  [
    "$not inverts a condition",
    { a: { $not: { $gt: 1 } } },
    [{ a: 1 }, {}, { a: "x" }],
    [{ a: 2 }, { a: [0, 2] }],
  ],
  [
    "$and and $or combine conditions",
    { $or: [{ a: 1 }, { $and: [{ b: 1 }, { c: 1 }] }], d: { $ne: 1 } },
    [{ a: 1 }, { b: 1, c: 1 }],
    [{ b: 1 }, { a: 1, d: 1 }],
  ],
  ["booleans are not numbers", { a: true }, [{ a: true }], [{ a: 1 }, { a: false }]],
  ["an empty filter matches every document", {}, [{}, { a: 1 }], []],
];

for (const [title, filter, matching, other] of examples) {
  test(`a filter matches the right documents: ${title}`, async () => {
    const items = server.collection();
    const label = (document: object) => JSON.stringify(document);
    const documents = [...matching, ...other].map((document, i) => ({ _id: i, ...document }));
    if (documents.length > 0) await items.insertMany(documents);
    const found = await items.find(filter).toArray();
    const ids = new Set(found.map(({ _id }) => _id));
    for (const [i, document] of matching.entries()) assert.ok(ids.has(i), `matches ${label(document)}`);
    for (const [i, document] of other.entries())
      assert.ok(!ids.has(matching.length + i), `not ${label(document)}`);
  });
}

const refusals: [filter: object, code: number][] = [
  [{ a: { $foo: 1 } }, 2],
  [{ $foo: [] }, 2],
  [{ $or: [] }, 2],
  [{ $and: [1] }, 2],
  [{ a: { $in: 1 } }, 2],
  [{ a: { $size: -1 } }, 2],
  [{ a: { $size: 2 ** 31 } }, 2],
  [{ a: { $type: "number" } }, 238],
  [{ a: { $type: ["int"] } }, 238],
  [{ a: { $type: 2 } }, 238],
  [{ a: { $all: [1] } }, 238],
  [{ a: { $elemMatch: { x: 1 } } }, 238],
  [{ a: { $elemMatch: { $or: [{ x: 1 }] } } }, 2],
  [{ $nor: [{ a: 1 }] }, 238],
  [{ a: { $ref: "items", $id: 1 } }, 238],
  [{ a: { $not: 1 } }, 2],
  [{ a: { $gt: 1, b: 1 } }, 2],
  [{ a: /x/ }, 238],
  [{ a: { $in: [/x/] } }, 238],
  [{ a: { $in: [1, { $gt: 1 }] } }, 2],
  [{ a: { $nin: [{ $eq: 1 }] } }, 2],
  [{ a: { $regex: "x" } }, 238],
  [{ a: { $not: /x/ } }, 238],
  [{ a: { $mod: [2, 0] } }, 238],
  [{ $where: "1" }, 238],
  [{ $expr: { $eq: [1, 1] } }, 238],
  [{ $text: { $search: "x" } }, 238],
];
for (const [filter, code] of refusals) {
  test(`the filter ${JSON.stringify(filter)} is refused with code ${code}`, async () => {
    const items = server.collection();
    await items.insertOne({ _id: new Int32(1).value });
    await assert.rejects(items.find(filter).toArray(), { code });
  });
}
