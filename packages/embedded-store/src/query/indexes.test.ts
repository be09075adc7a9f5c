import assert from "node:assert/strict";
import { temporaryDirectory } from "@muster/testing";
import fc from "fast-check";
import { test, vi } from "vitest";
import { anyValue } from "../../test/support/arbitrary.ts";
import { doc, type Plain, type PlainFields } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { array, Doc, document, double, int32, List, string, type Value } from "../bson/value.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore, type Store } from "../open-store.ts";
import { IndexTable } from "../storage/index-table.ts";

/* Random documents, filters and sorts: an index may change how a query runs, never its result. */

const field = fc.constantFrom("a", "a", "a", "b", "a.b", "a.b", "a.c");
const simple: fc.Arbitrary<Value> = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 3 }).map(int32) },
  { weight: 1, arbitrary: fc.constantFrom<Value>(string("x"), { type: T.null, value: null }) },
  { weight: 1, arbitrary: anyValue },
);
const listOf = (items: fc.Arbitrary<Value>) =>
  fc.array(items, { maxLength: 3 }).map((values) => array(new List(values)));
const inner = fc
  .dictionary(fc.constantFrom("b", "c"), fc.oneof({ weight: 3, arbitrary: simple }, listOf(simple)))
  .map((fields) => document(doc(fields)));
const content: fc.Arbitrary<Value> = fc.oneof(
  { weight: 3, arbitrary: simple },
  { weight: 2, arbitrary: inner },
  { weight: 2, arbitrary: listOf(simple) },
  { weight: 2, arbitrary: listOf(inner) },
  { weight: 1, arbitrary: listOf(fc.oneof(simple, inner, listOf(simple))) },
);
const someDoc = fc.dictionary(fc.constantFrom("a", "b"), content).map(doc);

const comparable = fc
  .oneof({ weight: 8, arbitrary: simple }, listOf(simple), inner)
  .filter(({ type }) => type !== T.minKey && type !== T.maxKey);
const condition: fc.Arbitrary<Plain> = fc.oneof(
  { weight: 4, arbitrary: comparable },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"), comparable)
      .map(([name, value]) => ({ [name]: value })),
  },
  { weight: 4, arbitrary: fc.tuple(comparable, comparable).map(([low, high]) => ({ $gte: low, $lt: high })) },
  fc
    .tuple(fc.constantFrom("$in", "$nin"), fc.array(comparable, { maxLength: 3 }))
    .map(([name, values]) => ({ [name]: values })),
  fc.boolean().map((wanted) => ({ $exists: wanted })),
  fc.constantFrom("int", "string", "array", "object", "null").map((name) => ({ $type: name })),
  fc.tuple(comparable, comparable).map(([low, high]) => ({ $elemMatch: { $gt: low, $lte: high } })),
  comparable.map((value) => ({ $not: { $gt: value } })),
);
const filter: fc.Arbitrary<Doc> = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(field, condition, { maxKeys: 2 }).map(doc) },
  {
    weight: 2,
    arbitrary: fc.array(comparable, { maxLength: 2 }).map((values) => doc({ a: { $in: values } })),
  },
  { weight: 2, arbitrary: fc.tuple(simple, simple).map(([b, c]) => doc({ "a.b": b, "a.c": c })) },
  fc
    .tuple(
      fc.constantFrom("$and", "$or"),
      fc.array(fc.tuple(field, condition), { minLength: 1, maxLength: 3 }),
    )
    .map(([name, parts]) => doc({ [name]: parts.map(([path, value]) => ({ [path]: value })) })),
);
const direction = fc.constantFrom(1, -1);
const sortKeys = fc.dictionary(field, direction, { maxKeys: 2 });
// With `_id` last, an index can provide the order of the sorts below.
const indexKeys = fc.oneof(
  fc.dictionary(field, direction, { minKeys: 1, maxKeys: 2 }),
  fc.tuple(sortKeys, direction).map(([keys, last]) => ({ ...keys, _id: last })),
  fc.constant({ "a.b": 1, "a.c": -1 }),
);
const partial = fc.option(
  fc.oneof(
    fc.tuple(field, simple).map(([path, value]) => doc({ [path]: value })),
    field.map((path) => doc({ [path]: { $exists: true } })),
    field.map((path) => doc({ [path]: { $gt: 1 } })),
  ),
  { nil: undefined, freq: 1 },
);
const change: fc.Arbitrary<Doc> = fc.oneof(
  someDoc,
  fc.tuple(field, content).map(([path, value]) => doc({ $set: { [path]: value } })),
  field.map((path) => doc({ $unset: { [path]: 1 } })),
);

