import { DamagedDocument } from "../bson/layout.ts";
import { doc } from "../bson/plain.ts";
import { Doc, date } from "../bson/value.ts";
import type { Store } from "../open-store.ts";
import type { Expression } from "../query/conjuncts.ts";
import { openQuery } from "../query/cursor.ts";
import { MemoryPool } from "../query/memory.ts";
import { parseFilter } from "../query/parse.ts";
import type { StoreServer } from "../server.ts";
import type { Collection } from "./collection.ts";
import type { IndexTable, RowId } from "./index-table.ts";

/** Limits on the deletes per sweep and index, so that a sweep neither blocks for long nor uses much memory. */
const maxDeletes = 250;
const maxBytes = 4 * 1024 * 1024;

/** Pause before the next sweep if one reached a limit. */
const backlogPauseMs = 20;

/**
 * Removes expired documents and idle cursors every `intervalMs`. It skips documents that cannot be read,
 * with one line in the log per collection. Returns a function that stops it.
 */
export function startSweeper(
  store: Store,
  server: StoreServer,
  intervalMs: number,
  log: (line: string) => void,
): () => void {
  const damaged = new Set<string>();
  const noteDamage = (namespace: string, problem: string) => {
    if (damaged.has(namespace)) return;
    damaged.add(namespace);
    log(`the store in ${store.database.place} cannot expire a document of ${namespace}: ${problem}`);
  };
  let timer = setTimeout(run, intervalMs);
  function run(): void {
    let isDone = true;
    server.maintain(() => {
      isDone = sweep(store, noteDamage);
    });
    timer = setTimeout(run, isDone ? intervalMs : Math.min(intervalMs, backlogPauseMs));
  }
  return () => clearTimeout(timer);
}

type NoteDamage = (namespace: string, problem: string) => void;

/** Returns true if nothing expired is left. */
function sweep(store: Store, noteDamage: NoteDamage): boolean {
  store.cursors.removeIdle();
  // Left behind by a crash, or because the disk was full.
  store.database.hasTrash = true;
  let isDone = true;
  for (const { collection } of store.catalog.list()) {
    for (const index of collection.indexes) {
      const note = (problem: string) => noteDamage(collection.namespace, problem);
      isDone = removeExpired(store, collection, index, note) && isDone;
    }
  }
  return isDone;
}

function removeExpired(
  store: Store,
  collection: Collection,
  index: IndexTable,
  noteDamage: (problem: string) => void,
): boolean {
  const { expireAfterSeconds, fields, partial } = index.spec;
  const field = fields[0]?.field;
  if (expireAfterSeconds === undefined || field === undefined) return true;
  const limit = date(Math.floor(store.now() - expireAfterSeconds * 1000));
  const old = parseFilter(doc({ [field]: { $lte: limit } }));
  const filter: Expression = partial ? { kind: "and", parts: [old, partial] } : old;
  const expired: [RowId, Doc][] = [];
  let bytes = 0;
  const query = { filter, sort: [], skip: 0, limit: 0 };
  const source = openQuery(collection, query, new MemoryPool().open());
  const find = () =>
    source.run(({ row, content }) => {
      expired.push([row, Doc.fromRaw(content)]);
      bytes += content.length;
      return expired.length < maxDeletes && bytes < maxBytes;
    });
  // After a document that cannot be read, the search continues with the next one.
  let progress = skipDamaged(find, noteDamage);
  while (!progress) progress = skipDamaged(find, noteDamage);
  const before = collection.changes;
  for (const [row, content] of expired) skipDamaged(() => collection.remove(row, content), noteDamage);
  // Another sweep would find the same documents.
  if (collection.changes === before) return true;
  return progress === "ended";
}

/** Returns undefined if the work met a damaged document. A write meets it before it changes anything. */
function skipDamaged<Result>(work: () => Result, noteDamage: (problem: string) => void): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    noteDamage(error.message);
    return undefined;
  }
}
