import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { serialize } from "bson";
import { type TestContext, test, vi } from "vitest";
import { openStore, type Store } from "../open-store.ts";
import { Connection } from "../wire/connection.ts";
import { opMsg } from "../wire/op-msg.ts";
import { Executor } from "./executor.ts";

async function open(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const log: string[] = [];
  const store = openStore(directory, Date.now, "directory", (line) => log.push(line));
  store.address = join(directory, "store.sock");
  const turns: (() => void)[] = [];
  const executor = new Executor(store, (line) => log.push(line), { schedule: (turn) => turns.push(turn) });
  const socket = new Socket();
  t.onTestFinished(() => {
    socket.destroy();
  });
  const file = (name: string) => join(directory, name);
  const request = (name: string) => [opMsg(serialize({ backUp: file(name), $db: "admin" }))];
  return { store, executor, turns, socket, request, file, log };
}

test("a backup that is requested while the connections close does not start, so that the store can close", async (t) => {
  const { store, executor, socket, request, file, log } = await open(t);
  await executor.close();
  executor.receive(new Connection(socket), request("late"));
  assert.equal(store.database.isBackingUp, false);
  store.database.close();
  assert.equal(existsSync(file("late")), false);
  assert.deepEqual(log, []);
});

test("a backup that is requested while another one is being stopped is stopped, too", async (t) => {
  const { store, executor, socket, request, log } = await open(t);
  executor.receive(new Connection(socket), request("first"));
  assert.equal(store.database.isBackingUp, true);
  const closing = executor.close();
  const other = new Socket();
  executor.receive(new Connection(other), request("second"));
  await closing;
  assert.equal(store.database.isBackingUp, false);
  store.database.close();
  other.destroy();
  assert.deepEqual(log, []);
});

/** Runs turns until none is planned. */
function runTurns(turns: (() => void)[]): void {
  for (let turn = turns.shift(); turn; turn = turns.shift()) turn();
}

const megabytes = 6;

function insertLarge(): Buffer[] {
  const documents = Array.from({ length: megabytes }, (_, _id) => ({ _id, text: "x".repeat(1e6) }));
  return [opMsg(serialize({ insert: "large", documents, $db: "test" }))];
}

/** The pages of the log that are not in the data file. */
function logPages({ database }: Store): number {
  const [, pages, moved] = database.prepare("PRAGMA wal_checkpoint(NOOP)").all().flat();
  return Number(pages) - Number(moved);
}

test("a long log is moved into the data file after the replies of the commit, and no slice runs in that turn", async (t) => {
  const { store, executor, turns, socket } = await open(t);
  const connection = new Connection(socket);
  const pagesAtReply: number[] = [];
  vi.spyOn(connection, "send").mockImplementation(() => {
    pagesAtReply.push(logPages(store));
  });
  let slices = 0;
  executor.receive(connection, insertLarge());
  executor.runInBackground(
    (function* () {
      slices++;
      yield;
      slices++;
      return undefined;
    })(),
  );
  let before = 0;
  while (pagesAtReply.length === 0) {
    before = slices;
    turns.shift()?.();
  }
  assert.ok((pagesAtReply[0] ?? 0) > megabytes * 200, `${pagesAtReply} pages`);
  assert.equal(logPages(store), 0);
  assert.equal(slices, before);
  runTurns(turns);
  assert.equal(slices, 2);
  await executor.close();
  store.database.close();
});

test("commands continue if the log cannot be moved, and the log says why once", async (t) => {
  const { store, executor, turns, socket, log } = await open(t);
  const { database } = store;
  const execute = database.execute.bind(database);
  vi.spyOn(database, "execute").mockImplementation((sql) => {
    if (sql.includes("checkpoint")) throw Object.assign(new Error("disk I/O error"), { errcode: 10 });
    execute(sql);
  });
  const connection = new Connection(socket);
  const replies: Buffer[] = [];
  vi.spyOn(connection, "send").mockImplementation((reply) => {
    replies.push(reply);
  });
  executor.receive(connection, insertLarge());
  runTurns(turns);
  const remove = { delete: "large", deletes: [{ q: {}, limit: 0 }], $db: "test" };
  executor.receive(connection, [opMsg(serialize(remove))]);
  runTurns(turns);
  assert.equal(replies.length, 2);
  assert.equal(log.length, 1);
  assert.match(log[0] ?? "", /could not empty the log of the store in .*disk I\/O error/);
  vi.restoreAllMocks();
  await executor.close();
  database.close();
});

test("the last commit starts no maintenance that would run after the store has closed", async (t) => {
  const { store, executor, turns, log } = await open(t);
  await executor.close();
  store.database.hasTrash = true;
  executor.maintain(() => store.database.begin());
  executor.flush();
  store.database.close();
  for (const turn of turns) turn();
  assert.deepEqual(log, []);
});
