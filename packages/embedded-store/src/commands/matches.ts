import { Doc } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import type { Expression } from "../query/conjuncts.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import { matches } from "../query/match.ts";
import { rowBytes } from "../query/memory.ts";
import type { Found } from "../query/source.ts";
import type { Steps } from "../steps.ts";
import type { Collection } from "../storage/collection.ts";
import type { RowId } from "../storage/index-table.ts";
import type { Work } from "./command.ts";

/** The collection of a write by name: between two slices, others may drop it. */
export interface Target {
  readonly db: string;
  readonly name: string;
}

export interface Match {
  readonly collection: Collection;
  readonly row: RowId;
  readonly content: Doc;
}

/** A write is several times the work of reading a document. */
const writeBytes = 4096;

/** How often a search is repeated because of others' writes before they have to wait for it. */
const maxAttempts = 4;

/**
 * Applies a write to all matches and returns their number. The matches are found first, so that a changed document
 * cannot match again. If others ran since a document was found, it is read again and has to match still.
 */
export function* writeEach(
  store: Store,
  target: Target,
  filter: Expression,
  work: Work,
  write: (match: Match) => void,
): Steps<number> {
  const collection = store.catalog.find(target.db, target.name);
  if (!collection) return 0;
  const { pace } = store.database;
  const rows = new Set<RowId>();
  // Read in this slice, so that no other command can have changed them.
  const fresh = new Map<RowId, Buffer>();
  const source = openQuery(collection, { filter, sort: [], skip: 0, limit: 0 }, work.memory);
  const add = ({ row, content }: Found) => {
    work.memory.take(rowBytes, "Write");
    fresh.set(row, content);
    return rows.add(row).size > 0;
  };
  while (source.run(add) === "paused") {
    fresh.clear();
    yield;
  }
  let n = 0;
  for (const row of rows) {
    const current = store.catalog.find(target.db, target.name);
    if (!current?.uuid.equals(collection.uuid)) break;
    const content = fresh.get(row) ?? matchAt(current, row, filter);
    if (content) {
      write({ collection: current, row, content: Doc.fromRaw(content) });
      n++;
    }
    if (!pace.spend(writeBytes + (content?.length ?? 0)) && !store.database.isLogFull) continue;
    fresh.clear();
    yield;
  }
  return n;
}

function matchAt(collection: Collection, row: RowId, filter: Expression): Buffer | undefined {
  const content = collection.contentAt(row);
  return content && matches(filter, Doc.fromRaw(content)) ? content : undefined;
}

/**
 * Finds the document that a write of one document changes; the caller must write in the same slice. If others wrote
 * while the search was paused and its result may be outdated, it is repeated, so that the write is atomic.
 */
export function* findForWrite(
  store: Store,
  target: Target,
  query: Query,
  work: Work,
  upsert: boolean,
): Steps<Match | undefined> {
  for (let attempt = 1; ; attempt++) {
    if (attempt === maxAttempts) store.database.pace.endSlices();
    const collection = store.catalog.find(target.db, target.name);
    if (!collection) return undefined;
    const { changes } = collection;
    let found: Found | undefined;
    const keep = (each: Found) => {
      found = each;
      return false;
    };
    let hasPaused = false;
    const source = openQuery(collection, query, work.memory);
    while (source.run(keep) === "paused") {
      hasPaused = true;
      yield;
    }
    const current = store.catalog.find(target.db, target.name);
    const isUnchanged = !hasPaused || (current === collection && current.changes === changes);
    if (!found) {
      if (isUnchanged || !upsert) return undefined;
    } else if (current && (isUnchanged || current.contentAt(found.row)?.equals(found.content))) {
      return { collection: current, row: found.row, content: Doc.fromRaw(found.content) };
    }
  }
}
