import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { join } from "node:path";
import { failureOf, type TestScope } from "@muster/testing";
import {
  AbstractCursor,
  Admin,
  AggregationCursor,
  ClientSession,
  Collection,
  Db,
  FindCursor,
  MongoClient,
} from "mongodb";
import { describe, test } from "vitest";
import { openTestStore } from "../test/support/open-test-store.ts";
import { watchOperations } from "./open-store.ts";

interface Item {
  _id: number;
  text?: string;
}

/** A watched collection with ten items, and the operations and commands since then. */
async function openWatched(t: TestScope) {
  const { uri, databasePrefix } = await openTestStore(t);
  const operations: string[] = [];
  const commands: string[] = [];
  const client = new MongoClient(uri, { monitorCommands: true });
  t.onTestFinished(() => client.close());
  client.on("commandStarted", ({ commandName }) => commands.push(commandName));
  const watched = watchOperations(client.db(`${databasePrefix}_watched`), (operation) =>
    operations.push(operation),
  );
  const items = watched.collection<Item>("items");
  await items.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id })));
  operations.length = 0;
  commands.length = 0;
  return { db: watched, items, operations, commands };
}

type Watched = Awaited<ReturnType<typeof openWatched>>;

/** One call of each of the driver's methods that the product uses. */
const uses: Readonly<Record<string, (watched: Watched) => Promise<unknown>>> = {
  bulkWrite: ({ items }) => items.bulkWrite([{ deleteOne: { filter: { _id: 1 } } }]),
  command: ({ db }) => db.command({ ping: 1 }),
  countDocuments: ({ items }) => items.countDocuments({ _id: 1 }),
  createIndex: ({ items }) => items.createIndex({ text: 1 }),
  createIndexes: ({ items }) => items.createIndexes([{ key: { text: 1 } }]),
  deleteMany: ({ items }) => items.deleteMany({ _id: 1 }),
  deleteOne: ({ items }) => items.deleteOne({ _id: 1 }),
  find: ({ items }) => items.find({ _id: 1 }).toArray(),
  findOne: ({ items }) => items.findOne({ _id: 1 }),
  findOneAndUpdate: ({ items }) => items.findOneAndUpdate({ _id: 1 }, { $set: { text: "x" } }),
  insertMany: ({ items }) => items.insertMany([{ _id: 20 }]),
  insertOne: ({ items }) => items.insertOne({ _id: 21 }),
  replaceOne: ({ items }) => items.replaceOne({ _id: 1 }, { text: "x" }),
  updateMany: ({ items }) => items.updateMany({}, { $set: { text: "x" } }),
  updateOne: ({ items }) => items.updateOne({ _id: 1 }, { $set: { text: "x" } }),
};

/** Methods that do not ask the server; those of a cursor are tested below. */
const others = new Set(
  "collection sort limit project map toArray close bufferedCount filter connect db next batchSize".split(" "),
);

describe("operations of a watched database", () => {
  for (const [operation, use] of Object.entries(uses))
    test(`are reported once, as ${operation}`, async (t) => {
      const watched = await openWatched(t);
      await use(watched);
      assert.deepEqual(watched.operations, [operation]);
      assert.equal(watched.commands.length, 1);
    });

  test("that fail are reported, and their failure is the caller's", async (t) => {
    const { items, operations } = await openWatched(t);
    const failure = await failureOf(items.insertOne({ _id: 1 }));
    assert.match(String(failure), /E11000/);
    assert.deepEqual(operations, ["insertOne"]);
  });

  test("by a cursor are one for each batch, however it is read", async (t) => {
    const { items, operations, commands } = await openWatched(t);
    const found = () => items.find({}, { batchSize: 4 }).sort({ _id: 1 }).project<Item>({ _id: 1 });
    const expected = Array.from({ length: 10 }, (_, _id) => _id);
    const seen = async (read: () => Promise<number[]>) => {
      operations.length = 0;
      commands.length = 0;
      assert.deepEqual(await read(), expected);
      assert.deepEqual(commands, ["find", "getMore", "getMore"]);
      return operations;
    };
    const iterated = async (cursor: AsyncIterable<Item>) => {
      const ids: number[] = [];
      for await (const { _id } of cursor) ids.push(_id);
      return ids;
    };
    const stepped = async () => {
      const ids: number[] = [];
      const cursor = found();
      for (let item = await cursor.next(); item !== null; item = await cursor.next()) ids.push(item._id);
      return ids;
    };
    const batches = ["find", "find", "find"];
    assert.deepEqual(await seen(() => iterated(found())), batches);
    assert.deepEqual(await seen(stepped), batches);
    const mapped = found().map(({ _id }) => _id);
    assert.deepEqual(await seen(() => mapped.toArray()), ["find"], "an array is one operation");
  });

  test("by a cursor are one for each batch that several readers wait for", async (t) => {
    const { items, operations, commands } = await openWatched(t);
    const read = items.find({}, { batchSize: 4 })[Symbol.asyncIterator]();
    const isOver = async (): Promise<boolean> => (await read.next()).done === true || isOver();
    assert.deepEqual(await Promise.all([isOver(), isOver(), isOver()]), [true, true, true]);
    assert.deepEqual(commands, ["find", "getMore", "getMore"]);
    assert.deepEqual(operations, Array(commands.length).fill("find"));
  });

  test("by a cursor that is left early do not include its end", async (t) => {
    const { items, operations, commands } = await openWatched(t);
    let left = 4;
    for await (const _ of items.find({}, { batchSize: 4 })) if (--left === 0) break;
    const cursor = items.find({}, { batchSize: 4 });
    await cursor.next();
    await cursor.close();
    assert.deepEqual(operations, ["find", "find"]);
    assert.deepEqual(commands, ["find", "killCursors", "find", "killCursors"]);
  });

  test("include all that the product's code calls", async () => {
    const known = new Set(
      methodsOf(
        Db,
        Collection,
        FindCursor,
        AggregationCursor,
        AbstractCursor,
        Admin,
        MongoClient,
        ClientSession,
      ),
    );
    const root = join(import.meta.dirname, "../../..");
    const called = new Map<string, string>();
    for await (const file of glob("{services,packages,deploy}/*/src/**/*.ts", { cwd: root })) {
      if (/test|embedded-store|measure-store\.ts/.test(file)) continue;
      const source = readFileSync(join(root, file), "utf8");
      if (!/\sfrom "mongodb";/.test(source)) continue;
      for (const [, name = ""] of source.matchAll(/(?<!\bMath|\bmetrics\?)\.(\w+)(?:<[^()]*>)?\(/g))
        if (known.has(name)) called.set(name, file);
    }
    const untested = [...called].filter(([name]) => !Object.hasOwn(uses, name) && !others.has(name));
    assert.deepEqual(untested, [], "each method needs a test above that it is reported");
    const unused = [...Object.keys(uses), ...others].filter((name) => !called.has(name));
    assert.deepEqual(unused, [], "nothing calls these any more");
  });
});

function methodsOf(
  ...classes: ReadonlyArray<{ readonly prototype: object; readonly name: string }>
): string[] {
  return classes.flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
}
