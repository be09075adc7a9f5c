import { encodeDoc } from "../bson/encode.ts";
import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { fromMemory } from "../query/source.ts";
import { CommandArguments } from "./arguments.ts";
import { firstBatch } from "./batch.ts";
import type { Command } from "./command.ts";

export const listIndexes: Command = {
  name: "listIndexes",
  fields: ["listIndexes", "cursor"],
  run: (store, args, { memory, client }) => {
    const name = args.string("listIndexes");
    const namespace = `${args.db}.${name}`;
    const collection = store.catalog.find(args.db, name);
    if (!collection) throw new StoreError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    const options = new CommandArguments(args.doc("cursor") ?? new Doc(), "listIndexes.cursor");
    options.allowOnly(["batchSize"], false);
    const specs = collection.indexes.map(({ spec }) => encodeDoc(shown(spec.source)));
    const present = (content: Buffer) => content;
    const cursor = { namespace, source: fromMemory(specs), present, memory, client };
    return firstBatch(store, cursor, options.count("batchSize", Number.MAX_SAFE_INTEGER));
  },
};

// MongoDB does not list `unique` for `_id`.
function shown(source: Doc): Doc {
  const name = source.get("name");
  return name?.value === "_id_" ? new Doc([...source].filter(([field]) => field !== "unique")) : source;
}
