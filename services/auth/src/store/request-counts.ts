import type { CollectionIndexes } from "@muster/store";
import type { Collection, Db } from "mongodb";

/** The requests of one bucket in one minute. */
interface RequestCountDocument {
  /** The minute and the bucket. */
  _id: string;
  count: number;
  expiresAt: Date;
}

export const requestCountIndexes: CollectionIndexes = {
  collection: "request_counts",
  indexes: [{ name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

const minuteMs = 60_000;

export type RequestCountStore = ReturnType<typeof createRequestCountStore>;

export function createRequestCountStore(db: Db) {
  const collection: Collection<RequestCountDocument> = db.collection(requestCountIndexes.collection);
  return {
    /** Adds to the counters of the minute and returns their totals, in the same order. */
    add: async (nowMs: number, counts: ReadonlyArray<{ bucket: string; added: number }>) => {
      const minute = Math.floor(nowMs / minuteMs);
      const ids = counts.map(({ bucket }) => `${minute}:${bucket}`);
      const expiresAt = new Date((minute + 2) * minuteMs);
      const writes = counts.flatMap(({ added }, index) => {
        const filter = { _id: ids[index] ?? "" };
        const update = { $inc: { count: added }, $setOnInsert: { expiresAt } };
        return added === 0 ? [] : [{ updateOne: { filter, update, upsert: true } }];
      });
      if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
      const found = await collection.find({ _id: { $in: ids } }).toArray();
      const totals = new Map(found.map(({ _id, count }) => [_id, count]));
      return ids.map((id) => totals.get(id) ?? 0);
    },
  };
}

/** How long the minute of the time continues. */
export function restOfMinuteMs(nowMs: number): number {
  return minuteMs - (nowMs % minuteMs);
}
