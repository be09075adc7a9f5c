import { doc } from "../bson/plain.ts";
import { openQuery } from "../query/cursor.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";

export const count: Command = {
  name: "count",
  fields: ["count", "query", "limit", "skip"],
  run: (store, args) => {
    const filter = filterOf(args, "query");
    const query = {
      filter,
      sort: [],
      skip: args.count("skip", 0),
      limit: Math.abs(args.integer("limit", 0)),
    };
    const collection = store.catalog.find(args.db, args.string("count"));
    let n = 0;
    if (collection) openQuery(collection, query).run(() => ++n > 0);
    return doc({ n });
  },
};
