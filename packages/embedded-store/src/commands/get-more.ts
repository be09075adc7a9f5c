import { doc } from "../bson/plain.ts";
import { T } from "../bson/types.ts";
import { type Doc, int64 } from "../bson/value.ts";
import { StoreError } from "../errors.ts";
import type { Store } from "../open-store.ts";
import type { Steps } from "../steps.ts";
import type { OpenCursor } from "../storage/cursor-table.ts";
import { nextBatch, rawDocs } from "./batch.ts";
import type { Command } from "./command.ts";

export const getMore: Command = {
  name: "getMore",
  fields: ["getMore", "collection", "batchSize"],
  run: (store, args, { client }) => {
    const id = args.value("getMore");
    const namespace = `${args.db}.${args.string("collection")}`;
    const cursor = id?.type === T.int64 ? store.cursors.get(id.value, client) : undefined;
    if (id?.type !== T.int64 || cursor?.namespace !== namespace) {
      throw new StoreError("CursorNotFound", `cursor id ${id?.type === T.int64 ? id.value : "?"} not found`);
    }
    if (cursor.isInUse) throw new StoreError("CursorInUse", `cursor id ${id.value} is already in use`);
    return readMore(store, id.value, cursor, args.count("batchSize", 0) || Number.POSITIVE_INFINITY);
  },
};

function* readMore(store: Store, id: bigint, cursor: OpenCursor, size: number): Steps<Doc> {
  const steps = nextBatch(store, cursor, size);
  cursor.isInUse = true;
  let isIntact = false;
  try {
    for (;;) {
      const step = steps.next();
      if (step.done) {
        const { batch, ended } = step.value;
        isIntact = true;
        if (ended) store.cursors.remove(id);
        return doc({
          cursor: { nextBatch: rawDocs(batch), id: int64(ended ? 0n : id), ns: cursor.namespace },
        });
      }
      yield;
      if (store.cursors.get(id, cursor.client) !== cursor)
        throw new StoreError("CursorKilled", `cursor id ${id} was killed`);
    }
  } finally {
    cursor.isInUse = false;
    // Documents that were read for an interrupted batch would be missing from the next one.
    if (!isIntact) store.cursors.remove(id);
  }
}
