import assert from "node:assert/strict";
import { temporaryDirectory, until } from "@muster/testing";
import { serialize } from "bson";
import { describe, type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../src/bson/plain.ts";
import { T } from "../src/bson/types.ts";
import { type Doc, int64, type Value } from "../src/bson/value.ts";
import { execute, start } from "../src/commands/dispatch.ts";
import { openStore } from "../src/open-store.ts";
import { StoreServer } from "../src/server.ts";
import type { Steps } from "../src/steps.ts";
import { opMsg } from "../src/wire/op-msg.ts";
import { connectRaw } from "./support/test-server.ts";

/** A store whose slices end at the first check of the clock, with 500 documents. */
async function openSliced(t: TestContext) {
  const store = openStore(await temporaryDirectory(t));
  t.onTestFinished(() => {
    store.database.rollback();
    store.database.close();
  });
  const isOver = vi.spyOn(store.database.pace, "isOver");
  const run = (command: PlainFields): Doc => execute(store, () => doc({ ...command, $db: "slices" }));
  const begin = (command: PlainFields): Steps<Doc> => {
    const steps = start(store, () => doc({ ...command, $db: "slices" }));
    assert.equal(steps.next().done, false, "the command has paused");
    return steps;
  };
  run({ insert: "items", documents: documentsFrom(0) });
  store.database.endCommand();
  store.database.commit();
  isOver.mockReturnValue(true);
  return { store, run, begin, isOver };
}

function documentsFrom(first: number): PlainFields[] {
  return Array.from({ length: 500 }, (_, i) => ({ _id: first + i, a: i % 50, b: 500 - i }));
}

function end(steps: Steps<Doc>): Doc {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

function batch(reply: Doc): Doc[] {
  const cursor = reply.get("cursor");
  const first = cursor?.type === T.document ? cursor.value.get("firstBatch") : undefined;
  if (first?.type !== T.array) return [];
  return first.value.items.flatMap((item) => (item.type === T.document ? [item.value] : []));
}

const plain = (value: Value | undefined): unknown => value?.value;

/** A server on such a store. While it is held, no paused command continues. */
async function serveSliced(t: TestContext, maxTransactionMs = 0) {
  const opened = await openSliced(t);
  const log: string[] = [];
  const gate = { isHeld: false, turns: [] as (() => void)[] };
  const schedule = (turn: () => void) => {
    if (gate.isHeld) gate.turns.push(turn);
    else setImmediate(turn);
  };
  const server = new StoreServer(opened.store, (line) => log.push(line), { schedule, maxTransactionMs });
  const uri = `mongodb://${await server.listen("127.0.0.1", 0)}/`;
  t.onTestFinished(() => server.close());
  const release = () => {
    gate.isHeld = false;
    for (const turn of gate.turns.splice(0)) setImmediate(turn);
  };
  return { ...opened, server, uri, log, gate, release };
}

describe("slices", () => {
  const counting = [{ $match: { missing: 1 } }, { $group: { _id: 1, n: { $sum: 1 } } }];
  const long: [title: string, command: object][] = [
    ["a scan", { find: "items", filter: { missing: 1 } }],
    ["a count", { count: "items", query: { missing: 1 } }],
    ["a sort", { find: "items", sort: { b: 1 }, limit: 1 }],
    ["an aggregation that counts", { aggregate: "items", pipeline: counting, cursor: {} }],
    ["an explained scan", { explain: { find: "items", filter: { missing: 1 } } }],
    ["an index build", { createIndexes: "items", indexes: [{ key: { b: 1 }, name: "b" }] }],
    ["an insert of many", { insert: "new", documents: Array.from({ length: 500 }, (_, _id) => ({ _id })) }],
    ["an update of many", { update: "items", updates: [{ q: {}, u: { $inc: { b: 1 } }, multi: true }] }],
    ["a delete of many", { delete: "items", deletes: [{ q: {}, limit: 0 }] }],
    [
      "a search for one update",
      { findAndModify: "items", query: { missing: 1 }, update: { $set: { c: 1 } } },
    ],
  ];
  for (const [title, command] of long) {
    test(`${title} lets other clients' commands run before it has ended`, async (t) => {
      const { server, uri, gate, release } = await serveSliced(t);
      const [connection, other] = [connectRaw(t, uri), connectRaw(t, uri)];
      gate.isHeld = true;
      const reply = connection.command({ ...command, $db: "slices" });
      await until(() => gate.turns.length > 0);
      let isAnswered = false;
      void other.command({ ping: 1, $db: "admin" }).then(() => {
        isAnswered = true;
      });
      // Commits what the command has written so far.
      await until(() => {
        server.flush();
        return isAnswered;
      });
      release();
      assert.equal((await reply).ok, 1);
    });
  }

  test("commands of one connection run one after another", async (t) => {
    const { uri } = await serveSliced(t);
    const connection = connectRaw(t, uri);
    const update = { update: "items", updates: [{ q: {}, u: { $set: { c: 1 } }, multi: true }] };
    const commands = [update, { count: "items", query: { c: 1 } }];
    const messages = commands.map((command) => opMsg(serialize({ ...command, $db: "slices" })));
    connection.socket.write(Buffer.concat(messages));
    assert.equal((await connection.reply()).nModified, 500);
    assert.equal((await connection.reply()).n, 500);
  });

  test("a connection is read again after a request that waited for another one", async (t) => {
    const { uri } = await serveSliced(t);
    const connection = connectRaw(t, uri);
    const commands = [{ find: "items", filter: { missing: 1 } }, { ping: 1 }];
    const messages = commands.map((command) => opMsg(serialize({ ...command, $db: "slices" })));
    connection.socket.write(Buffer.concat(messages));
    for (const _ of commands) assert.equal((await connection.reply()).ok, 1);
    assert.equal((await connection.command({ ping: 1, $db: "slices" })).ok, 1);
  });

  test("an update of many changes only documents that still match when their turn comes", async (t) => {
    const { run, begin } = await openSliced(t);
    const steps = begin({
      update: "items",
      updates: [{ q: { a: 7 }, u: { $inc: { n: 1 } }, multi: true }],
    });
    run({ update: "items", updates: [{ q: { _id: 457 }, u: { $set: { a: 8 } } }] });
    run({ delete: "items", deletes: [{ q: { _id: 407 }, limit: 1 }] });
    assert.equal(plain(end(steps).get("nModified")), 8);
    const changed = batch(run({ find: "items", filter: { n: { $exists: true } } }));
    assert.deepEqual(
      changed.map((each) => [plain(each.get("a")), plain(each.get("n"))]),
      Array.from({ length: 8 }, () => [7, 1]),
    );
  });

  test("a document that others change during the search is not changed by an outdated match", async (t) => {
    const { run, begin } = await openSliced(t);
    const steps = begin({
      findAndModify: "items",
      query: { taken: { $exists: false } },
      sort: { a: 1, b: 1 },
      update: { $set: { taken: "first" } },
    });
    // Nearly the whole input has been read; the first document in the order of the sort is 450.
    for (let i = 0; i < 27; i++) steps.next();
    run({ update: "items", updates: [{ q: { _id: 450 }, u: { $set: { taken: "other" } } }] });
    const value = end(steps).get("value");
    assert.equal(value?.type === T.document && plain(value.value.get("_id")), 400);
  });

  test("an upsert whose document others insert during the search updates it", async (t) => {
    const { run, begin } = await openSliced(t);
    const upsert = { findAndModify: "items", query: { c: 1 }, update: { $inc: { n: 1 } }, upsert: true };
    const steps = begin(upsert);
    run(upsert);
    end(steps);
    const found = batch(run({ find: "items", filter: { c: 1 } }));
    assert.deepEqual(
      found.map((each) => plain(each.get("n"))),
      [2],
    );
  });

  test("a command ends with an error if its collection is dropped, even if a new one replaces it", async (t) => {
    const { run, begin } = await openSliced(t);
    for (const create of [false, true]) {
      const steps = begin({ find: "items", filter: { missing: 1 } });
      run({ drop: "items" });
      run({ insert: create ? "other" : "items", documents: documentsFrom(0) });
      assert.equal(plain(end(steps).get("codeName")), "QueryPlanKilled");
    }
  });

  test("a time limit that passes while results are sorted ends the command", async (t) => {
    const { run, isOver } = await openSliced(t);
    isOver.mockRestore();
    let checks = 0;
    let limit = Number.POSITIVE_INFINITY;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => (++checks > limit ? 1e9 : 0));
    t.onTestFinished(() => clock.mockRestore());
    const sort = { find: "items", sort: { b: 1 }, batchSize: 500, maxTimeMS: 1000 };
    assert.equal(plain(run(sort).get("ok")), 1);
    // The input needs half of the checks, the output the other half.
    [checks, limit] = [0, Math.floor(checks * 0.75)];
    assert.equal(plain(run(sort).get("code")), 50);
  });
});

describe("the commits of long commands", () => {
  const documents = Array.from({ length: 500 }, (_, _id) => ({ _id }));

  test("the slices of a long write share a commit if nobody waits for one", async (t) => {
    const { store, uri } = await serveSliced(t, Number.POSITIVE_INFINITY);
    const commit = vi.spyOn(store.database, "commit");
    const reply = await connectRaw(t, uri).command({ insert: "new", documents, $db: "slices" });
    assert.equal(reply.n, 500);
    assert.equal(commit.mock.calls.length, 1);
  });

  test("another client's reply does not wait for the end of a long write", async (t) => {
    const { store, server, uri, gate, release } = await serveSliced(t, Number.POSITIVE_INFINITY);
    const [connection, other] = [connectRaw(t, uri), connectRaw(t, uri)];
    gate.isHeld = true;
    const inserted = connection.command({ insert: "new", documents, $db: "slices" });
    await until(() => gate.turns.length > 0);
    assert.ok(store.database.inTransaction);
    let found: unknown;
    void other.command({ count: "items", $db: "slices" }).then(({ n }) => {
      found = n;
    });
    await until(() => {
      gate.turns.shift()?.();
      return found !== undefined;
    });
    assert.ok(gate.turns.length > 0, "the write continues");
    release();
    assert.equal((await inserted).n, 500);
    server.flush();
  });
});

describe("interrupted commands", () => {
  test("a sort's memory is freed when the connection that reads from its cursor closes", async (t) => {
    const { store, uri } = await serveSliced(t);
    const [connection, other] = [connectRaw(t, uri), connectRaw(t, uri)];
    const sort = { find: "items", sort: { b: 1 }, batchSize: 1, $db: "slices" };
    const { cursor } = await connection.command(sort);
    await other.command(sort);
    const held = store.memory.bytes;
    const scan = await connection.command({ find: "items", batchSize: 1, $db: "slices" });
    connection.socket.destroy();
    await until(() => store.memory.bytes === held / 2);
    const getMore = (id: unknown) => ({ getMore: id, collection: "items", batchSize: 1, $db: "slices" });
    assert.equal((await other.command(getMore(cursor.id))).codeName, "CursorNotFound");
    assert.equal((await other.command(getMore(scan.cursor.id))).ok, 1, "a scan occupies no memory");
    other.socket.destroy();
    await until(() => store.memory.bytes === 0);
  });

  test("the visited documents of a scan over arrays are counted as memory until its cursor ends", async (t) => {
    const { store, run, isOver } = await openSliced(t);
    isOver.mockReturnValue(false);
    run({ createIndexes: "arrays", indexes: [{ key: { tags: 1 }, name: "tags" }] });
    run({ insert: "arrays", documents: Array.from({ length: 300 }, (_, _id) => ({ _id, tags: [1, 2] })) });
    run({ find: "arrays", filter: { tags: { $gte: 1 } }, batchSize: 200 });
    assert.ok(store.memory.bytes >= 200 * 64, `${store.memory.bytes} bytes`);
    run({ killCursors: "arrays", cursors: [...store.cursors.ids()].map(int64) });
    assert.equal(store.memory.bytes, 0);
  });

  test("a client that disconnects ends its command and frees the memory", async (t) => {
    const { store, uri, gate, release } = await serveSliced(t);
    const connection = connectRaw(t, uri);
    gate.isHeld = true;
    connection.socket.write(opMsg(serialize({ find: "items", sort: { b: 1 }, $db: "slices" })));
    await until(() => gate.turns.length > 0);
    assert.ok(store.memory.bytes > 0);
    connection.socket.destroy();
    const bystander = connectRaw(t, uri);
    await bystander.command({ ping: 1, $db: "admin" });
    release();
    await until(() => store.memory.bytes === 0);
    assert.equal(store.cursors.size, 0);
  });

  test("a killed cursor ends the command that reads from it, and others cannot read from it meanwhile", async (t) => {
    const { store, run, begin } = await openSliced(t);
    run({ find: "items", batchSize: 1, sort: { b: 1 } });
    const [id = 0n] = store.cursors.ids();
    const getMore = { getMore: int64(id), collection: "items" };
    const steps = begin(getMore);
    assert.equal(plain(run(getMore).get("codeName")), "CursorInUse");
    run({ killCursors: "items", cursors: [int64(id)] });
    assert.equal(plain(end(steps).get("codeName")), "CursorKilled");
    assert.equal(store.memory.bytes, 0);
  });

  test("if the commit of a slice fails, the command ends with an error and keeps its earlier slices", async (t) => {
    const { store, uri, isOver, log } = await serveSliced(t);
    const connection = connectRaw(t, uri);
    const { database } = store;
    const commit = database.commit.bind(database);
    let commits = 0;
    vi.spyOn(database, "commit").mockImplementation(() => {
      if (++commits === 3) throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
      commit();
    });
    const remove = { delete: "items", deletes: [{ q: {}, limit: 0 }], $db: "slices" };
    assert.equal((await connection.command(remove)).codeName, "InternalError");
    assert.match(log.join(), /disk I\/O error/);
    isOver.mockReturnValue(false);
    const { n } = await connection.command({ count: "items", query: { a: { $gte: 0 } }, $db: "slices" });
    assert.ok(n > 0 && n < 500, `${n} documents are left`);
    assert.equal((await connection.command({ count: "items", $db: "slices" })).n, n);
  });
});
