import { doc } from "../bson/plain.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import { conjuncts } from "../query/expression.ts";
import type { MemoryShare } from "../query/memory.ts";
import { read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
import type { Store } from "../store.ts";
import type { Command } from "./command.ts";
import type { Target } from "./matches.ts";
import { filterOf } from "./query-arguments.ts";

export const count: Command = {
  name: "count",
  fields: ["count", "query", "limit", "skip"],
  run: function* (store, args, { memory }) {
    const query = {
      filter: filterOf(args, "query"),
      sort: [],
      skip: args.count("skip", 0),
      limit: Math.abs(args.integer("limit", 0)),
    };
    return doc({ n: yield* countMatches(store, { db: args.db, name: args.string("count") }, query, memory) });
  },
};

/** The number of documents that a query finds. Without conditions, nothing is read. */
export function* countMatches(
  store: Store,
  target: Target,
  query: Query,
  memory: MemoryShare,
): Steps<number> {
  const collection = store.catalog.find(target.db, target.name);
  if (!collection) return 0;
  if (conjuncts(query.filter).length === 0)
    return windowSize(yield* countDocuments(store, target.db, target.name), query);
  let n = 0;
  yield* read(openQuery(collection, query, memory), () => ++n > 0);
  return n;
}

/** The number of documents in a collection. Once it has been counted, this costs nothing. */
export function* countDocuments(store: Store, db: string, name: string): Steps<number> {
  for (;;) {
    // Anew for each slice: a rollback reloads the collections.
    const collection = store.catalog.find(db, name);
    const total = collection ? collection.count.advance() : 0;
    if (total !== undefined) return total;
    yield;
  }
}

/** Counts all collections, so that later counts cost nothing. */
export function* countCollections(store: Store): Steps<undefined> {
  for (const { db, name } of [...store.catalog.list()]) yield* countDocuments(store, db, name);
  return undefined;
}

function windowSize(total: number, { skip, limit }: Query): number {
  const rest = Math.max(0, total - skip);
  return limit === 0 ? rest : Math.min(rest, limit);
}