function run(store: Store, command: PlainFields): Doc {
  const body = doc({ ...command, $db: "test" });
  return execute(store, () => body);
}

function ids(reply: Doc): string {
  const cursor = reply.get("cursor");
  const batch = cursor?.type === T.document ? cursor.value.get("firstBatch") : undefined;
  assert.ok(
    batch?.type === T.array,
    JSON.stringify([...reply].map(([name, value]) => [name, String(value.value)])),
  );
  return batch.value.items
    .map((item) => (item.type === T.document ? item.value.get("_id")?.value : "?"))
    .join();
}

/** A query's result, or its refusal, which must not depend on indexes either. */
function answer(store: Store, query: PlainFields, ordered: boolean): string {
  const reply = run(store, { find: "items", ...query, batchSize: 1000 });
  const code = reply.get("codeName");
  if (code) return String(code.value);
  return ordered ? ids(reply) : ids(reply).split(",").sort().join();
}

test("a query returns the same result with and without indexes", async (t) => {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => store.database.close());
  fc.assert(
    fc.property(
      fc.array(someDoc, { minLength: 1, maxLength: 12 }),
      fc.array(fc.tuple(indexKeys, partial), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(filter, sortKeys, direction), { minLength: 1, maxLength: 6 }),
      (docs, indexes, queries) => {
        run(store, { drop: "items" });
        run(store, {
          insert: "items",
          documents: docs.map((each, i) => new Doc([["_id", int32(i)], ...each])),
        });
        // With `_id` last, every sort is a total order.
        const plain = queries.map(([where, sort, last]) => ({
          filter: where,
          sort: { ...sort, _id: last },
        }));
        const before = plain.map((query) => answer(store, query, true));
        const unsorted = queries.map(([where]) => answer(store, { filter: where }, false));
        indexes.forEach(([key, only], i) => {
          run(store, {
            createIndexes: "items",
            indexes: [{ key, name: `i${i}`, partialFilterExpression: only }],
          });
        });
        assert.deepEqual(
          plain.map((query) => answer(store, query, true)),
          before,
        );
        assert.deepEqual(
          queries.map(([where]) => answer(store, { filter: where }, false)),
          unsorted,
        );
        store.database.rollback();
        store.catalog.reload();
      },
    ),
    { numRuns: 100 * Number(process.env.LONG_RUN ?? 1) },
  );
});

test("changing a long array compares its keys a linear number of times", async (t) => {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => store.database.close());
  const run = (command: PlainFields) => execute(store, () => doc({ ...command, $db: "arrays" }));
  const tags = Array.from({ length: 5000 }, (_, i) => `tag-${i}`);
  run({ createIndexes: "items", indexes: [{ key: { tags: 1 }, name: "tags" }] });
  run({ insert: "items", documents: [{ _id: 1, tags }] });
  const equals = vi.spyOn(Buffer.prototype, "equals");
  const updates = [{ q: { _id: 1 }, u: { $set: { tags: [...tags.slice(1), "new"] } } }];
  run({ update: "items", updates });
  assert.ok(equals.mock.calls.length <= 2 * tags.length, `${equals.mock.calls.length} comparisons`);
  const count = (tag: string) => run({ count: "items", query: { tags: tag } }).get("n");
  assert.deepEqual(["tag-0", "tag-1", "new"].map(count), [int32(0), int32(1), int32(1)]);
});

