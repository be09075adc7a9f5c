import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { encodeDoc } from "../bson/encode.ts";
import { doc, type PlainFields } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { type Doc, int64 } from "../bson/value.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore, type Store } from "../store.ts";

const text = "x".repeat(10_000);
const session = { id: { type: T.binary, value: { subtype: 4, bytes: randomBytes(16) } } };

function run(store: Store, command: PlainFields, number?: bigint): Doc {
  const retry = number === undefined ? {} : { lsid: session, txnNumber: int64(number) };
  const reply = execute(store, () => doc({ ...command, ...retry, $db: "resends" }));
  if (store.database.inTransaction) store.database.commit();
  return reply;
}

/** A store with one large document, and a function that closes and reopens it, as after a crash. */
async function start(t: TestContext) {
  const directory = await temporaryDirectory(t);
  let store = openStore(directory);
  t.onTestFinished(() => store.database.close());
  run(store, { insert: "items", documents: [{ _id: 1, a: 1, gone: true, text }, { _id: 2 }] });
  const reopen = (): Store => {
    store.database.close();
    store = openStore(directory);
    return store;
  };
  return { directory, store, reopen };
}

const update = { $inc: { a: 1 }, $unset: { gone: 1 }, $set: { list: [1], text: `${text}!` } };

describe("a resend of a write whose reply contains a large document", () => {
  const cases: [title: string, options: PlainFields][] = [
    ["the document after the write", { new: true }],
    ["the document before the write", {}],
    ["a projection of the document after the write", { new: true, fields: { a: 0 } }],
    ["a projection of the document before the write", { fields: { text: 1, gone: 1 } }],
  ];
  for (const [title, options] of cases) {
    test(`a resend returns ${title} again, byte for byte, also after a restart`, async (t) => {
      const { store, reopen } = await start(t);
      const command = { findAndModify: "items", query: { _id: 1 }, update, ...options };
      const first = encodeDoc(run(store, command, 1n));
      assert.deepEqual(encodeDoc(run(store, command, 1n)), first);
      const restarted = reopen();
      assert.deepEqual(encodeDoc(run(restarted, command, 1n)), first);
      assert.equal(run(restarted, { count: "items", query: { a: 2 } }).get("n")?.value, 1);
    });
  }

  test("a resend returns the first reply although another client has changed the document since", async (t) => {
    const { store } = await start(t);
    const command = { findAndModify: "items", query: { _id: 1 }, update, new: true };
    const first = encodeDoc(run(store, command, 1n));
    run(store, { update: "items", updates: [{ q: { _id: 1 }, u: { $set: { a: 50 } } }] });
    assert.deepEqual(encodeDoc(run(store, command, 1n)), first);
  });

  test("a resend fails and applies nothing if the document has changed and the store has restarted since", async (t) => {
    const { store, reopen } = await start(t);
    const command = { findAndModify: "items", query: { _id: 1 }, update, new: true };
    run(store, command, 1n);
    run(store, { update: "items", updates: [{ q: { _id: 1 }, u: { $set: { a: 50 } } }] });
    const restarted = reopen();
    assert.equal(run(restarted, command, 1n).get("code")?.value, 217);
    assert.equal(run(restarted, { count: "items", query: { a: 50 } }).get("n")?.value, 1);
    run(restarted, { drop: "items" });
    assert.equal(run(restarted, command, 1n).get("code")?.value, 217);
  });

  test("a resend returns an upserted and a removed document again after a restart", async (t) => {
    const { store, reopen } = await start(t);
    const upsert = { findAndModify: "items", query: { _id: 3 }, update, upsert: true, new: true };
    const upserted = encodeDoc(run(store, upsert, 1n));
    assert.deepEqual(encodeDoc(run(reopen(), upsert, 1n)), upserted);
    const remove = { findAndModify: "items", query: { _id: 1 }, remove: true };
    const restarted = reopen();
    const removed = encodeDoc(run(restarted, remove, 2n));
    assert.deepEqual(encodeDoc(run(reopen(), remove, 2n)), removed);
  });

  test("findOneAndUpdate of a 1 MB document writes at most 1.1 MB", async (t) => {
    const { directory, store } = await start(t);
    const large = "y".repeat(1024 * 1024);
    run(store, { insert: "items", documents: [{ _id: 9, a: 0, large }] });
    const wal = join(directory, "store.sqlite-wal");
    for (const [number, options] of [{ new: true }, {}].entries()) {
      const before = statSync(wal).size;
      const command = { findAndModify: "items", query: { _id: 9 }, update: { $inc: { a: 1 } }, ...options };
      run(store, command, BigInt(number));
      assert.ok(statSync(wal).size - before <= 1.1 * 1024 * 1024, `${statSync(wal).size - before} bytes`);
    }
  });
});
