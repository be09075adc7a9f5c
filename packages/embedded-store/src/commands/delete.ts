import { doc } from "../bson/plain.ts";
import type { Doc } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { parseFilter } from "../query/parse.ts";
import { CommandArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { runStatements } from "./statements.ts";
import { collect } from "./update.ts";

export const deleteCommand: Command = {
  name: "delete",
  freesSpace: () => true,
  fields: ["delete", "deletes", "ordered"],
  retryable: true,
  run: (store, args) => {
    const name = args.string("delete");
    let n = 0;
    const deletions = args.docs("deletes").map(readStatement);
    const { errors } = runStatements(deletions, args.flag("ordered", true), ({ q, limit }) => {
      const filter = parseFilter(q);
      const collection = store.catalog.find(args.db, name);
      if (!collection) return;
      const found = collect(collection, { filter, sort: [], skip: 0, limit });
      for (const [row, content] of found) {
        store.database.checkTime();
        collection.remove(row, content);
      }
      n += found.length;
    });
    return doc({ n, ...errors });
  },
};

// Read before any statement runs: a malformed statement fails the whole command.
function readStatement(statement: Doc): { q: Doc; limit: number } {
  const deletion = new CommandArguments(statement, "delete.deletes");
  deletion.allowOnly(["q", "limit"], false);
  const q = deletion.requiredDoc("q");
  const limit = deletion.requiredInteger("limit");
  if (limit === 0 || limit === 1) return { q, limit };
  throw new StoreError("FailedToParse", `The limit of a delete must be 0 or 1. Got ${limit}`);
}