test("an array of more than 20,000 elements is refused where an index covers it, and only there", async (t) => {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => store.database.close());
  const run = (command: PlainFields) => execute(store, () => doc({ ...command, $db: "arrays" }));
  const errors = (reply: Doc) => JSON.stringify(reply.get("writeErrors") ?? reply.get("code") ?? null);
  const index = (name: string) => run({ createIndexes: "items", indexes: [{ key: { [name]: 1 }, name }] });
  const long = Array.from({ length: 20_001 }, (_, i) => i);
  index("tags");
  assert.notEqual(errors(run({ insert: "items", documents: [{ _id: 1, tags: long }] })), "null");
  assert.equal(
    errors(run({ insert: "items", documents: [{ _id: 1, tags: long.slice(1), other: long }] })),
    "null",
  );
  const push = [{ q: { _id: 1 }, u: { $push: { tags: -1 } } }];
  assert.notEqual(errors(run({ update: "items", updates: push })), "null");
  assert.deepEqual(index("other").get("code"), int32(238));
  assert.deepEqual(run({ count: "items", query: { tags: 20_000 } }).get("n"), int32(1));
});

test("a stored document with more than 20,000 index keys can be sorted, shortened and deleted", async (t) => {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => store.database.close());
  const run = (command: PlainFields) => execute(store, () => doc({ ...command, $db: "arrays" }));
  const tags = Array.from({ length: 20_001 }, (_, i) => i);
  run({ insert: "items", documents: [1, 2].map((_id) => ({ _id, tags })) });
  // Earlier versions stored such documents without a limit.
  const limit = vi.spyOn(IndexTable.prototype, "newKeysOf").mockImplementation(IndexTable.prototype.keysOf);
  run({ createIndexes: "items", indexes: [{ key: { tags: 1 }, name: "tags" }] });
  limit.mockRestore();
  assert.deepEqual(run({ find: "items", sort: { tags: -1 } }).get("ok"), double(1));
  const shorten = [{ q: { _id: 1 }, u: { $set: { tags: [] } } }];
  assert.deepEqual(run({ update: "items", updates: shorten }).get("nModified"), int32(1));
  assert.deepEqual(run({ delete: "items", deletes: [{ q: {}, limit: 0 }] }).get("n"), int32(2));
  assert.deepEqual(run({ count: "items", query: { tags: 7 } }).get("n"), int32(0));
});

test("an index stays consistent through updates and deletes", async (t) => {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => store.database.close());
  fc.assert(
    fc.property(
      fc.array(someDoc, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(indexKeys, partial), { minLength: 1, maxLength: 2 }),
      fc.array(fc.tuple(fc.nat(5), fc.option(change, { nil: undefined })), { maxLength: 8 }),
      fc.array(filter, { minLength: 1, maxLength: 4 }),
      (docs, indexes, changes, queries) => {
        run(store, { create: "items" });
        indexes.forEach(([key, only], i) => {
          run(store, {
            createIndexes: "items",
            indexes: [{ key, name: `i${i}`, partialFilterExpression: only }],
          });
        });
        run(store, {
          insert: "items",
          ordered: false,
          documents: docs.map((each, i) => new Doc([["_id", int32(i)], ...each])),
        });
        for (const [id, u] of changes) {
          const q = { _id: id };
          if (u) run(store, { update: "items", updates: [{ q, u }] });
          else run(store, { delete: "items", deletes: [{ q, limit: 1 }] });
        }
        const withIndexes = queries.map((where) => answer(store, { filter: where }, false));
        run(store, { dropIndexes: "items", index: "*" });
        assert.deepEqual(
          queries.map((where) => answer(store, { filter: where }, false)),
          withIndexes,
        );
        store.database.rollback();
        store.catalog.reload();
      },
    ),
    { numRuns: 100 * Number(process.env.LONG_RUN ?? 1) },
  );
});
