import { checkStored } from "../bson/validate.ts";
import { Doc } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import type { Steps } from "../steps.ts";
import { bufferOf } from "./buffer-of.ts";
import type { Collection } from "./collection.ts";
import type { IndexTable } from "./index-table.ts";

/** Further problems are rarely news. */
const maxProblems = 10;

/** A search in an index may read from the disk. */
const lookUpBytes = 1024;

/**
 * Reads everything once and compares documents and indexes, in slices beside other commands. Reports up to ten
 * problems. If there are any, or if the check is interrupted, the next start repeats it.
 */
export function* checkIntegrity(store: Store, report: (problem: string) => void): Steps<undefined> {
  let problems = 0;
  const note = (problem: string): void => {
    if (problems++ < maxProblems) {
      report(`the store in ${store.database.place} is damaged: ${problem}. Stop Muster and restore a backup`);
    }
  };
  for (const { db, name } of [...store.catalog.list()]) {
    try {
      yield* checkDocuments(store, db, name, note);
      for (const { spec } of store.catalog.find(db, name)?.indexes ?? []) {
        yield* checkEntries(store, { db, name, index: spec.name }, note);
      }
    } catch (error) {
      note(`${db}.${name} cannot be read (${reasonOf(error)})`);
    }
  }
  if (problems === 0) store.database.noteChecked();
  else {
    store.database.isSuspect = true;
    report(`the store in ${store.database.place} is checked again at each start, because it is damaged`);
  }
  return undefined;
}

function* checkDocuments(
  store: Store,
  db: string,
  name: string,
  note: (problem: string) => void,
): Steps<void> {
  let last = 0;
  const { pace } = store.database;
  for (;;) {
    const collection = store.catalog.find(db, name);
    if (!collection) return;
    const select = `SELECT row, content FROM documents_${collection.id} WHERE row > ? ORDER BY row`;
    let isOver = false;
    for (const found of store.database.statement(select).iterate(last)) {
      if (!Array.isArray(found)) continue;
      last = Number(found[0]);
      const content = bufferOf(found[1]);
      checkDocument(collection, last, content, note);
      isOver = pace.spend(content.length + collection.indexes.length * lookUpBytes);
      if (isOver) break;
    }
    if (!isOver) return;
    yield;
  }
}

function checkDocument(
  { namespace, indexes }: Collection,
  row: number,
  content: Buffer,
  note: (problem: string) => void,
): void {
  try {
    checkStored(content);
    const doc = Doc.fromRaw(content);
    for (const index of indexes) {
      if (index.keysOf(doc).every((key) => index.has(key, row))) continue;
      note(`document ${row} of ${namespace} is missing from the index ${index.spec.name}`);
    }
  } catch (error) {
    note(`document ${row} of ${namespace} cannot be read (${reasonOf(error)})`);
  }
}

function* checkEntries(
  store: Store,
  place: { db: string; name: string; index: string },
  note: (problem: string) => void,
): Steps<void> {
  let after: { key: Buffer; row: number } = { key: Buffer.alloc(0), row: 0 };
  const { pace } = store.database;
  for (;;) {
    const collection = store.catalog.find(place.db, place.name);
    const index = collection?.indexes.find(({ spec }) => spec.name === place.index);
    if (!collection || !index) return;
    let isOver = false;
    for (const found of entriesAfter(store, collection, index, after)) {
      if (!Array.isArray(found)) continue;
      after = { key: bufferOf(found[0]), row: Number(found[1]) };
      if (found[2] === null) {
        note(
          `the index ${place.index} of ${collection.namespace} contains the missing document ${after.row}`,
        );
      }
      isOver = pace.spend(lookUpBytes);
      if (isOver) break;
    }
    if (!isOver) return;
    yield;
  }
}

function entriesAfter(
  { database }: Store,
  { id }: Collection,
  index: IndexTable,
  { key, row }: { key: Buffer; row: number },
): Iterable<unknown> {
  const select = `SELECT i.key, i.row, d.row FROM index_${index.id} i LEFT JOIN documents_${id} d ON d.row = i.row
    WHERE (i.key, i.row) > (?, ?) ORDER BY i.key, i.row`;
  return database.statement(select).iterate(key, row);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
