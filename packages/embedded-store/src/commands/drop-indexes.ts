import { doc } from "../bson/plain.ts";
import { StoreError } from "../errors.ts";
import type { Command } from "./command.ts";

/** Dropping a missing index succeeds, as on MongoDB 9. */
export const dropIndexes: Command = {
  name: "dropIndexes",
  freesSpace: () => true,
  fields: ["dropIndexes", "index"],
  run: (store, args) => {
    const collection = store.catalog.find(args.db, args.string("dropIndexes"));
    if (!collection)
      throw new StoreError("NamespaceNotFound", `ns not found ${args.db}.${args.string("dropIndexes")}`);
    const before = collection.indexes.length;
    const name = args.string("index");
    if (name === "_id_") throw new StoreError("InvalidOptions", "cannot drop _id index");
    const dropped = collection.indexes.filter(
      ({ spec }) => spec.name !== "_id_" && (name === "*" || spec.name === name),
    );
    store.cursors.removeOf(collection.namespace);
    for (const index of dropped) store.catalog.dropIndex(collection, index);
    return doc({ nIndexesWas: before });
  },
};
