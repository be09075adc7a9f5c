import { doc } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import { conjuncts } from "../query/expression.ts";
import { type DocumentSource, read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
import type { Store } from "../store.ts";
import type { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";

export const count: Command = {
  name: "count",
  fields: ["count", "query", "limit", "skip"],
  run: (store, args, { memory }) => {
    const filter = filterOf(args, "query");
    const query = {
      filter,
      sort: [],
      skip: args.count("skip", 0),
      limit: Math.abs(args.integer("limit", 0)),
    };
    const collection = store.catalog.find(args.db, args.string("count"));
    if (!collection) return doc({ n: 0 });
    // The driver's estimatedDocumentCount: no scan.
    if (conjuncts(filter).length === 0) return estimate(store, args, query);
    return countAll(openQuery(collection, query, memory));
  },
};

function* estimate(store: Store, args: CommandArguments, query: Query): Steps<Doc> {
  const total = yield* countDocuments(store, args.db, args.string("count"));
  return doc({ n: windowSize(total, query) });
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

function* countAll(source: DocumentSource): Steps<Doc> {
  let n = 0;
  yield* read(source, () => ++n > 0);
  return doc({ n });
}

function windowSize(total: number, { skip, limit }: Query): number {
  const rest = Math.max(0, total - skip);
  return limit === 0 ? rest : Math.min(rest, limit);
}
