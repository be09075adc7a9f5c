import assert from "node:assert/strict";
import fs, { readdirSync, statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { beforeEach, describe, type TestContext, test, vi } from "vitest";
import { doc, type PlainFields } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore, type Store } from "../open-store.ts";

/* The disk of these tests limits only the reserve: SQLite does not write through Node. */

const disk = { directory: "", bytes: 0, error: "ENOSPC", refusals: 0 };

const { appendFileSync } = fs;
vi.spyOn(fs, "appendFileSync").mockImplementation((path, data, options) => {
  if (usedBytes() + data.length <= disk.bytes) return appendFileSync(path, data, options);
  disk.refusals++;
  throw Object.assign(new Error(`${disk.error}: the test's disk`), { code: disk.error });
});
syncBuiltinESMExports();

function usedBytes(): number {
  const sizes = readdirSync(disk.directory).map((name) => statSync(join(disk.directory, name)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}

const mib = 1024 * 1024;

beforeEach(() => {
  Object.assign(disk, { bytes: 0, error: "ENOSPC", refusals: 0 });
});

async function open(t: TestContext): Promise<{ store: Store; log: string[] }> {
  disk.directory = await temporaryDirectory(t);
  const log: string[] = [];
  const store = openStore(disk.directory, Date.now, "DATA_DIR", (line) => log.push(line));
  t.onTestFinished(() => store.database.close());
  return { store, log };
}

/** Runs and commits a command as the server does. */
function run({ database, ...store }: Store, command: PlainFields): Doc {
  try {
    const reply = execute({ database, ...store }, () => doc({ ...command, $db: "reserve" }));
    database.endCommand();
    if (database.inTransaction) database.commit();
    return reply;
  } catch (error) {
    database.undoCommand();
    throw error;
  }
}

function insert(store: Store, _id: number, text = ""): void {
  run(store, { insert: "items", documents: [{ _id, text }] });
}

const remove = { delete: "items", deletes: [{ q: {}, limit: 0 }] };

describe("the disk space kept for deletes", () => {
  test("a store empties its log instead of refusing writes if the disk has no room for a larger reserve", async (t) => {
    disk.bytes = 9 * mib;
    const { store } = await open(t);
    for (let i = 0; i < 50; i++) insert(store, i, "x".repeat(mib / 10));
    assert.ok(disk.refusals > 0);
    assert.equal(run(store, { count: "items" }).get("n")?.value, 50);
  });

  test("a store on a full disk refuses inserts, executes deletes, and recovers once there is room", async (t) => {
    disk.bytes = 9 * mib;
    const { store } = await open(t);
    insert(store, 1);
    disk.bytes = 0;
    store.database.noteDiskFull();
    assert.throws(() => insert(store, 2), { name: "NoRoomError" });
    assert.equal(run(store, remove).get("n")?.value, 1);
    disk.bytes = 9 * mib;
    run(store, { drop: "items" });
    insert(store, 3);
  });

  test("a full disk accepts the small writes of deletions, which say so, and refuses the same without it", async (t) => {
    disk.bytes = 9 * mib;
    const { store } = await open(t);
    insert(store, 1, "x");
    disk.bytes = 0;
    store.database.noteDiskFull();
    const strip = { q: { _id: 1 }, u: { $set: { text: null } } };
    const writes = [
      { update: "items", updates: [strip] },
      { findAndModify: "items", query: { _id: 1 }, update: { $set: { gone: true } } },
      { insert: "tombstones", documents: [{ _id: 1 }] },
    ];
    for (const write of writes) {
      assert.throws(() => run(store, write), { name: "NoRoomError" });
      assert.equal(run(store, { ...write, comment: "deletion" }).get("ok")?.value, 1);
    }
    const many = {
      update: "items",
      updates: [{ q: {}, u: { $set: { text: 5 } }, multi: true }],
      comment: "deletion",
    };
    assert.throws(() => run(store, many), { name: "NoRoomError" });
  });

  test("the reserve stays on a full disk until a delete needs it, so that no other program takes its space", async (t) => {
    disk.bytes = 9 * mib;
    const { store } = await open(t);
    insert(store, 1);
    disk.bytes = usedBytes();
    store.database.noteDiskFull();
    const size = () => statSync(join(disk.directory, "store.reserve")).size;
    assert.ok(size() >= mib);
    insert(store, 2);
    assert.ok(size() >= mib, "the attempt of a write has given it back");
    assert.equal(run(store, remove).get("n")?.value, 2);
    assert.ok(size() >= mib);
  });

  test("writes refused on a full disk check for room at most once a second", async (t) => {
    const { store } = await open(t);
    const now = vi.spyOn(performance, "now").mockReturnValue(performance.now() + 5000);
    t.onTestFinished(() => now.mockRestore());
    assert.throws(() => insert(store, 1), { name: "NoRoomError" });
    const { refusals } = disk;
    for (let i = 0; i < 20; i++) assert.throws(() => insert(store, i), { name: "NoRoomError" });
    assert.equal(disk.refusals, refusals);
    // Sums of fractions are not exact.
    now.mockReturnValue(performance.now() + 1001);
    disk.bytes = 9 * mib;
    insert(store, 1);
  });

  test("a store whose reserve cannot be written for another reason than a full disk keeps writing", async (t) => {
    disk.error = "EACCES";
    const { store, log } = await open(t);
    for (let i = 0; i < 20; i++) insert(store, i);
    assert.deepEqual(log, ["could not keep disk space for deletes: Error: EACCES: the test's disk"]);
  });

  test("a write that is on disk succeeds although emptying the log fails", async (t) => {
    disk.bytes = 9 * mib;
    const { store, log } = await open(t);
    insert(store, 1);
    store.database.noteDiskFull();
    vi.spyOn(store.database, "execute").mockImplementation(() => {
      throw new Error("disk I/O error");
    });
    assert.equal(run(store, remove).get("n")?.value, 1);
    assert.match(
      log.join("\n"),
      /^could not empty the log of the store in .* \(set by DATA_DIR\): Error: disk I\/O/,
    );
  });

  test("opening an existing store writes nothing, so that it starts on a full disk", async (t) => {
    disk.directory = await temporaryDirectory(t);
    openStore(disk.directory).database.close();
    const store = openStore(disk.directory);
    t.onTestFinished(() => store.database.close());
    assert.equal(statSync(join(disk.directory, "store.sqlite-wal")).size, 0);
  });
});
