import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { matches } from "../query/match.ts";
import { wholeBatch } from "./batch.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";

export const listCollections: Command = {
  name: "listCollections",
  fields: ["listCollections", "filter", "nameOnly", "authorizedCollections", "cursor"],
  run: (store, args) => {
    const filter = filterOf(args, "filter");
    const nameOnly = args.flag("nameOnly", false);
    const entries = Array.from(store.catalog.list(args.db), ({ name, collection }) => {
      const uuid = { type: T.binary, value: { subtype: 4, bytes: collection.uuid } };
      const details = {
        options: {},
        info: { readOnly: false, uuid },
        idIndex: { v: 2, key: { _id: 1 }, name: "_id_" },
      };
      return doc({ name, type: "collection", ...(nameOnly ? {} : details) });
    });
    const shown = entries.filter((entry) => matches(filter, entry));
    return wholeBatch(args, `${args.db}.$cmd.listCollections`, shown);
  },
};
