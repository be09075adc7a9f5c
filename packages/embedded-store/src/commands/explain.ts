import { parsePipeline } from "../aggregate/pipeline.ts";
import { doc, type Plain } from "../bson/plain.ts";
import { Doc } from "../bson/value.ts";
import { notSupported } from "../errors.ts";
import { own } from "../own.ts";
import { openQuery, type Query } from "../query/cursor.ts";
import type { MemoryShare } from "../query/memory.ts";
import { read } from "../query/source.ts";
import type { Steps } from "../steps.ts";
import type { Collection } from "../storage/collection.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { filterOf, firstOf, requiredFilterOf, sortOf } from "./query-arguments.ts";

/** Reports which index a command would use, and runs its query (never its writes) to count the documents examined. */
export const explain: Command = {
  name: "explain",
  fields: ["explain", "verbosity"],
  run: function* (store, args, { memory }) {
    const explained = args.doc("explain") ?? new Doc();
    const name = explained.firstName() ?? "";
    const read = own(queries, name);
    if (!read) throw notSupported(`Explaining '${name}'`);
    const inner = new CommandArguments(explained, name);
    const collection = store.catalog.find(args.db, inner.string(name));
    const query = read(inner);
    if (!collection) return doc({ queryPlanner: { winningPlan: { stage: "EOF" } } });
    return doc(yield* explainQuery(collection, query, memory));
  },
};

const queries: Readonly<Record<string, (args: CommandArguments) => Query>> = {
  find: (args) => ({
    filter: filterOf(args, "filter"),
    sort: sortOf(args),
    skip: args.count("skip", 0),
    limit: args.count("limit", 0),
  }),
  aggregate: (args) => parsePipeline(args.docs("pipeline")).query,
  count: (args) => ({ filter: filterOf(args, "query"), sort: [], skip: 0, limit: 0 }),
  distinct: (args) => ({ filter: filterOf(args, "query"), sort: [], skip: 0, limit: 0 }),
  findAndModify: (args) => firstOf(requiredFilterOf(args, "query"), sortOf(args)),
  update: (args) => statementQuery(args, "updates", (statement) => !statement.flag("multi", false)),
  delete: (args) => statementQuery(args, "deletes", (statement) => statement.count("limit", 0) === 1),
};

function statementQuery(
  args: CommandArguments,
  list: string,
  single: (args: CommandArguments) => boolean,
): Query {
  const statement = new CommandArguments(args.docs(list)[0] ?? new Doc(), list);
  return {
    filter: requiredFilterOf(statement, "q"),
    sort: sortOf(statement),
    skip: 0,
    limit: single(statement) ? 1 : 0,
  };
}

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
