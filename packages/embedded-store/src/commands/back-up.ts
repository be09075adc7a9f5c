import { isAbsolute } from "node:path";
import { BackupError, copyTo } from "../backup/copy.ts";
import { doc } from "../bson/plain.ts";
import { notSupported, StoreError } from "../errors.ts";
import type { Command } from "./command.ts";

/** Not a command of MongoDB: copies the store into a new file, whose path is the operand. */
export const backUp: Command = {
  name: "backUp",
  fields: ["backUp"],
  run: function* (store, args) {
    const file = args.string("backUp");
    // Only the owner of the directory can connect to its socket; over TCP any client could write files.
    if (!isAbsolute(store.address)) throw notSupported("A backup over TCP");
    if (!isAbsolute(file)) throw new StoreError("BadValue", "The path of a backup must be absolute");
    let isStopped = false;
    let failure: unknown;
    try {
      yield copyTo(store.database, file, () => isStopped).catch((error: unknown) => {
        failure = error;
      });
    } finally {
      isStopped = true;
    }
    if (failure instanceof BackupError) throw new StoreError("OperationFailed", failure.message);
    if (failure) throw failure;
    return doc({});
  },
};
