import { Doc } from "../bson/value.ts";
import { openQuery } from "../query/cursor.ts";
import { parseProjection } from "../query/projection.ts";
import { noDocuments } from "../query/source.ts";
import { defaultBatchSize, firstBatch } from "./batch.ts";
import type { Command } from "./command.ts";
import { findQuery } from "./query-arguments.ts";

export const find: Command = {
  name: "find",
  fields: ["find", "filter", "projection", "sort", "skip", "limit", "batchSize", "singleBatch"],
  run: (store, args, { memory, client }) => {
    const name = args.string("find");
    const query = findQuery(args);
    const present = parseProjection(args.doc("projection") ?? new Doc());
    const batchSize = args.count("batchSize", defaultBatchSize);
    const collection = store.catalog.find(args.db, name);
    const source = collection ? openQuery(collection, query, memory) : noDocuments;
    const cursor = { namespace: `${args.db}.${name}`, source, present, memory, client };
    return firstBatch(store, cursor, batchSize, args.flag("singleBatch", false));
  },
};
