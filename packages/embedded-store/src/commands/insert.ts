import { doc } from "../bson/plain.ts";
import { withId } from "../update/update-one.ts";
import type { Command } from "./command.ts";
import { runStatements } from "./statements.ts";

export const insert: Command = {
  name: "insert",
  fields: ["insert", "documents", "ordered"],
  retryable: true,
  run: (store, args) => {
    const documents = args.docs("documents");
    const collection = store.catalog.ensure(args.db, args.string("insert"));
    const { done, errors } = runStatements(documents, args.flag("ordered", true), (document) => {
      collection.insert(withId(document));
    });
    return doc({ n: done, ...errors });
  },
};
