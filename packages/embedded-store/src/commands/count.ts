import { doc } from "../bson/plain.ts";
import type { Store } from "../open-store.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import type { MemoryShare } from "../query/memory.ts";
import { read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
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

/** The number of documents that a query finds. */
export function* countMatches(
  store: Store,
  { db, name }: Target,
  query: Query,
  memory: MemoryShare,
): Steps<number> {
  const collection = store.catalog.find(db, name);
  let n = 0;
  if (collection) yield* read(openQuery(collection, query, memory), () => ++n > 0);
  return n;
}
