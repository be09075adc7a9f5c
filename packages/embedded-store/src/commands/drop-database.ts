import { doc } from "../bson/plain.ts";
import { StoreError } from "../errors.ts";
import type { Command } from "./command.ts";

export const dropDatabase: Command = {
  name: "dropDatabase",
  freesSpace: () => true,
  fields: ["dropDatabase"],
  run: (store, args) => {
    if (["admin", "config", "local"].includes(args.db)) {
      throw new StoreError("IllegalOperation", `Cannot drop the database '${args.db}' of a replica set`);
    }
    const names = Array.from(store.catalog.list(args.db), ({ name }) => name);
    for (const name of names) {
      store.cursors.removeOf(`${args.db}.${name}`);
      store.catalog.drop(args.db, name);
    }
    return doc(names.length > 0 ? { dropped: args.db } : {});
  },
};
