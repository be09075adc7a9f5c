import { doc } from "../bson/plain.ts";
import type { Command } from "./command.ts";

export const dropDatabase: Command = {
  name: "dropDatabase",
  fields: ["dropDatabase"],
  run: (store, args) => {
    const names = Array.from(store.catalog.list(args.db), ({ name }) => name);
    for (const name of names) {
      store.cursors.removeOf(`${args.db}.${name}`);
      store.catalog.drop(args.db, name);
    }
    return doc(names.length > 0 ? { dropped: args.db } : {});
  },
};
