import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { temporaryDirectory } from "@muster/testing";
import { type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import type { Doc, Value } from "../bson/value.ts";
import { openStore, type Store } from "../open-store.ts";
import { execute } from "./dispatch.ts";

const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");

const update = (u: PlainFields): PlainFields => ({ update: "items", updates: [{ q: { _id: 1 }, u }] });
const insert = (...documents: PlainFields[]): PlainFields => ({ insert: "items", documents });
const createIndex = (key: PlainFields, name: string, more: PlainFields = {}): PlainFields => ({
  createIndexes: "items",
  indexes: [{ key, name, ...more }],
});

/** Commands that MongoDB refuses with these codes, on a collection with { _id: 1, a: 1, list: [] } and an index on a. */
const cases: [code: number, title: string, command: PlainFields][] = [
  [2, "a filter with an unknown operator", { find: "items", filter: { a: { $foo: 1 } } }],
  [9, "an update with an unknown operator", update({ $foo: { a: 1 } })],
  [9, "a delete with a limit other than 0 and 1", { delete: "items", deletes: [{ q: {}, limit: 2 }] }],
  [14, "a field of the wrong type", { find: "items", filter: 1 }],
  [14, "$inc of a string", update({ $inc: { a: "x" } })],
  [16, "a write without statements", insert()],
  [20, "dropping a system database", { dropDatabase: 1, $db: "admin" }],
  [26, "listing the indexes of a missing collection", { listIndexes: "missing" }],
  [28, "an update through a scalar", update({ $set: { "a.b": 1 } })],
  [40, "two operators on one path", update({ $set: { b: 1 }, $inc: { b: 1 } })],
  [48, "creating an existing collection", { create: "items" }],
  [50, "a command that exceeds its maxTimeMS", { find: "large", filter: { missing: 1 }, maxTimeMS: 1 }],
  [
    50,
    "an update that exceeds its maxTimeMS",
    { update: "large", updates: [{ q: {}, u: { $set: { b: 1 } }, multi: true }], maxTimeMS: 1 },
  ],
  [52, "a replacement with a field that begins with $", update({ a: 1, $b: 1 })],
  [56, "a path with an empty part", update({ $set: { "b..c": 1 } })],
  [66, "a change of _id", update({ $set: { _id: 2 } })],
  [85, "an index with the same keys and other options", createIndex({ a: 1 }, "other", { unique: true })],
  [86, "an index with the same name and other keys", createIndex({ b: 1 }, "a_1")],
  [11000, "a second document with the same _id", insert({ _id: 1 })],
  [40414, "a write without a filter", { delete: "items", deletes: [{ limit: 0 }] }],
  [40415, "an unknown field", { find: "items", foo: 1 }],
];

function run(store: Store, command: PlainFields): Doc {
  return execute(store, () => doc({ ...command, $db: command.$db ?? "codes" }));
}

async function start(t: TestContext): Promise<Store> {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => {
    store.database.rollback();
    store.database.close();
  });
  run(store, insert({ _id: 1, a: 1, list: [] }));
  run(store, createIndex({ a: 1 }, "a_1"));
  run(store, { insert: "large", documents: Array.from({ length: 500 }, (_, i) => ({ _id: i })) });
  return store;
}

/** The code of a command's or a statement's error. */
function codeIn(reply: Doc): unknown {
  const errors = reply.get("writeErrors");
  const [first]: readonly (Value | undefined)[] = errors?.type === T.array ? errors.value.items : [];
  return first?.type === T.document ? first.value.get("code")?.value : reply.get("code")?.value;
}

/** A clock that advances by a millisecond on each reading. */
function tick(): void {
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs++);
}

for (const [code, title, command] of cases) {
  test(`${title} is refused with MongoDB's code ${code}`, async (t) => {
    const store = await start(t);
    tick();
    assert.equal(codeIn(run(store, command)), code);
  });
}

test("the README's table of codes lists the tested codes", () => {
  const rows = readme.matchAll(/^\| (\d+) \|/gm);
  const documented = Array.from(rows, ([, code]) => Number(code));
  assert.deepEqual(documented, [...new Set(cases.map(([code]) => code))]);
});

test("a maxTimeMS that is not exceeded changes nothing", async (t) => {
  const store = await start(t);
  assert.equal(run(store, { count: "large", query: { _id: 7 }, maxTimeMS: 60_000 }).get("n")?.value, 1);
  assert.equal(codeIn(run(store, { count: "large", maxTimeMS: -1 })), 2);
});
