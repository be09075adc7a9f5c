import { doc, type Plain } from "../bson/plain.ts";
import { Doc } from "../bson/value.ts";
import { notSupported } from "../errors.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import type { MemoryShare } from "../query/memory.ts";
import { read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
import type { Collection } from "../storage/collection.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { findQuery } from "./query-arguments.ts";

/** Reports which index a `find` would use, and runs it to count the documents examined. */
export const explain: Command = {
  name: "explain",
  fields: ["explain", "verbosity"],
  run: function* (store, args, { memory }) {
    const explained = args.doc("explain") ?? new Doc();
    const name = explained.firstName() ?? "";
    if (name !== "find") throw notSupported(`Explaining '${name}'`);
    const inner = new CommandArguments(explained, name);
    const collection = store.catalog.find(args.db, inner.string(name));
    const query = findQuery(inner);
    if (!collection) return doc({ queryPlanner: { winningPlan: { stage: "EOF" } } });
    return doc(yield* explainQuery(collection, query, memory));
  },
};

function* explainQuery(
  collection: Collection,
  query: Query,
  memory: MemoryShare,
): Steps<Record<string, Plain>> {
  const opened = openQuery(collection, query, memory);
  let returned = 0;
  yield* read(opened, () => ++returned > 0);
  const { index, ranges, reverse, sorted, residual } = opened.plan;
  const access = index
    ? {
        stage: "IXSCAN",
        indexName: index.spec.name,
        keyPattern: index.spec.source.get("key") ?? new Doc(),
        direction: reverse ? "backward" : "forward",
        ranges: ranges.length,
      }
    : { stage: "COLLSCAN" };
  return {
    queryPlanner: {
      namespace: collection.namespace,
      winningPlan: { ...access, sorts: !sorted, filters: residual !== undefined },
    },
    executionStats: { nReturned: returned, totalDocsExamined: opened.scan.examined },
  };
}
