import { doc } from "../bson/plain.ts";
import { StoreError } from "../errors.ts";
import type { Command } from "./command.ts";

export const create: Command = {
  name: "create",
  fields: ["create"],
  run: (store, args) => {
    const name = args.string("create");
    if (store.catalog.find(args.db, name)) {
      throw new StoreError("NamespaceExists", `Collection ${args.db}.${name} already exists.`);
    }
    store.catalog.create(args.db, name);
    return doc({});
  },
};
