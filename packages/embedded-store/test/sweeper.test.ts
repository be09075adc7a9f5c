import assert from "node:assert/strict";
import { temporaryDirectory, until } from "@muster/testing";
import { type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../src/bson/plain.ts";
import { type Doc, date } from "../src/bson/value.ts";
import { execute } from "../src/commands/dispatch.ts";
import { openStore } from "../src/open-store.ts";
import { StoreServer } from "../src/server.ts";
import { startSweeper } from "../src/storage/start-sweeper.ts";
import { startTestServer } from "./support/test-server.ts";

const server = await startTestServer(1000);

const minuteMs = 60_000;

/** A store in this process whose sweeper runs on Vitest's clock. Returns a function that runs a command. */
async function startSweptStore(t: TestContext, intervalMs: number) {
  const store = openStore(await temporaryDirectory(t));
  const log: string[] = [];
  const server = new StoreServer(store, (line) => log.push(line));
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stopSweeper = startSweeper(store, server, intervalMs, (line) => log.push(line));
  t.onTestFinished(async () => {
    stopSweeper();
    await server.close();
    store.database.close();
    vi.useRealTimers();
  });
  const run = (command: PlainFields): Doc => execute(store, () => doc({ ...command, $db: "sweeps" }));
  return { store, run, log };
}

test("the sweeper does not wait for the next interval if one sweep is not enough", async (t) => {
  const { run, log } = await startSweptStore(t, minuteMs);
  const count = () => Number(run({ count: "items" }).get("n")?.value);
  run({ createIndexes: "items", indexes: [{ key: { at: 1 }, name: "at", expireAfterSeconds: 0 }] });
  run({ insert: "items", documents: Array.from({ length: 6000 }, (_, i) => ({ _id: i, at: date(i) })) });
  vi.advanceTimersByTime(minuteMs - 1);
  assert.equal(count(), 6000);
  vi.advanceTimersByTime(1);
  assert.ok(count() > 0 && count() < 6000, `${count()} documents are left after the first sweep`);
  vi.advanceTimersByTime(minuteMs / 10);
  assert.equal(count(), 0);
  assert.deepEqual(log, []);
});

test("the sweeper skips a document that cannot be read, removes the others, and logs it once", async (t) => {
  const { store, run, log } = await startSweptStore(t, minuteMs);
  for (const name of ["first", "second"]) {
    const indexes = [{ key: { at: 1 }, name: "at", expireAfterSeconds: 0 }];
    run({ createIndexes: name, indexes });
    run({ insert: name, documents: [1, 2, 3].map((_id) => ({ _id, at: date(_id) })) });
  }
  const table = `documents_${store.catalog.find("sweeps", "first")?.id}`;
  store.database.execute(`UPDATE ${table} SET content = x'0800000077610000' WHERE row = 2`);
  vi.advanceTimersByTime(3 * minuteMs);
  const rows = store.database.prepare(`SELECT row FROM ${table}`).all();
  assert.deepEqual(rows, [[2]]);
  assert.equal(Number(run({ count: "second" }).get("n")?.value), 0);
  assert.equal(log.length, 1);
  assert.match(
    log.join(),
    /^the store in .* cannot expire a document of sweeps\.first: a stored document is damaged/,
  );
});

test("the sweeper accepts an expiry of a fraction of a second and continues", async () => {
  const items = server.collection();
  await items.createIndex({ at: 1 }, { expireAfterSeconds: 0.0001 });
  await items.insertMany([
    { _id: 1, at: new Date(0) },
    { _id: 2, at: new Date(Date.now() + 3_600_000) },
  ]);
  await until(async () => (await items.countDocuments()) === 1);
  assert.deepEqual(server.log, []);
});
