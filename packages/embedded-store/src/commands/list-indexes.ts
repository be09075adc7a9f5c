import { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { wholeBatch } from "./batch.ts";
import type { Command } from "./command.ts";

export const listIndexes: Command = {
  name: "listIndexes",
  fields: ["listIndexes", "cursor"],
  run: (store, args) => {
    const name = args.string("listIndexes");
    const namespace = `${args.db}.${name}`;
    const collection = store.catalog.find(args.db, name);
    if (!collection) throw new StoreError("NamespaceNotFound", `ns does not exist: ${namespace}`);
    return wholeBatch(
      args,
      namespace,
      collection.indexes.map(({ spec }) => shown(spec.source)),
    );
  },
};

// MongoDB does not list `unique` for `_id`.
function shown(source: Doc): Doc {
  const name = source.get("name");
  return name?.value === "_id_" ? new Doc([...source].filter(([field]) => field !== "unique")) : source;
}
