import { doc } from "../bson/plain.ts";
import { matches } from "../query/match.ts";
import type { Command } from "./command.ts";
import { filterOf } from "./query-arguments.ts";

export const listDatabases: Command = {
  name: "listDatabases",
  fields: ["listDatabases", "filter", "nameOnly", "authorizedDatabases"],
  run: (store, args) => {
    const filter = filterOf(args, "filter");
    const names = new Set(Array.from(store.catalog.list(), ({ db }) => db));
    const databases = Array.from(names, (name) => doc({ name })).filter((entry) => matches(filter, entry));
    return doc({ databases });
  },
};
