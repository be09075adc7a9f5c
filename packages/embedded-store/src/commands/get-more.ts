import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { int64 } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import { nextBatch, rawDocs } from "./batch.ts";
import type { Command } from "./command.ts";

export const getMore: Command = {
  name: "getMore",
  fields: ["getMore", "collection", "batchSize"],
  run: (store, args) => {
    const id = args.value("getMore");
    const namespace = `${args.db}.${args.string("collection")}`;
    const cursor = id?.type === T.int64 ? store.cursors.get(id.value) : undefined;
    if (id?.type !== T.int64 || cursor?.namespace !== namespace) {
      throw new StoreError("CursorNotFound", `cursor id ${id?.type === T.int64 ? id.value : "?"} not found`);
    }
    const size = args.count("batchSize", 0) || Number.POSITIVE_INFINITY;
    const { batch, ended } = nextBatch(cursor, size);
    if (ended) store.cursors.remove(id.value);
    return doc({ cursor: { nextBatch: rawDocs(batch), id: int64(ended ? 0n : id.value), ns: namespace } });
  },
};
