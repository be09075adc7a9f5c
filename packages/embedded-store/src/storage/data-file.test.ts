import assert from "node:assert/strict";
import { readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { temporaryDirectory } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { doc } from "../bson/plain.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore, type Store } from "../open-store.ts";

function open(directory: string): Store {
  return openStore(directory, Date.now, "DATA_DIR");
}

function count(store: Store): unknown {
  return execute(store, () => doc({ count: "items", $db: "kept" })).get("n")?.value;
}

/** A directory with a closed store of some documents. */
async function closedStore(t: TestContext): Promise<string> {
  const directory = await temporaryDirectory(t);
  const store = open(directory);
  const documents = Array.from({ length: 100 }, (_, i) => ({ _id: i, text: "x".repeat(500) }));
  execute(store, () => doc({ insert: "items", documents, $db: "kept" }));
  store.database.commit();
  store.database.close();
  return directory;
}

function refuses(directory: string, problem: RegExp): void {
  assert.throws(
    () => open(directory),
    (error: Error) => {
      assert.match(error.message, problem);
      assert.ok(error.message.includes(`${directory} (set by DATA_DIR)`), error.message);
      return true;
    },
  );
}

test("an emptied data file is refused, and its log is left alone", async (t) => {
  const directory = await closedStore(t);
  await truncate(join(directory, "store.sqlite"), 0);
  await writeFile(join(directory, "store.sqlite-wal"), "the log");
  refuses(directory, /store\.sqlite is missing or empty; restore it from a backup/);
  assert.equal(await readFile(join(directory, "store.sqlite-wal"), "utf8"), "the log");
});

test("a missing data file is refused until its marker is deleted as well", async (t) => {
  const directory = await closedStore(t);
  await rm(join(directory, "store.sqlite"));
  refuses(directory, /missing or empty.*to start with an empty store, delete store\.created/);
  await rm(join(directory, "store.created"));
  const store = open(directory);
  t.onTestFinished(() => store.database.close());
  assert.equal(count(store), 0);
});

test("a data file that is cut off is refused", async (t) => {
  const directory = await closedStore(t);
  await truncate(join(directory, "store.sqlite"), 8192);
  refuses(directory, /store\.sqlite is cut off \(8192 bytes instead of \d+\)/);
});

test("a data file with other contents is refused", async (t) => {
  const directory = await closedStore(t);
  await writeFile(join(directory, "store.sqlite"), "not a database".repeat(1000));
  refuses(directory, /store\.sqlite is not a database, or is damaged; restore it/);
});

test("a data file from before the marker existed gets one on the next start", async (t) => {
  const directory = await closedStore(t);
  await rm(join(directory, "store.created"));
  const store = open(directory);
  assert.equal(count(store), 100);
  store.database.close();
  await truncate(join(directory, "store.sqlite"), 0);
  refuses(directory, /missing or empty/);
});

test("a data file of another program is refused and stays unchanged", async (t) => {
  const directory = await temporaryDirectory(t);
  const path = join(directory, "store.sqlite");
  const other = new DatabaseSync(path);
  other.exec("CREATE TABLE contacts (name TEXT)");
  other.close();
  const before = await readFile(path);
  refuses(directory, /store\.sqlite belongs to another program; choose another folder/);
  assert.deepEqual(await readFile(path), before);
});
