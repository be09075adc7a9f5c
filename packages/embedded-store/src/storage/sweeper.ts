import { Doc } from "../bson/doc.ts";
import { doc } from "../bson/plain.ts";
import { date } from "../bson/value.ts";
import { openQuery } from "../query/cursor.ts";
import type { Expression } from "../query/expression.ts";
import { parseFilter } from "../query/parse.ts";
import type { StoreServer } from "../server.ts";
import type { Store } from "../store.ts";
import type { Collection } from "./collection.ts";
import type { IndexTable, RowId } from "./index-table.ts";

/** Deletes of one sweep and index; the rest waits for the next, so that a sweep never blocks for long. */
const maxDeletes = 1000;

/** Removes expired documents, old replies and idle cursors every `intervalMs`. Returns how to stop it. */
export function startSweeper(store: Store, server: StoreServer, intervalMs: number): () => void {
  const timer = setInterval(() => server.maintain(() => sweep(store)), intervalMs);
  return () => clearInterval(timer);
}

function sweep(store: Store): void {
  store.cursors.removeIdle();
  store.retries.removeOld();
  for (const { collection } of store.catalog.list()) {
    for (const index of collection.indexes) removeExpired(store, collection, index);
  }
}

function removeExpired(store: Store, collection: Collection, index: IndexTable): void {
  const { expireAfterSeconds, fields, partial } = index.spec;
  const field = fields[0]?.field;
  if (expireAfterSeconds === undefined || field === undefined) return;
  const limit = date(store.now() - expireAfterSeconds * 1000);
  const old = parseFilter(doc({ [field]: { $lte: limit } }));
  const filter: Expression = partial ? { kind: "and", parts: [old, partial] } : old;
  const expired: [RowId, Doc][] = [];
  openQuery(collection, { filter, sort: [], skip: 0, limit: maxDeletes }).run((content, row) => {
    expired.push([row, Doc.fromRaw(content)]);
    return true;
  });
  for (const [row, content] of expired) collection.remove(row, content);
}
