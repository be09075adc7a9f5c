import { equalValues } from "../bson/compare.ts";
import { doc } from "../bson/plain.ts";
import { Doc, document } from "../bson/value.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Query } from "../query/cursor.ts";
import { CommandArguments } from "./arguments.ts";
import { wholeBatch } from "./batch.ts";
import type { Command } from "./command.ts";
import { countMatches } from "./count.ts";
import { filterOf } from "./query-arguments.ts";

/** Only the pipeline that the driver's countDocuments sends. */
export const aggregate: Command = {
  name: "aggregate",
  fields: ["aggregate", "pipeline", "cursor"],
  run: function* (store, args, { memory }) {
    if (args.value("aggregate")?.type !== 2) throw notSupported("An aggregation without a collection");
    const name = args.string("aggregate");
    const query = countedBy(args.docs("pipeline"));
    const n = yield* countMatches(store, { db: args.db, name }, query, memory);
    return wholeBatch(args, `${args.db}.${name}`, n > 0 ? [doc({ _id: 1, n })] : []);
  },
};

const counting = document(doc({ _id: 1, n: { $sum: 1 } }));

function countedBy(pipeline: readonly Doc[]): Query {
  const names = pipeline.map((stage) => [...stage.fields.keys()].join("+")).join();
  const stages = new CommandArguments(new Doc(pipeline.flatMap((stage) => [...stage])), "pipeline");
  const group = stages.value("$group");
  if (!/^\$match,(\$skip,)?(\$limit,)?\$group$/.test(names) || !group || !equalValues(group, counting))
    throw notSupported("A pipeline other than that of countDocuments ($match, $skip, $limit, $group)");
  const limit = stages.count("$limit", 0);
  if (stages.value("$limit") && limit === 0)
    throw new StoreError("Location15958", "the limit must be positive");
  return { filter: filterOf(stages, "$match"), sort: [], skip: stages.count("$skip", 0), limit };
}
