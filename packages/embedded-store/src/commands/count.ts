import { doc } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import { conjuncts } from "../query/expression.ts";
import { type DocumentSource, read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
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
    if (conjuncts(filter).length === 0) return doc({ n: windowSize(collection.count, query) });
    return countAll(openQuery(collection, query, memory));
  },
};

function* countAll(source: DocumentSource): Steps<Doc> {
  let n = 0;
  yield* read(source, () => ++n > 0);
  return doc({ n });
}

function windowSize(total: number, { skip, limit }: Query): number {
  const rest = Math.max(0, total - skip);
  return limit === 0 ? rest : Math.min(rest, limit);
}
