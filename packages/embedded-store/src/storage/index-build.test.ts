import assert from "node:assert/strict";
import { temporaryDirectory, until } from "@muster/testing";
import fc from "fast-check";
import { describe, type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../bson/plain.ts";
import { Doc } from "../bson/value.ts";
import { execute, start } from "../commands/dispatch.ts";
import { openStore, type Store } from "../open-store.ts";
import { StoreServer } from "../server.ts";
import type { Steps } from "../steps.ts";
import { IndexBuild } from "./index-build.ts";

async function open(t: TestContext): Promise<Store> {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => {
    store.database.rollback();
    store.database.close();
  });
  return store;
}

let collections = 0;

/** A collection with documents, and a function that begins an index build over it and pauses at every check. */
function prepare(store: Store, documents: PlainFields[]) {
  const name = `items${collections++}`;
  const isOver = vi.spyOn(store.database.pace, "isOver").mockReturnValue(false);
  const run = (command: PlainFields): Doc => execute(store, () => doc({ ...command, $db: "builds" }));
  run({ insert: name, documents });
  const begin = (more: PlainFields): Steps<Doc> => {
    isOver.mockReturnValue(true);
    const indexes = [{ key: { a: 1 }, name: "a", ...more }];
    const steps = start(store, () => doc({ createIndexes: name, indexes, $db: "builds" }));
    steps.next();
    return steps;
  };
  return { name, run, begin };
}

