import { doc } from "../bson/plain.ts";
import { StoreError } from "../errors.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";
import { runStatements } from "./statements.ts";
import { collect } from "./update.ts";

export const deleteCommand: Command = {
  name: "delete",
  fields: ["delete", "deletes", "ordered"],
  retryable: true,
  run: (store, args) => {
    const name = args.string("delete");
    let n = 0;
    const { errors } = runStatements(args.docs("deletes"), args.flag("ordered", true), (statement) => {
      const deletion = new CommandArguments(statement, "delete.deletes");
      deletion.allowOnly(["q", "limit"], false);
      const limit = deletion.count("limit", 0);
      if (limit > 1)
        throw new StoreError("FailedToParse", `The limit of a delete must be 0 or 1. Got ${limit}`);
      const filter = filterOf(deletion, "q");
      const collection = store.catalog.find(args.db, name);
      if (!collection) return;
      const found = collect(collection, { filter, sort: [], skip: 0, limit });
      for (const [row, content] of found) collection.remove(row, content);
      n += found.length;
    });
    return doc({ n, ...errors });
  },
};
