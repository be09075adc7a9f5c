import { validateDocument } from "../bson/validate.ts";
import { Doc } from "../bson/value.ts";
import type { Steps } from "../steps.ts";
import type { Store } from "../store.ts";
import { bufferOf, type Collection } from "./collection.ts";
import type { IndexTable } from "./index-table.ts";

/** The documents or entries that are read together; they are checked in the same slice, before others can write. */
const stepRows = 32;

/** Further problems are rarely news. */
const maxProblems = 10;

/**
 * Reads everything once and compares documents and indexes, in slices beside other commands. Reports up to ten
 * problems.
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
      note(`${db}.${name} cannot be read (${error instanceof Error ? error.message : String(error)})`);
    }
  }
  return undefined;
}

function* checkDocuments(
  store: Store,
  db: string,
  name: string,
  note: (problem: string) => void,
): Steps<void> {
  for (let last = 0; ; ) {
    const collection = store.catalog.find(db, name);
    if (!collection) return;
    const select = `SELECT row, content FROM documents_${collection.id} WHERE row > ? ORDER BY row LIMIT ${stepRows}`;
    const rows = arrays(store.database.statement(select).all(last));
    if (rows.length === 0) return;
    let bytes = 0;
    for (const [row, content] of rows) {
      last = Number(row);
      bytes += bufferOf(content).length;
      checkDocument(collection, last, bufferOf(content), note);
    }
    if (store.database.pace.spend(bytes + rows.length * 1024)) yield;
  }
}

function checkDocument(
  { namespace, indexes }: Collection,
  row: number,
  content: Buffer,
  note: (problem: string) => void,
): void {
  validateDocument(content, 0, content.length);
  const doc = Doc.fromRaw(content);
  for (const index of indexes) {
    if (index.keysOf(doc).every((key) => index.has(key, row))) continue;
    note(`document ${row} of ${namespace} is missing from the index ${index.spec.name}`);
  }
}

function* checkEntries(
  store: Store,
  place: { db: string; name: string; index: string },
  note: (problem: string) => void,
): Steps<void> {
  let after: { key: Buffer; row: number } = { key: Buffer.alloc(0), row: 0 };
  for (;;) {
    const collection = store.catalog.find(place.db, place.name);
    const index = collection?.indexes.find(({ spec }) => spec.name === place.index);
    if (!collection || !index) return;
    const rows = entriesAfter(store, collection, index, after);
    for (const [key, row, document] of rows) {
      after = { key: bufferOf(key), row: Number(row) };
      if (document === null) {
        note(
          `the index ${place.index} of ${collection.namespace} contains the missing document ${after.row}`,
        );
      }
    }
    if (rows.length < stepRows) return;
    if (store.database.pace.spend(rows.length * 1024)) yield;
  }
}

function entriesAfter(
  { database }: Store,
  { id }: Collection,
  index: IndexTable,
  { key, row }: { key: Buffer; row: number },
): unknown[][] {
  const select = `SELECT i.key, i.row, d.row FROM index_${index.id} i LEFT JOIN documents_${id} d ON d.row = i.row
    WHERE (i.key, i.row) > (?, ?) ORDER BY i.key, i.row LIMIT ${stepRows}`;
  return arrays(database.statement(select).all(key, row));
}

function arrays(rows: readonly unknown[]): unknown[][] {
  return rows.filter((row) => Array.isArray(row));
}
