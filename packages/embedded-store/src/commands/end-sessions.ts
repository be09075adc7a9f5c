import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import type { Command } from "./command.ts";

export const endSessions: Command = {
  name: "endSessions",
  freesSpace: () => true,
  fields: ["endSessions"],
  run: (store, args) => {
    for (const session of args.docs("endSessions")) {
      const id = session.get("id");
      if (id?.type === T.binary) store.retries.remove(id.value.bytes);
    }
    return doc({});
  },
};
