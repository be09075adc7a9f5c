import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { anyValue } from "../bson/arbitrary.ts";
import { Doc } from "../bson/doc.ts";
import { List } from "../bson/list.ts";
import { doc, type Plain } from "../bson/plain.ts";
import { array, document, int32, string, T, type Value } from "../bson/value.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore, type Store } from "../store.ts";
import { temporaryDirectory } from "../testing.ts";

/* Random documents, filters and sorts: an index may change how a query is answered, never its answer. */

const field = fc.constantFrom("a", "b", "a.b", "a.c", "b.a");
const simple: fc.Arbitrary<Value> = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map(int32),
  fc.constantFrom("x", "y").map(string),
  fc.constant<Value>({ type: T.null, value: null }),
  { weight: 1, arbitrary: anyValue },
);
const content: fc.Arbitrary<Value> = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    { weight: 3, arbitrary: simple },
    fc.array(tie("value"), { maxLength: 3 }).map((items) => array(new List(items))),
    fc
      .array(fc.tuple(fc.constantFrom("a", "b", "c", "0"), tie("value")), { maxLength: 3 })
      .map((fields) => document(new Doc(fields))),
  ),
})).value;
const someDoc = fc
  .array(fc.tuple(fc.constantFrom("a", "b", "c"), content), { maxLength: 3 })
  .map((fields) => new Doc(fields));

const comparable = simple.filter(
  ({ type }) => type !== T.minKey && type !== T.maxKey && !isOperatorLike(type),
);
const condition: fc.Arbitrary<Plain> = fc.oneof(
  comparable,
  fc
    .tuple(fc.constantFrom("$eq", "$ne", "$gt", "$gte", "$lt", "$lte"), comparable)
    .map(([name, value]) => ({ [name]: value })),
  fc
    .tuple(fc.constantFrom("$in", "$nin", "$all"), fc.array(comparable, { maxLength: 3 }))
    .map(([name, values]) => ({ [name]: values })),
  fc.tuple(comparable, comparable).map(([low, high]) => ({ $gte: low, $lt: high })),
  fc.boolean().map((wanted) => ({ $exists: wanted })),
  fc.constantFrom("int", "string", "array", "object", "null").map((name) => ({ $type: name })),
  fc.tuple(comparable, comparable).map(([low, high]) => ({ $elemMatch: { $gt: low, $lte: high } })),
  comparable.map((value) => ({ $not: { $gt: value } })),
);
const filter: fc.Arbitrary<Doc> = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(field, condition, { minKeys: 0, maxKeys: 2 }).map(doc) },
  fc
    .tuple(
      fc.constantFrom("$and", "$or", "$nor"),
      fc.array(fc.tuple(field, condition), { minLength: 1, maxLength: 3 }),
    )
    .map(([name, parts]) => doc({ [name]: parts.map(([path, value]) => ({ [path]: value })) })),
);
const direction = fc.constantFrom(1, -1);
const keys = fc.dictionary(field, direction, { minKeys: 1, maxKeys: 2 });
const partial = fc.option(
  fc.oneof(
    fc
      .tuple(
        field,
        comparable.filter((value) => value.type !== T.document),
      )
      .map(([path, value]) => doc({ [path]: value })),
    field.map((path) => doc({ [path]: { $exists: true } })),
    field.map((path) => doc({ [path]: { $gt: 1 } })),
  ),
  { nil: undefined },
);

function isOperatorLike(type: number): boolean {
  return type === T.regex;
}

function run(store: Store, command: Plain & object): Doc {
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

/** What a query gives; or the refusal, which must not depend on indexes either. */
function answer(store: Store, query: Plain & object, ordered: boolean): string {
  const reply = run(store, { find: "items", ...query, batchSize: 1000 });
  const code = reply.get("codeName");
  if (code) return String(code.value);
  return ordered ? ids(reply) : ids(reply).split(",").sort().join();
}

describe("indexes", () => {
  test("a query with indexes answers what it answers without", async (t) => {
    const store = openStore(await temporaryDirectory(t));
    t.after(() => store.database.close());
    fc.assert(
      fc.property(
        fc.array(someDoc, { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(keys, partial), { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(filter, fc.option(keys, { nil: {} })), { minLength: 1, maxLength: 6 }),
        (docs, indexes, queries) => {
          run(store, { drop: "items" });
          run(store, {
            insert: "items",
            documents: docs.map((each, i) => new Doc([["_id", int32(i)], ...each])),
          });
          // `_id` last makes every sort total.
          const plain = queries.map(([where, sort]) => ({ filter: where, sort: { ...sort, _id: 1 } }));
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
      { numRuns: 400 },
    );
  });

  test("an index stays in step with updates and deletes", async (t) => {
    const store = openStore(await temporaryDirectory(t));
    t.after(() => store.database.close());
    fc.assert(
      fc.property(
        fc.array(someDoc, { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(keys, partial), { minLength: 1, maxLength: 2 }),
        fc.array(fc.tuple(fc.nat(5), fc.option(someDoc, { nil: undefined })), { maxLength: 8 }),
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
          for (const [id, replacement] of changes) {
            const q = { _id: id };
            if (replacement) run(store, { update: "items", updates: [{ q, u: replacement }] });
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
      { numRuns: 300 },
    );
  });
});
