import { encodeDoc } from "../bson/encode.ts";
import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { Doc } from "../bson/value.ts";
import { matches } from "../query/match.ts";
import { fromMemory } from "../query/source.ts";
import { CommandArguments } from "./arguments.ts";
import { firstBatch } from "./batch.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";

export const listCollections: Command = {
  name: "listCollections",
  fields: ["listCollections", "filter", "nameOnly", "authorizedCollections", "cursor"],
  run: (store, args, { memory, client }) => {
    const filter = filterOf(args, "filter");
    const nameOnly = args.flag("nameOnly", false);
    const options = new CommandArguments(args.doc("cursor") ?? new Doc(), "listCollections.cursor");
    options.allowOnly(["batchSize"], false);
    const entries = Array.from(store.catalog.list(args.db), ({ name, collection }) => {
      const uuid = { type: T.binary, value: { subtype: 4, bytes: collection.uuid } };
      const details = {
        options: {},
        info: { readOnly: false, uuid },
        idIndex: { v: 2, key: { _id: 1 }, name: "_id_" },
      };
      return doc({ name, type: "collection", ...(nameOnly ? {} : details) });
    });
    const shown = entries.filter((entry) => matches(filter, entry)).map(encodeDoc);
    const namespace = `${args.db}.$cmd.listCollections`;
    const present = (content: Buffer) => content;
    const cursor = { namespace, source: fromMemory(shown), present, memory, client };
    return firstBatch(store, cursor, options.count("batchSize", Number.MAX_SAFE_INTEGER));
  },
};
