import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { temporaryDirectory } from "@muster/testing";
import { describe, type TestContext, test, vi } from "vitest";
import { doc } from "../bson/plain.ts";
import { execute } from "../commands/dispatch.ts";
import { openStore, type Store } from "../open-store.ts";
import { checkIntegrity } from "./check-integrity.ts";

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
  Array.from(checkIntegrity(store, (problem) => problems.push(problem)));
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
        `the store in ${directory} (set by DATA_DIR) is checked again at each start, because it is damaged`,
      ]),
    );
  });

  test("a document that cannot be read is reported, and the others are checked nevertheless", async (t) => {
    const directory = await temporaryDirectory(t);
    const store = open(t, directory);
    fill(store);
    const table = `documents_${store.catalog.find("checks", "items")?.id}`;
    store.database.execute(`UPDATE ${table} SET content = x'0500000001' WHERE row IN (7, 150)`);
    const place = `the store in ${directory} (set by DATA_DIR) is damaged:`;
    const reason = "a stored document is damaged: malformed BSON: a document does not end with a zero byte";
    assert.deepEqual(problemsOf(store), [
      ...[7, 150].map(
        (row) =>
          `${place} document ${row} of checks.items cannot be read (${reason}). Stop Muster and restore a backup`,
      ),
      `the store in ${directory} (set by DATA_DIR) is checked again at each start, because it is damaged`,
    ]);
  });

  test("after a kill, each start checks the data until a check was complete", async (t) => {
    const directory = await temporaryDirectory(t);
    const killed = await temporaryDirectory(t);
    const store = openStore(directory);
    fill(store);
    assert.equal(store.database.isUnchecked, false);
    for (const name of ["store.sqlite", "store.sqlite-wal", "store.created"]) {
      cpSync(join(directory, name), join(killed, name));
    }
    store.database.close();
    assert.equal(open(t, directory).database.isUnchecked, false);

    const second = openStore(killed);
    assert.equal(second.database.isUnchecked, true);
    vi.spyOn(second.database.pace, "isOver").mockReturnValue(true);
    const interrupted = checkIntegrity(second, assert.fail);
    assert.equal(interrupted.next().done, false);
    interrupted.return(undefined);
    second.database.close();

    const third = openStore(killed);
    assert.equal(third.database.isUnchecked, true, "the check was cut short by a clean stop");
    assert.deepEqual(problemsOf(third), []);
    third.database.close();
    assert.equal(open(t, killed).database.isUnchecked, false);
  });

  test("a check lets others run after each large document", async (t) => {
    const store = open(t, await temporaryDirectory(t));
    const text = "x".repeat(100_000);
    const documents = Array.from({ length: 20 }, (_, _id) => ({ _id, text }));
    execute(store, () => doc({ insert: "items", documents, $db: "checks" }));
    vi.spyOn(store.database.pace, "isOver").mockReturnValue(true);
    let slices = 0;
    for (const steps = checkIntegrity(store, assert.fail); !steps.next().done; ) slices++;
    assert.ok(slices >= 20, `${slices} slices`);
  });
});
