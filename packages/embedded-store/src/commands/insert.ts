import { doc } from "../bson/plain.ts";
import { toInsert } from "../update/update-one.ts";
import type { Command } from "./command.ts";
import { runStatements } from "./statements.ts";

export const insert: Command = {
  name: "insert",
  fields: ["insert", "documents", "ordered"],
  freesSpace: (args) => args.isDeletion,
  run: function* (store, args, work) {
    const documents = args.docs("documents");
    const name = args.string("insert");
    store.catalog.ensure(args.db, name);
    const ordered = args.flag("ordered", true);
    const { n, errors } = yield* runStatements(store, documents, ordered, work, (document, outcome) => {
      // Repeated for each document: between two slices, others may drop the collection.
      store.catalog.ensure(args.db, name).insert(toInsert(document));
      outcome.n++;
    });
    return doc({ n, ...errors });
  },
};
