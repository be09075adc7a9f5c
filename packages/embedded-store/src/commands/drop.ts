import { doc } from "../bson/plain.ts";
import type { Command } from "./command.ts";

/** Dropping a missing collection succeeds, as on MongoDB 7 and later. */
export const drop: Command = {
  name: "drop",
  freesSpace: () => true,
  fields: ["drop"],
  run: (store, args) => {
    const name = args.string("drop");
    store.cursors.removeOf(`${args.db}.${name}`);
    const indexes = store.catalog.find(args.db, name)?.indexes.length ?? 0;
    return doc(store.catalog.drop(args.db, name) ? { nIndexesWas: indexes, ns: `${args.db}.${name}` } : {});
  },
};
