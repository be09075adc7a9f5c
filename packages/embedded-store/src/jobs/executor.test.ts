import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { serialize } from "bson";
import { type TestContext, test } from "vitest";
import { openStore } from "../store.ts";
import { Connection } from "../wire/connection.ts";
import { opMsg } from "../wire/op-msg.ts";
import { Executor } from "./executor.ts";

async function open(t: TestContext) {
  const directory = await temporaryDirectory(t);
  const store = openStore(directory);
  store.address = join(directory, "store.sock");
  const log: string[] = [];
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