function end(steps: Steps<Doc>): Doc {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The entries of the collection's last index, and those that its documents imply. */
function entriesOf(store: Store, name: string): { actual: string[]; expected: string[] } {
  const collection = store.catalog.find("builds", name);
  const index = collection?.indexes.at(-1);
  assert.ok(collection && index);
  const read = (sql: string) => store.database.prepare(sql).all().flat();
  const actual = read(`SELECT hex(key) || row FROM index_${index.id}`).map(String);
  const expected = read(`SELECT row FROM documents_${collection.id}`).flatMap((row) => {
    const content = collection.contentAt(Number(row));
    assert.ok(content);
    return index.keysOf(Doc.fromRaw(content)).map((key) => `${key.toString("hex").toUpperCase()}${row}`);
  });
  return { actual: actual.sort(), expected: expected.sort() };
}

const documents = (count: number) => Array.from({ length: count }, (_, _id) => ({ _id, a: _id }));

describe("an index build", () => {
  const places = [
    ["together", false],
    ["in many parts", true],
  ] as const;
  test.for(places)(
    "an index that is built while others write, with its entries sorted %s, contains exactly those of the stored documents",
    async ([, isFull], t) => {
      const store = await open(t);
      if (isFull) vi.spyOn(IndexBuild.prototype, "isFull", "get").mockReturnValue(true);
      const value = fc.oneof(fc.nat(5), fc.array(fc.nat(5), { maxLength: 3 }));
      const id = fc.nat(120);
      const write = fc.oneof(
        fc.record({ kind: fc.constant("set" as const), id, value }),
        fc.record({ kind: fc.constant("delete" as const), id, value }),
        fc.record({ kind: fc.constant("undone" as const), id, value }),
        fc.record({ kind: fc.constant("pause" as const), id, value }),
      );
      fc.assert(
        fc.property(fc.array(write, { maxLength: 60 }), fc.boolean(), (writes, isPartial) => {
          const { name, run, begin } = prepare(store, documents(100));
          const steps = begin(isPartial ? { partialFilterExpression: { a: { $gt: 2 } } } : {});
          for (const { kind, id: _id, value: a } of writes) {
            const q = { _id };
            if (kind === "pause") steps.next();
            else if (kind === "undone") {
              store.database.endCommand();
              run({ update: name, updates: [{ q, u: { $set: { a } }, upsert: true }] });
              store.database.undoCommand();
            } else if (kind === "delete") run({ delete: name, deletes: [{ q, limit: 1 }] });
            else run({ update: name, updates: [{ q, u: { $set: { a } }, upsert: true }] });
          }
          end(steps);
          const { actual, expected } = entriesOf(store, name);
          assert.deepEqual(actual, expected);
        }),
        { numRuns: 40 },
      );
    },
  );

  test("a unique index whose entries are sorted in many parts is refused if two documents have the same key", async (t) => {
    const store = await open(t);
    vi.spyOn(IndexBuild.prototype, "isFull", "get").mockReturnValue(true);
    const { name, begin } = prepare(store, [...documents(100), { _id: "other", a: 7 }]);
    const refused = end(begin({ unique: true }));
    assert.equal(refused.get("code")?.value, 11000);
    assert.match(String(refused.get("errmsg")?.value), /dup key: \{ a: 7 \}/);
    assert.equal(store.catalog.find("builds", name)?.indexes.length, 1);
  });

  test("the entries of documents in any order fill one page of the index after the other", async (t) => {
    const store = await open(t);
    const count = 4000;
    const text = "x".repeat(200);
    const items = Array.from({ length: count }, (_, _id) => ({
      _id,
      a: `${(_id * 2654435761) % 2 ** 32}${text}`,
    }));
    const { run, name, begin } = prepare(store, items);
    store.database.endCommand();
    store.database.commit();
    const pages = () => Number(store.database.prepare("PRAGMA wal_checkpoint(NOOP)").all().flat()[1]);
    store.database.shortenLog();
    run({ insert: name, documents: [{ _id: "last" }] });
    store.database.endCommand();
    store.database.commit();
    const before = pages();
    const steps = begin({});
    let checks = 0;
    // A commit after every tenth check of the clock.
    vi.spyOn(store.database.pace, "isOver").mockImplementation(() => ++checks % 10 === 0);
    for (let step = { done: false }; !step.done; ) {
      store.database.endCommand();
      if (store.database.inTransaction) store.database.commit();
      step = { done: steps.next().done === true };
    }
    store.database.endCommand();
    store.database.commit();
    const entriesPerPage = 4096 / 230;
    const written = pages() - before;
    assert.ok(written < (3 * count) / entriesPerPage, `${written} pages written`);
  });

  test("a duplicate that others write fails the build of a unique index, and not the write", async (t) => {
    const store = await open(t);
    const { name, run, begin } = prepare(store, documents(100));
    const steps = begin({ unique: true });
    assert.equal(run({ insert: name, documents: [{ _id: "new", a: 1 }] }).get("n")?.value, 1);
    assert.equal(end(steps).get("code")?.value, 11000);
    assert.equal(store.catalog.find("builds", name)?.indexes.length, 1);
    assert.equal(run({ insert: name, documents: [{ a: 1 }] }).get("n")?.value, 1);
  });

  test("two clients that declare the same index both succeed, and it is built once", async (t) => {
    const store = await open(t);
    const { name, begin } = prepare(store, documents(100));
    const [first, second] = [begin({}), begin({})];
    second.next();
    assert.equal(end(first).get("numIndexesAfter")?.value, 2);
    assert.equal(end(second).get("numIndexesBefore")?.value, 2);
    assert.equal(store.catalog.find("builds", name)?.indexes.length, 2);
  });

  test("a build ends with an error if the collection is dropped and created again", async (t) => {
    const store = await open(t);
    const { name, run, begin } = prepare(store, documents(100));
    const steps = begin({});
    run({ drop: name });
    run({ insert: name, documents: documents(1) });
    assert.equal(end(steps).get("codeName")?.value, "IndexBuildAborted");
  });
});

describe("discarded tables", () => {
  const tables = (store: Store) =>
    store.database.prepare("SELECT name FROM sqlite_master WHERE name LIKE 'trash%'").all().flat();

  test("a large dropped collection is gone at once and emptied later, also after a restart", async (t) => {
    const directory = await temporaryDirectory(t);
    const first = openStore(directory);
    const { name, run } = prepare(first, documents(2000));
    run({ drop: name });
    assert.equal(tables(first).length, 2);
    first.database.commit();
    first.database.close();
    const store = openStore(directory);
    const log: string[] = [];
    const server = new StoreServer(store, (line) => log.push(line));
    t.onTestFinished(() => store.database.close());
    server.maintain(() => store.database.begin());
    await until(() => tables(store).length === 0);
    await server.close();
    assert.deepEqual(log, []);
  });

  test("a table that is being emptied is left alone when another collection is dropped", async (t) => {
    const store = await open(t);
    const log: string[] = [];
    const server = new StoreServer(store, (line) => log.push(line));
    const dropped = [prepare(store, documents(2000)), prepare(store, documents(2000))];
    store.database.endCommand();
    store.database.commit();
    vi.spyOn(store.database.pace, "isOver").mockReturnValue(true);
    for (const { name, run } of dropped) {
      server.maintain(() => void run({ drop: name }));
      server.flush();
    }
    await until(() => tables(store).length === 0 || log.length > 0);
    await server.close();
    assert.deepEqual(log, []);
  });

  test("the tables of an unfinished index build are removed after a crash", async (t) => {
    const store = await open(t);
    const { name, run, begin } = prepare(store, documents(100));
    const steps = begin({});
    assert.equal(tables(store).length, 1);
    steps.return(doc({}));
    store.database.endCommand();
    const server = new StoreServer(store, () => {});
    server.maintain(() => store.database.begin());
    await until(() => tables(store).length === 0);
    await server.close();
    assert.equal(run({ count: name }).get("n")?.value, 100);
  });
});
