import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { doc } from "../bson/plain.ts";
import { execute } from "../commands/dispatch.ts";
import { runToEnd } from "../steps.ts";
import { openStore, type Store } from "../store.ts";
import { checkIntegrity } from "./check.ts";

function open(t: TestContext, directory: string): Store {
  const store = openStore(directory, Date.now, "DATA_DIR");
  t.onTestFinished(() => store.database.close());
  return store;
}

function fill(store: Store): void {
  const indexes = [{ key: { a: 1 }, name: "a" }];
  const documents = Array.from({ length: 200 }, (_, _id) => ({ _id, a: [_id, -_id] }));
  execute(store, () => doc({ createIndexes: "items", indexes, $db: "checks" }));
  execute(store, () => doc({ insert: "items", documents, $db: "checks" }));
  store.database.endCommand();
  store.database.commit();
}

function problemsOf(store: Store): string[] {
  const problems: string[] = [];
  runToEnd(checkIntegrity(store, (problem) => problems.push(problem)));
  return problems;
}

describe("the integrity check", () => {
  test("a check reports a document without its index entry, an entry without its document, and nothing else", async (t) => {
    const directory = await temporaryDirectory(t);
    const store = open(t, directory);
    fill(store);
    assert.deepEqual(problemsOf(store), []);
    const collection = store.catalog.find("checks", "items");
    const index = collection?.indexes.at(-1);
    assert.ok(collection && index);
    store.database.execute(
      `DELETE FROM index_${index.id} WHERE row = 7 AND key IN (SELECT MIN(key) FROM index_${index.id} WHERE row = 7)`,
    );
    store.database.execute(`DELETE FROM documents_${collection.id} WHERE row = 9`);
    const place = `the store in ${directory} (set by DATA_DIR) is damaged:`;
    assert.deepEqual(
      new Set(problemsOf(store)),
      new Set([
        `${place} document 7 of checks.items is missing from the index a. Stop Muster and restore a backup`,
        `${place} the index _id_ of checks.items contains the missing document 9. Stop Muster and restore a backup`,
        `${place} the index a of checks.items contains the missing document 9. Stop Muster and restore a backup`,
      ]),
    );
  });

  test("a store knows after its start whether it was stopped or killed before", async (t) => {
    const directory = await temporaryDirectory(t);
    const killed = await temporaryDirectory(t);
    const store = openStore(directory);
    fill(store);
    assert.equal(store.database.wasInterrupted, false);
    for (const name of ["store.sqlite", "store.sqlite-wal", "store.created"]) {
      cpSync(join(directory, name), join(killed, name));
    }
    store.database.close();
    assert.equal(open(t, directory).database.wasInterrupted, false);
    const after = open(t, killed);
    assert.equal(after.database.wasInterrupted, true);
    assert.deepEqual(problemsOf(after), []);
  });
});
