import assert from "node:assert/strict";
import { temporaryDirectory } from "@muster/testing";
import fc from "fast-check";
import { describe, type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../src/bson/plain.ts";
import { execute } from "../src/commands/dispatch.ts";
import { openStore } from "../src/open-store.ts";
import { StoreServer } from "../src/server.ts";
import { bufferOf } from "../src/storage/buffer-of.ts";
import { connectRaw } from "./support/test-server.ts";

const documents = Array.from(
  { length: 300 },
  (_, _id): PlainFields => ({
    _id,
    a: [_id % 7, { b: "text", c: [1.5, "x"] }],
    d: { e: "nested", f: null },
    n: 1,
  }),
);
/** Read in a later slice of a scan. */
const damagedRow = 200;

/** A server whose slices end at the first check of the clock. */
async function serve(t: TestContext, maxTransactionMs = 60_000) {
  const log: string[] = [];
  const note = (line: string) => log.push(line);
  const store = openStore(await temporaryDirectory(t), Date.now, "DATA_DIR", note);
  const server = new StoreServer(store, note, { maxTransactionMs });
  const uri = `mongodb://${await server.listen("127.0.0.1", 0)}/`;
  t.onTestFinished(async () => {
    await server.close();
    store.database.close();
  });
  const indexes = [{ key: { "a.b": 1 }, name: "ab" }];
  execute(store, () => doc({ createIndexes: "items", indexes, $db: "damage" }));
  execute(store, () => doc({ insert: "items", documents, $db: "damage" }));
  execute(store, () => doc({ insert: "others", documents: [{ _id: 1 }], $db: "damage" }));
  store.database.endCommand();
  store.database.commit();
  vi.spyOn(store.database.pace, "isOver").mockReturnValue(true);
  const table = `documents_${store.catalog.find("damage", "items")?.id}`;
  const [row] = store.database.prepare(`SELECT content FROM ${table} WHERE row = ${damagedRow}`).all();
  assert.ok(Array.isArray(row));
  const intact = Buffer.from(bufferOf(row[0]));
  const damage = (change: (bytes: Buffer) => Buffer) =>
    store.database
      .prepare(`UPDATE ${table} SET content = ? WHERE row = ${damagedRow}`)
      .run(change(Buffer.from(intact)));
  return { store, log, uri, damage };
}

const missing = { "d.e": "missing" };
const commands: [title: string, command: object][] = [
  ["a scan", { find: "items", filter: missing }],
  ["a read of a part", { find: "items", batchSize: 300, projection: { "d.e": 1 } }],
  ["a count", { count: "items", query: missing }],
  ["a sort", { find: "items", sort: { "d.e": 1 }, limit: 1 }],
  ["an index build", { createIndexes: "items", indexes: [{ key: { "d.e": 1 }, name: "de" }] }],
  [
    "an update of many",
    { update: "items", updates: [{ q: {}, u: { $set: { "d.e": "new" } }, multi: true }] },
  ],
  ["a delete of many", { delete: "items", deletes: [{ q: { "d.e": { $gt: "" } }, limit: 0 }] }],
  ["a search for one update", { findAndModify: "items", query: missing, update: { $set: { f: 1 } } }],
];

/** Makes the length of `d.e` negative: without a check, reading continues before it, forever. */
function breakLength(bytes: Buffer): Buffer {
  bytes.writeInt32LE(-9, bytes.indexOf("nested") - 4);
  return bytes;
}

describe("a document that the disk has changed", () => {
  for (const [title, command] of commands) {
    test(`${title} that reads it in a later slice fails with a clear error, and the server keeps running`, async (t) => {
      const { uri, damage, log } = await serve(t);
      damage(breakLength);
      const [connection, other] = [connectRaw(t, uri), connectRaw(t, uri)];
      const reply = await connection.command({ ...command, $db: "damage" });
      const { code, errmsg } = reply.writeErrors?.[0] ?? reply;
      assert.equal(code, 22);
      assert.match(
        errmsg,
        /^The data in .* \(set by DATA_DIR\) is damaged\. Stop Muster and restore a backup$/,
      );
      assert.match(log.join(), /a stored document is damaged/);
      assert.equal((await other.command({ count: "items", $db: "damage" })).n, 300);
      const { cursor } = await other.command({ find: "items", limit: 150, $db: "damage", batchSize: 150 });
      // An update of many keeps the changes before a failure, as on MongoDB.
      const text = title === "an update of many" ? "new" : "nested";
      for (const item of cursor.firstBatch) assert.equal(item.d.e, text);
    });
  }

  test("once damage is known, no client receives a document that is not well-formed", async (t) => {
    const { uri, damage } = await serve(t);
    damage(breakLength);
    const connection = connectRaw(t, uri);
    assert.equal((await connection.command({ count: "items", query: missing, $db: "damage" })).code, 22);
    assert.equal((await connection.command({ find: "items", batchSize: 300, $db: "damage" })).code, 22);
  });

  test("a document with another length than its bytes is always noticed", async (t) => {
    const { uri, damage } = await serve(t);
    damage((bytes) => bytes.subarray(0, bytes.length - 3));
    const connection = connectRaw(t, uri);
    assert.equal((await connection.command({ find: "items", batchSize: 300, $db: "damage" })).code, 22);
  });

  test("a fault in a later slice undoes no write of another client in the same transaction", async (t) => {
    const { uri, damage } = await serve(t);
    damage(breakLength);
    const [connection, other] = [connectRaw(t, uri), connectRaw(t, uri)];
    const update = commands.find(([title]) => title === "an update of many")?.[1];
    const replies = await Promise.all([
      connection.command({ ...update, $db: "damage" }),
      ...Array.from({ length: 20 }, (_, i) =>
        other.command({ insert: "others", documents: [{ _id: 100 + i }], $db: "damage" }),
      ),
    ]);
    assert.deepEqual(
      replies.map(({ n, writeErrors }) => [n, writeErrors?.[0].code]),
      [[0, 22], ...Array.from({ length: 20 }, () => [1, undefined])],
    );
    assert.equal((await other.command({ count: "others", $db: "damage" })).n, 21);
    const { cursor } = await other.command({ find: "others", $db: "damage" });
    assert.equal(cursor.firstBatch.length, 21);
  });

  test("it fails only the statement of a bulk write that reads it", async (t) => {
    const { uri, damage } = await serve(t);
    damage(breakLength);
    const connection = connectRaw(t, uri);
    const updates = documents.map(({ _id }) => ({ q: { _id }, u: { $set: { "d.e": "new" } } }));
    const bulk = { update: "items", updates, $db: "damage" };
    const ordered = await connection.command(bulk);
    assert.deepEqual([ordered.n, ordered.writeErrors.length], [damagedRow - 1, 1]);
    const { n, nModified, writeErrors } = await connection.command({ ...bulk, ordered: false });
    assert.deepEqual([n, nModified], [299, 300 - damagedRow]);
    assert.deepEqual(
      writeErrors.map(({ index, code }: { index: number; code: number }) => [index, code]),
      [[damagedRow - 1, 22]],
    );
    const { n: changed } = await connection.command({
      count: "items",
      query: { _id: 5, "d.e": "new" },
      $db: "damage",
    });
    assert.equal(changed, 1);
  });

  test("a fault after a part of a write was committed does not report that nothing was written", async (t) => {
    for (const [maxTransactionMs, left, message] of [
      [0, 100, /^The store failed; a part of the writes remains$/],
      [60_000, 0, /^The store failed; nothing was written$/],
    ] as const) {
      const { uri, store } = await serve(t, maxTransactionMs);
      const items = store.catalog.find("damage", "items");
      assert.ok(items);
      const replace = items.replace.bind(items);
      let calls = 0;
      vi.spyOn(items, "replace").mockImplementation((...change) => {
        if (++calls > 200) throw new Error("a fault of the test");
        return replace(...change);
      });
      const connection = connectRaw(t, uri);
      const updates = documents.map(({ _id }) => ({ q: { _id }, u: { $set: { n: 2 } } }));
      const { errmsg } = await connection.command({ update: "items", updates, $db: "damage" });
      assert.match(errmsg, message);
      const { n } = await connection.command({ count: "items", query: { n: 2 }, $db: "damage" });
      assert.ok(left === 0 ? n === 0 : n >= left, `${n} documents were changed`);
    }
  });

  test("any change of its bytes leaves every command with a result or an error, and other documents readable", async (t) => {
    const { uri, damage, store } = await serve(t);
    // Then even the documents that the store itself does not read are checked.
    store.database.isSuspect = true;
    const connection = connectRaw(t, uri);
    const everything: [string, object] = ["a read of everything", { find: "items", batchSize: 300 }];
    const reads = [everything, ...commands.filter(([title]) => !/index|update|delete/.test(title))];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 3 }),
        fc.nat(20),
        fc.constantFrom(...reads),
        async (changes, cut, [, command]) => {
          damage((bytes) => {
            for (const [position, byte] of changes) bytes[position % bytes.length] = byte;
            return bytes.subarray(0, bytes.length - cut);
          });
          const reply = await connection.command({ ...command, $db: "damage" });
          assert.ok(reply.ok === 1 || reply.codeName === "InvalidBSON", JSON.stringify(reply));
          assert.equal((await connection.command({ ping: 1, $db: "admin" })).ok, 1);
        },
      ),
      { numRuns: 150 },
    );
  });
});
