import assert from "node:assert/strict";
import { once } from "node:events";
import { temporaryDirectory, until } from "@muster/testing";
import { serialize } from "bson";
import { Binary, Long, MongoClient, UUID } from "mongodb";
import { describe, type TestContext, test, vi } from "vitest";
import { openStore } from "../src/open-store.ts";
import { type ServerOptions, StoreServer } from "../src/server.ts";
import { startEmbeddedStore } from "../src/start.ts";
import { opMsg } from "../src/wire/op-msg.ts";
import { connectRaw, startTestServer } from "./support/test-server.ts";

const server = await startTestServer();

/** The server on this thread, so that a test can reach inside. */
async function startHere(t: TestContext, options: ServerOptions = {}) {
  const store = openStore(await temporaryDirectory(t));
  const log: string[] = [];
  const here = new StoreServer(store, (line) => log.push(line), options);
  const uri = `mongodb://${await here.listen("127.0.0.1", 0)}/`;
  t.onTestFinished(async () => {
    await here.close();
    store.database.close();
  });
  return { here, store, uri, log };
}

describe("malformed input", () => {
  const inputs: [title: string, bytes: Buffer][] = [
    ["an HTTP request", Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n")],
    ["a negative length", Buffer.from("ffffffff00000000000000000000000000", "hex")],
    ["a length beyond 48 MB", Buffer.from("ffffff7f00000000000000000000000000", "hex")],
    ["an unknown operation", damaged((message) => message.writeInt32LE(2012, 12))],
    ["unknown flags", damaged((message) => message.writeInt32LE(4, 16))],
    ["an unknown section", damaged((message) => message.writeUInt8(7, 20))],
    ["a document longer than its message", damaged((message) => message.writeInt32LE(9999, 21))],
    ["an unknown BSON type", damaged((message) => message.writeUInt8(99, 25))],
    [
      "a message without a section",
      Buffer.from("1a0000000100000000000000dd07000000000000010500000061", "hex"),
    ],
  ];
  for (const [title, bytes] of inputs) {
    test(`${title} closes only its own connection, with a line in the log`, async (t) => {
      const lines = server.log.length;
      const bystander = connectRaw(t, server.uri);
      await bystander.command({ ping: 1, $db: "admin" });
      const connection = connectRaw(t, server.uri);
      connection.socket.write(bytes);
      await until(() => connection.closed);
      assert.match(server.log[lines] ?? "", /^closing the connection from a local client: malformed/);
      assert.equal((await bystander.command({ ping: 1, $db: "admin" })).ok, 1);
    });
  }

  test("a message may arrive in pieces, and several messages in one piece", async (t) => {
    const message = opMsg(serialize({ ping: 1, $db: "admin" }));
    const connection = connectRaw(t, server.uri);
    let replies = 0;
    connection.socket.on("data", (chunk: Buffer) => {
      replies += chunk.length / 38;
    });
    for (const byte of message) connection.socket.write(Buffer.from([byte]));
    connection.socket.write(Buffer.concat([message, message]));
    await until(() => replies >= 3);
  });
});

function damaged(damage: (message: Buffer) => void): Buffer {
  const message = opMsg(serialize({ ping: 1, $db: "admin" }));
  damage(message);
  return message;
}

describe("refusals", () => {
  const refused: [command: object, code: number][] = [
    [{ noSuchCommand: 1 }, 59],
    [{ find: "x", foo: 1 }, 40415],
    [{ find: 1 }, 14],
    [{ find: "x", filter: 1 }, 14],
    [{ find: "x", limit: -1 }, 2],
    [{ find: "x", filter: { a: { $gt: 1, constructor: 2 } } }, 2],
    [{ createIndexes: "x", indexes: [{ key: { a: 1 }, name: "a", constructor: 1 }] }, 238],
    [{ find: "x", limit: 1.5 }, 2],
    [{ find: "x", collation: { locale: "en" } }, 238],
    [{ find: "x", hint: "a_1" }, 238],
    [{ find: "x", let: { a: 1 } }, 238],
    [{ find: "x", tailable: true }, 238],
    [{ find: "x", sort: { a: "up" } }, 238],
    [{ find: "x", sort: { a: 2 } }, 15975],
    [{ find: "x", sort: { a: true } }, 15974],
    [{ find: "x", sort: { "": 1 } }, 40352],
    [{ find: "x", sort: { "a.": 1 } }, 40353],
    [{ find: "x", projection: { "a..b": 1 } }, 15998],
    [{ createIndexes: "x", indexes: [{ key: { "a..b": 1 }, name: "a" }] }, 67],
    [{ find: "x", sort: { "a.0": 1 } }, 238],
    [{ insert: "x", documents: [] }, 16],
    [{ insert: "x" }, 40414],
    [{ insert: "x", documents: [1] }, 14],
    [{ insert: "x", documents: [{}], startTransaction: true, autocommit: false }, 238],
    [{ insert: "x", documents: [{}], txnNumber: Long.fromNumber(1) }, 238],
    [{ findAndModify: "x", remove: true, update: { $set: { a: 1 } } }, 238],
    [{ findAndModify: "x", update: [{ $set: { a: 1 } }] }, 238],
    [{ findAndModify: "x", update: { $set: { a: 1 } }, arrayFilters: [] }, 238],
    [{ aggregate: 1, pipeline: [], cursor: {} }, 238],
    [{ aggregate: "x", pipeline: [], cursor: {}, explain: true }, 40415],
    [{ explain: { ping: 1 } }, 238],
    [{ insert: "x", documents: [{}], writeConcern: { w: 2 } }, 238],
    [{ insert: "x", documents: [{}], writeConcern: { w: "all" } }, 238],
    [{ insert: "x", documents: [{}], writeConcern: { foo: 1 } }, 40415],
    [{ find: "x", readConcern: { level: "snapshot" } }, 238],
    [{ find: "x", readConcern: { level: "newest" } }, 238],
    [{ find: "x", readConcern: { level: 1 } }, 238],
    [{ find: "x", readConcern: { foo: 1 } }, 40415],
    [{ findAndModify: "x", update: { $set: { a: 1 } } }, 40414],
    [{ findAndModify: "x", query: null, update: { $set: { a: 1 } } }, 40414],
    [{ delete: "x", deletes: [{ limit: 0 }] }, 40414],
    [{ delete: "x", deletes: [{ q: null, limit: 0 }] }, 40414],
    [{ delete: "x", deletes: [{ q: {} }] }, 40414],
    [{ delete: "x", deletes: [{ q: {}, limit: null }] }, 40414],
    [{ delete: "x", deletes: [{ q: {}, limit: 2 }] }, 9],
    [
      {
        delete: "x",
        deletes: [
          { q: { a: 1 }, limit: 0 },
          { q: null, limit: 0 },
        ],
      },
      40414,
    ],
    [{ update: "x", updates: [{ u: { $set: { a: 1 } }, multi: true }] }, 40414],
    [{ update: "x", updates: [{ q: null, u: { a: 1 } }] }, 40414],
    [{ update: "x", updates: [{ q: {} }] }, 40414],
    [{ update: "x", updates: [{ q: {}, u: null }] }, 40414],
    [{ update: "x", updates: [{ q: {}, u: {}, foo: 1 }] }, 40415],
    [{ update: "x", updates: [{ q: {}, u: { a: 1 }, hint: { a: 1 } }] }, 238],
    [{ update: "x", updates: [{ q: {}, u: { a: 1 }, arrayFilters: [{ x: 1 }] }] }, 238],
    [{ update: "x", updates: [{ q: {}, u: { a: 1 }, collation: { locale: "en" } }] }, 238],
  ];
  for (const [command, code] of refused) {
    test(`the command ${JSON.stringify(command)} is refused with code ${code}`, async (t) => {
      const connection = connectRaw(t, server.uri);
      const reply = await connection.command({ ...command, lsid: { id: new UUID() }, $db: "refusals" });
      assert.deepEqual([reply.ok, reply.code], [0, code], reply.errmsg);
      assert.ok(reply.errmsg && reply.codeName);
    });
  }

  const statements: [statement: object, code: number][] = [
    [{ q: {}, u: [{ $set: { a: 1 } }] }, 238],
    [{ q: {}, u: { a: 1 }, multi: true }, 9],
    [{ q: {}, u: { a: 1, $set: { b: 1 } } }, 52],
    [{ q: {}, u: 1 }, 9],
    [{ q: {}, u: { $set: { a: 1 }, constructor: { a: 1 } } }, 9],
  ];
  for (const [statement, code] of statements) {
    test(`the update statement ${JSON.stringify(statement)} is refused with code ${code}`, async (t) => {
      const command = { update: "x", updates: [statement], $db: "refusals" };
      const reply = await connectRaw(t, server.uri).command(command);
      assert.equal(reply.writeErrors?.[0]?.code, code, JSON.stringify(reply));
    });
  }

  test("BSON that is too deep or of a deprecated type is refused, and the connection stays open", async (t) => {
    const connection = connectRaw(t, server.uri);
    let deep: object = {};
    for (let i = 0; i < 200; i++) deep = { deep };
    assert.equal(
      (await connection.command({ find: "x", filter: deep, $db: "refusals" })).codeName,
      "Overflow",
    );
    const insert = { insert: "x", documents: [{ at: new Binary(Buffer.alloc(3)) }], $db: "refusals" };
    const message = opMsg(serialize(insert));
    const undefinedType = Buffer.from(message);
    undefinedType[undefinedType.indexOf("at") - 1] = 6;
    connection.socket.write(undefinedType);
    const reply = await connection.command({ ping: 1, $db: "admin" });
    assert.match(reply.errmsg, /The BSON type 'undefined' is not supported/);
  });

  test("write concerns and read concerns that are satisfied are accepted", async (t) => {
    const connection = connectRaw(t, server.uri);
    const documents = [{ a: 1 }];
    for (const writeConcern of [{ w: 1 }, { w: "majority", j: true, wtimeout: 100 }, {}]) {
      const reply = await connection.command({ insert: "x", documents, writeConcern, $db: "concerns" });
      assert.equal(reply.ok, 1, reply.errmsg);
    }
    for (const level of ["local", "available", "majority", "linearizable"]) {
      const reply = await connection.command({ find: "x", readConcern: { level }, $db: "concerns" });
      assert.equal(reply.ok, 1, reply.errmsg);
    }
  });

  test("a write without a filter changes no document", async (t) => {
    const connection = connectRaw(t, server.uri);
    const documents = [{ _id: 1 }, { _id: 2 }];
    await connection.command({ insert: "kept", documents, $db: "refusals" });
    for (const [command, code] of refused) {
      if (code !== 40414) continue;
      const [name = ""] = Object.keys(command);
      await connection.command({ ...command, [name]: "kept", $db: "refusals" });
    }
    const { cursor } = await connection.command({ find: "kept", $db: "refusals" });
    assert.deepEqual(cursor.firstBatch, documents);
  });

  test("a write with write concern 0 is applied without a reply", async (t) => {
    const connection = connectRaw(t, server.uri);
    const message = opMsg(serialize({ insert: "silent", documents: [{ _id: 1 }], $db: "refusals" }));
    message.writeInt32LE(2, 16);
    connection.socket.write(message);
    const reply = await connection.command({ count: "silent", $db: "refusals" });
    assert.equal(reply.n, 1);
  });
});

describe("incomplete messages", () => {
  test("half-received messages occupy no more than a bound: the one that has been silent longest loses its connection", async (t) => {
    const { uri, log } = await startHere(t, { maxPartialBytes: 1_000_000 });
    const ping = opMsg(serialize({ ping: 1, comment: "x".repeat(600_000), $db: "admin" }));
    const [silent, sending] = [connectRaw(t, uri), connectRaw(t, uri)];
    silent.socket.write(ping.subarray(0, -1));
    sending.socket.write(ping.subarray(0, -1));
    await until(() => log.length > 0);
    assert.match(log.join(), /incomplete messages occupy too much memory/);
    await until(() => silent.closed || sending.closed);
    const open = silent.closed ? sending : silent;
    open.socket.write(ping.subarray(-1));
    assert.equal((await open.reply()).ok, 1);
  });
});

describe("durability", () => {
  test("a reply waits for the commit, which the writes of one turn share", async (t) => {
    const { store, uri } = await startHere(t);
    const commit = vi.spyOn(store.database, "commit");
    const connections = Array.from({ length: 20 }, () => connectRaw(t, uri));
    await Promise.all(connections.map((connection) => connection.command({ ping: 1, $db: "admin" })));
    const insert = (i: number) => ({ insert: "items", documents: [{ _id: i }], $db: "group" });
    await Promise.all(connections.map((connection, i) => connection.command(insert(i))));
    assert.ok(commit.mock.calls.length < 20, `${commit.mock.calls.length} commits for 20 writes`);
    assert.equal(store.database.inTransaction, false);
  });

  test("if a commit fails, every client in it gets an error and nothing is stored", async (t) => {
    const { store, uri, log } = await startHere(t);
    const connection = connectRaw(t, uri);
    const other = connectRaw(t, uri);
    const insert = (_id: number, name = "items") => ({ insert: name, documents: [{ _id }], $db: "fail" });
    await connection.command(insert(1));
    await other.command({ ping: 1, $db: "admin" });
    vi.spyOn(store.database, "commit").mockImplementationOnce(() => fail(13));
    const replies = await Promise.all([connection.command(insert(2)), other.command(insert(3, "made"))]);
    assert.ok(replies.some((reply) => reply.codeName === "OutOfDiskSpace"));
    assert.match(log.join(), /disk/);
    const kept = replies.filter((reply) => reply.ok === 1).length;
    const items = await connection.command({ count: "items", $db: "fail" });
    const made = await connection.command({ count: "made", $db: "fail" });
    assert.equal(items.n + made.n, 1 + kept);
    assert.equal((await connection.command(insert(2))).ok, 1, "the store keeps running");
  });

  test("if SQLite rolls back by itself, only the command that caused it gets an error", async (t) => {
    const { store, uri } = await startHere(t);
    const connection = connectRaw(t, uri);
    await connection.command({ insert: "items", documents: [{ _id: 0 }], $db: "lost" });
    const { find } = store.catalog;
    vi.spyOn(store.catalog, "find").mockImplementation((db: string, name: string) => {
      if (name !== "broken") return find.call(store.catalog, db, name);
      // SQLite does this when the disk is full or fails.
      store.database.execute("ROLLBACK");
      return fail(10);
    });
    const insert = (_id: number) => ({ insert: "items", documents: [{ _id }], $db: "lost" });
    const commands = [insert(1), { find: "broken", $db: "lost" }, insert(2)];
    connection.socket.write(Buffer.concat(commands.map((command) => opMsg(serialize(command)))));
    const replies = [await connection.reply(), await connection.reply(), await connection.reply()];
    assert.deepEqual(
      replies.map(({ ok }) => ok),
      [1, 0, 1],
    );
    const found = await connection.command({ find: "items", $db: "lost" });
    assert.deepEqual(found.cursor.firstBatch, [{ _id: 0 }, { _id: 1 }, { _id: 2 }]);
  });

  test("a command whose writes cannot be committed does not fail the others in its commit", async (t) => {
    const { store, uri, log } = await startHere(t);
    const connection = connectRaw(t, uri);
    await connection.command({ insert: "items", documents: [{ _id: 0 }], $db: "lost" });
    const commit = store.database.commit.bind(store.database);
    vi.spyOn(store.database, "commit").mockImplementation(() => {
      if (store.catalog.find("lost", "broken")) fail(10);
      commit();
    });
    const insert = (_id: number, name = "items") => ({ insert: name, documents: [{ _id }], $db: "lost" });
    const commands = [insert(1), insert(2, "broken"), insert(3)];
    connection.socket.write(Buffer.concat(commands.map((command) => opMsg(serialize(command)))));
    const replies = [await connection.reply(), await connection.reply(), await connection.reply()];
    assert.deepEqual(
      replies.map(({ ok }) => ok),
      [1, 0, 1],
    );
    assert.match(log.join(), /failed inside the store/);
    const found = await connection.command({ find: "items", $db: "lost" });
    assert.deepEqual(found.cursor.firstBatch, [{ _id: 0 }, { _id: 1 }, { _id: 3 }]);
  });

  test("a batch that was read in a lost transaction is not skipped: its cursor ends", async (t) => {
    const { store, uri } = await startHere(t);
    const connection = connectRaw(t, uri);
    const documents = [{ _id: 0 }, { _id: 1 }, { _id: 2 }];
    await connection.command({ insert: "items", documents, $db: "lost" });
    const { cursor } = await connection.command({ find: "items", batchSize: 1, $db: "lost" });
    const spare = await connection.command({ find: "items", batchSize: 1, $db: "lost" });
    vi.spyOn(store.database, "commit").mockImplementationOnce(() => fail(10));
    const getMore = (id: unknown) => ({ getMore: id, collection: "items", $db: "lost" });
    const commands = [{ insert: "items", documents: [{ _id: 3 }], $db: "lost" }, getMore(cursor.id)];
    connection.socket.write(Buffer.concat(commands.map((command) => opMsg(serialize(command)))));
    const replies = [await connection.reply(), await connection.reply()];
    assert.deepEqual(
      replies.map(({ ok, codeName }) => [ok, codeName]),
      [
        [1, undefined],
        [0, "CursorNotFound"],
      ],
    );
    const rest = await connection.command(getMore(spare.cursor.id));
    assert.equal(rest.cursor.nextBatch.length, 3, "other cursors stay open");
  });

  test("a full disk loses no acknowledged write and keeps no refused one", async (t) => {
    const { store, uri } = await startHere(t);
    const connections = Array.from({ length: 4 }, () => connectRaw(t, uri));
    const text = "x".repeat(20_000);
    const insert = (_id: number) => ({ insert: "items", documents: [{ _id, text }], $db: "full" });
    await connections[0]?.command(insert(-1));
    store.database.execute("PRAGMA max_page_count=200");
    const kept: number[] = [-1];
    const codes = new Set<unknown>();
    const fill = async (connection: (typeof connections)[number], from: number) => {
      for (let i = from; i < from + 20; i++) {
        const reply = await connection.command(insert(i));
        if (reply.ok === 1) kept.push(i);
        else codes.add(reply.codeName);
      }
    };
    await Promise.all(connections.map((connection, i) => fill(connection, i * 100)));
    assert.deepEqual([...codes], ["OutOfDiskSpace"]);
    const found = await connectRaw(t, uri).command({ find: "items", projection: { _id: 1 }, $db: "full" });
    const ids = found.cursor.firstBatch.map((each: { _id: number }) => each._id);
    assert.deepEqual(ids.sort(), kept.sort());
    store.database.execute("PRAGMA max_page_count=10000");
    assert.equal((await connectRaw(t, uri).command(insert(5000))).ok, 1, "it continues once there is room");
  });

  test("on a full disk, a delete in the failed commit is repeated and succeeds, and an insert is refused", async (t) => {
    const { store, uri } = await startHere(t);
    const connection = connectRaw(t, uri);
    const insert = (_id: number) => ({ insert: "items", documents: [{ _id }], $db: "full" });
    const remove = (_id: number) => ({ delete: "items", deletes: [{ q: { _id }, limit: 1 }], $db: "full" });
    for (const _id of [1, 2, 3]) await connection.command(insert(_id));
    vi.spyOn(store.database, "commit").mockImplementationOnce(() => fail(13));
    const commands = [insert(4), remove(1)];
    connection.socket.write(Buffer.concat(commands.map((command) => opMsg(serialize(command)))));
    const replies = [await connection.reply(), await connection.reply()];
    assert.deepEqual(replies.map(({ ok, n, code }) => [ok, n, code]).sort(), [
      [0, undefined, 14031],
      [1, 1, undefined],
    ]);
    const refusal = replies.find(({ ok }) => ok === 0);
    assert.ok(refusal?.errmsg.includes(`${store.database.place} is full`), refusal?.errmsg);
    assert.equal((await connection.command(remove(2))).n, 1);
    assert.equal((await connection.command(insert(6))).n, 1, "there is room again");
    const { cursor } = await connection.command({ find: "items", $db: "full" });
    assert.deepEqual(cursor.firstBatch, [{ _id: 3 }, { _id: 6 }]);
  });

  test("on a full disk, commands that only read in the failed commit succeed, and return nothing that was not stored", async (t) => {
    const { store, uri } = await startHere(t);
    const connection = connectRaw(t, uri);
    const insert = (_id: number) => ({ insert: "items", documents: [{ _id }], $db: "full" });
    await connection.command(insert(1));
    vi.spyOn(store.database, "commit").mockImplementationOnce(() => fail(13));
    const commands = [insert(2), { ping: 1, $db: "full" }, { count: "items", $db: "full" }];
    connection.socket.write(Buffer.concat(commands.map((command) => opMsg(serialize(command)))));
    const replies = [await connection.reply(), await connection.reply(), await connection.reply()];
    assert.deepEqual(
      replies.map(({ ok, n, code }) => [ok, n, code]),
      [
        [0, undefined, 14031],
        [1, undefined, undefined],
        [1, 1, undefined],
      ],
    );
  });

  for (const room of [100, 5]) {
    test(`deleting many documents on a full disk removes all of them although only ${room} fit into a commit`, async (t) => {
      const { store, uri } = await startHere(t, { maxTransactionMs: 0 });
      // On a fast machine the deletion would otherwise end within three slices.
      const { pace } = store.database;
      const startSlice = pace.startSlice.bind(pace);
      vi.spyOn(pace, "startSlice").mockImplementation(() => startSlice(0));
      const connection = connectRaw(t, uri);
      const documents = Array.from({ length: 1500 }, (_, _id) => ({ _id, isOld: _id % 3 > 0 }));
      await connection.command({ insert: "items", documents, $db: "full" });
      let writesBefore = store.database.writes;
      let largest = Number.POSITIVE_INFINITY;
      let commits = 0;
      const commit = store.database.commit.bind(store.database);
      vi.spyOn(store.database, "commit").mockImplementation(() => {
        if (store.database.writes - writesBefore > largest) fail(13);
        commit();
        // The disk is full only after the first commits of the long deletion.
        if (++commits > 3) largest = room;
        writesBefore = store.database.writes;
      });
      const rollback = store.database.rollback.bind(store.database);
      vi.spyOn(store.database, "rollback").mockImplementation(() => {
        rollback();
        writesBefore = store.database.writes;
      });
      await connection.command({ delete: "items", deletes: [{ q: { _id: 0 }, limit: 1 }], $db: "full" });
      const deletes = [
        { q: { isOld: true }, limit: 0 },
        { q: { _id: { $gt: 900 } }, limit: 0 },
      ];
      const reply = await connection.command({ delete: "items", deletes, $db: "full" });
      assert.deepEqual([reply.ok, reply.n, reply.writeErrors], [1, 1000 + 199, undefined]);
      assert.equal((await connection.command({ count: "items", query: {}, $db: "full" })).n, 300);
      // The insert would otherwise run in slices, each with a commit that is small enough.
      vi.spyOn(pace, "isOver").mockReturnValue(false);
      const late = Array.from({ length: 200 }, (_, n) => ({ _id: 5000 + n }));
      const refused = await connection.command({ insert: "items", documents: late, $db: "full" });
      assert.equal(refused.code, 14031, "other writes are not divided");
    });
  }

  test("an index build on a full disk reports the full disk, and the log names it as the cause", async (t) => {
    const { store, uri, log } = await startHere(t);
    const connection = connectRaw(t, uri);
    const documents = Array.from({ length: 500 }, (_, _id) => ({ _id, text: `${"x".repeat(500)}${_id}` }));
    await connection.command({ insert: "items", documents, $db: "full" });
    const [pages] = Object.values(store.database.statement("PRAGMA page_count").get() ?? {});
    store.database.execute(`PRAGMA max_page_count=${Number(pages) + 5}`);
    const indexes = [{ key: { text: 1 }, name: "text" }];
    const reply = await connection.command({ createIndexes: "items", indexes, $db: "full" });
    assert.equal(reply.codeName, "OutOfDiskSpace");
    assert.match(log[0] ?? "", /database or disk is full/);
    assert.equal((await connection.command({ count: "items", $db: "full" })).n, 500);
  });

  test("a fault in one command does not lose another command's write", async (t) => {
    const { store, uri } = await startHere(t);
    const connection = connectRaw(t, uri);
    await connection.command({ insert: "items", documents: [{ _id: 1 }], $db: "fault" });
    vi.spyOn(store.catalog, "find").mockImplementationOnce(() => fail(10));
    assert.equal((await connection.command({ find: "items", $db: "fault" })).codeName, "InternalError");
    assert.equal((await connection.command({ count: "items", $db: "fault" })).n, 1);
  });
});

describe("commands that share a commit", () => {
  test("a fault in one command undoes its own writes and no other command's", async (t) => {
    const { store, uri } = await startHere(t);
    const connection = connectRaw(t, uri);
    await connection.command({ insert: "items", documents: [{ _id: 0 }], $db: "shared" });
    const { ensure } = store.catalog;
    vi.spyOn(store.catalog, "ensure").mockImplementation((db: string, name: string) => {
      if (name !== "broken") return ensure.call(store.catalog, db, name);
      ensure.call(store.catalog, db, "half-made");
      throw new RangeError("Maximum call stack size exceeded");
    });
    const insert = (_id: number, name = "items") => ({ insert: name, documents: [{ _id }], $db: "shared" });
    const commands = [insert(1), insert(2, "broken"), insert(3)];
    connection.socket.write(Buffer.concat(commands.map((command) => opMsg(serialize(command)))));
    const replies = [await connection.reply(), await connection.reply(), await connection.reply()];
    assert.deepEqual(replies.map(({ ok }) => ok).sort(), [0, 1, 1]);
    const found = await connection.command({ find: "items", $db: "shared" });
    assert.deepEqual(found.cursor.firstBatch, [{ _id: 0 }, { _id: 1 }, { _id: 3 }]);
    const { cursor } = await connection.command({ listCollections: 1, nameOnly: true, $db: "shared" });
    assert.deepEqual(
      cursor.firstBatch.map(({ name }: { name: string }) => name),
      ["items"],
    );
  });
});

describe("invalid text", () => {
  const cases: [title: string, text: string][] = [
    ["a value", "short-value"],
    ["a long value", `long-value${"x".repeat(100)}`],
    ["a field name", "field-name"],
    ["a nested value", "nested-value"],
  ];
  for (const [title, text] of cases) {
    test(`${title} that is not valid UTF-8 is refused, not rewritten`, async (t) => {
      const connection = connectRaw(t, server.uri);
      const document = {
        "field-name": { nested: "nested-value" },
        a: "short-value",
        b: `long-value${"x".repeat(100)}`,
      };
      const message = opMsg(serialize({ insert: "items", documents: [document], $db: "utf8" }));
      message[message.indexOf(text) + 2] = 0xff;
      connection.socket.write(message);
      const reply = await connection.reply();
      assert.deepEqual([reply.ok, reply.code], [0, 2]);
      assert.equal((await connection.command({ ping: 1, $db: "utf8" })).ok, 1);
    });
  }
});

function fail(errcode: number): never {
  throw Object.assign(new Error("database or disk is full"), { errcode });
}

describe("startEmbeddedStore", () => {
  test("only one server can use a directory at a time, and the directory keeps its documents", async (t) => {
    const directory = await temporaryDirectory(t);
    const first = await startEmbeddedStore({ directory });
    t.onTestFinished(() => first.stop());
    const client = new MongoClient(first.uri);
    await client.db("kept").collection("items").createIndex({ n: 1 }, { unique: true });
    await client.db("kept").collection("items").insertOne({ n: 1 });
    await assert.rejects(startEmbeddedStore({ directory }), /another server is using it/);
    await client.close();
    await first.stop();
    await first.stop();
    assert.equal(await first.closed, undefined);

    const second = await startEmbeddedStore({ directory });
    t.onTestFinished(() => second.stop());
    const again = new MongoClient(second.uri);
    t.onTestFinished(() => again.close());
    const items = again.db("kept").collection("items");
    assert.equal(await items.countDocuments(), 1);
    await assert.rejects(items.insertOne({ n: 1 }), { code: 11000 });
    const { executionStats } = await items.find({ n: 1 }).explain();
    assert.equal(executionStats.totalDocsExamined, 1);
  });

  test("a port in use is reported, and the directory is released", async (t) => {
    const directory = await temporaryDirectory(t);
    const other = await startEmbeddedStore({ directory: await temporaryDirectory(t), host: "127.0.0.1" });
    t.onTestFinished(() => other.stop());
    const port = Number(new URL(other.uri).port);
    await assert.rejects(startEmbeddedStore({ directory, port }), /PORT \d+ is already in use/);
    const store = await startEmbeddedStore({ directory });
    await store.stop();
  });

  test("a client that leaves before its replies has no line in the log", async (t) => {
    const { uri, log } = await startHere(t);
    const ping = opMsg(serialize({ ping: 1, $db: "admin" }));
    for (let client = 0; client < 20; client++) {
      const { socket } = connectRaw(t, uri);
      await once(socket, "connect");
      socket.write(Buffer.concat(Array.from({ length: 50 }, () => ping)), () => socket.destroy());
    }
    await connectRaw(t, uri).command({ ping: 1, $db: "admin" });
    assert.deepEqual(log, []);
  });

  test("writes that arrive while connections close are committed before the store closes", async (t) => {
    const { here, store } = await startHere(t);
    const closing = here.close();
    here.maintain(() => store.database.begin());
    await closing;
    assert.equal(store.database.inTransaction, false);
  });

  test("a store stops even if a connected client does not read", async (t) => {
    const store = await startEmbeddedStore({ directory: await temporaryDirectory(t) });
    const connection = connectRaw(t, store.uri);
    const text = "x".repeat(1_000_000);
    await connection.command({ insert: "items", documents: [{ text }, { text }, { text }], $db: "slow" });
    connection.socket.pause();
    const message = opMsg(serialize({ find: "items", $db: "slow" }));
    connection.socket.write(Buffer.concat([message, message, message, message, message]));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await store.stop();
  });
});
