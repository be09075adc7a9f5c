import { parsePipeline, runPipeline } from "../aggregate/pipeline.ts";
import { Doc } from "../bson/value.ts";
import { notSupported } from "../errors.ts";
import { CommandArguments } from "./arguments.ts";
import { defaultBatchSize, firstBatch } from "./batch.ts";
import type { Command } from "./command.ts";

export const aggregate: Command = {
  name: "aggregate",
  fields: ["aggregate", "pipeline", "cursor"],
  run: (store, args, { memory, client }) => {
    if (args.value("aggregate")?.type !== 2) throw notSupported("An aggregation without a collection");
    const name = args.string("aggregate");
    const pipeline = parsePipeline(args.docs("pipeline"));
    const options = new CommandArguments(args.doc("cursor") ?? new Doc(), "aggregate.cursor");
    options.allowOnly(["batchSize"], false);
    const source = runPipeline(store.catalog.find(args.db, name), pipeline, memory);
    const present = (content: Buffer) => content;
    const cursor = { namespace: `${args.db}.${name}`, source, present, memory, client };
    return firstBatch(store, cursor, options.count("batchSize", defaultBatchSize));
  },
};
