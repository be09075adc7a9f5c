import { type CollectionIndexes, isDuplicateKey } from "@muster/store";
import type { Collection, Db } from "mongodb";
import {
  endOf,
  eventsId,
  idsOfThread,
  type LastEvents,
  type ThreadEventsDocument,
} from "./thread-events-document.ts";

const collectionName = "thread_events";

/** The store removes events that are not kept any more. */
export const threadEventIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: "expires_at", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

export type ThreadEventStore = ReturnType<typeof createThreadEventStore>;

const withoutEvents = { projection: { events: 0 } } as const;

export function createThreadEventStore(db: Db) {
  const events: Collection<ThreadEventsDocument> = db.collection(collectionName);
  return {
    /** Returns the ids that another writer has taken; all other documents are stored. Safe to repeat. */
    insert: async (documents: ThreadEventsDocument[]): Promise<ReadonlySet<string>> => {
      try {
        await events.insertMany(documents, { ordered: false });
        return new Set();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const mine = new Map(documents.map(({ _id, writer }) => [_id, writer]));
        const stored = events.find({ _id: { $in: [...mine.keys()] } }, { projection: { writer: 1 } });
        const foreign = (await stored.toArray()).filter(({ _id, writer }) => mine.get(_id) !== writer);
        return new Set(foreign.map(({ _id }) => _id));
      }
    },

    /** The thread's last document. */
    last: (projectId: string, threadId: string): Promise<LastEvents | null> =>
      events.findOne({ _id: idsOfThread(threadId), projectId }, { sort: { _id: -1 }, ...withoutEvents }),

    /** The document with the event after `seen`; if there is none, the first one after it. Null: nothing follows. */
    next: async (projectId: string, threadId: string, seen: number): Promise<ThreadEventsDocument | null> => {
      const around = await events.findOne(
        { _id: { $gte: eventsId(threadId, 0), $lte: eventsId(threadId, seen + 1) }, projectId },
        { sort: { _id: -1 } },
      );
      if (around !== null && endOf(around) > seen) return around;
      return await events.findOne(
        { _id: { $gt: eventsId(threadId, seen + 1), $lt: idsOfThread(threadId).$lt }, projectId },
        { sort: { _id: 1 } },
      );
    },

    /** Keeps all events of the thread until then. `beside`: the document that stays as it is. */
    keepUntil: async (
      projectId: string,
      threadId: string,
      expiresAt: Date,
      beside?: string,
    ): Promise<void> => {
      const ids = { ...idsOfThread(threadId), ...(beside !== undefined && { $ne: beside }) };
      await events.updateMany({ _id: ids, projectId }, { $set: { expiresAt } });
    },

    remove: async (projectId: string, threadId: string): Promise<void> => {
      await events.deleteMany({ _id: idsOfThread(threadId), projectId });
    },
  };
}
