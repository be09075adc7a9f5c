import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { array, List } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Command } from "./command.ts";

export const killCursors: Command = {
  name: "killCursors",
  fields: ["killCursors", "cursors"],
  run: (store, args) => {
    const ids = args.value("cursors");
    if (ids?.type !== T.array) throw new StoreError("TypeMismatch", "'killCursors.cursors' must be an array");
    const killed = ids.value.items.filter((id) => id.type === T.int64 && store.cursors.remove(id.value));
    const missing = ids.value.items.filter((id) => !killed.includes(id));
    const list = (items: typeof killed) => array(new List(items));
    return doc({
      cursorsKilled: list(killed),
      cursorsNotFound: list(missing),
      cursorsAlive: [],
      cursorsUnknown: [],
    });
  },
};
