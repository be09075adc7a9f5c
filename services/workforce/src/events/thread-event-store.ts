import { type CollectionIndexes, isDuplicateKey } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { UsedSoFar } from "../store/recording-document.ts";
import {
  endOf,
  eventsId,
  idsOfThread,
  type LastEvents,
  type ThreadEventsDocument,
} from "./thread-events-document.ts";

const collectionName = "thread_events";

/** The store removes events that are no longer kept. */
export const threadEventIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: "expires_at", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** Identifies the timeline of a recording. */
export interface TimelineName {
  projectId: string;
  threadId: string;
  recordingId: string;
}

export type ThreadEventStore = ReturnType<typeof createThreadEventStore>;

/** The last document, without everything that can be large. */
const lastFirst = {
  sort: { _id: -1 },
  projection: { events: 0, "recorded.lines": 0, "recorded.times": 0 },
} as const;

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
      events.findOne({ _id: idsOfThread(threadId), projectId }, lastFirst),

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

    /**
     * Keeps all events of the thread until then, except those of recordings. `beside`: the document that stays
     * unchanged.
     */
    keepUntil: async (
      projectId: string,
      threadId: string,
      expiresAt: Date,
      beside?: string,
    ): Promise<void> => {
      const ids = { ...idsOfThread(threadId), ...(beside !== undefined && { $ne: beside }) };
      await events.updateMany({ _id: ids, projectId, recorded: { $exists: false } }, { $set: { expiresAt } });
    },

    /** Up to `limit` documents of a recording's timeline, in order. `after`: the last one of the previous call. */
    timeline: (
      { projectId, threadId, recordingId }: TimelineName,
      limit: number,
      after = `${threadId}:`,
    ): Promise<ThreadEventsDocument[]> =>
      events
        .find({
          _id: { $gt: after, $lt: idsOfThread(threadId).$lt },
          projectId,
          "recorded.id": recordingId,
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    /** The usage of the run at the end of a timeline. Null: nothing. */
    usedIn: async ({ projectId, threadId, recordingId }: TimelineName): Promise<UsedSoFar | null> => {
      const name = { _id: idsOfThread(threadId), projectId, "recorded.id": recordingId };
      return (await events.findOne(name, lastFirst))?.recorded?.used ?? null;
    },

    /**
     * The timeline is no longer needed. Events of the thread that can still be read stay until then. Safe to repeat.
     */
    releaseTimeline: async (
      { projectId, threadId, recordingId }: TimelineName,
      expiresAt: Date,
    ): Promise<void> => {
      const timeline = { projectId, "recorded.id": recordingId };
      // The thread's last event stays for good: the numbers of a later run follow it.
      const last = await events.findOne({ _id: idsOfThread(threadId), projectId }, lastFirst);
      const others = { ...idsOfThread(threadId), ...(last !== null && { $ne: last._id }) };
      await events.updateMany(
        { ...timeline, _id: others },
        { $set: { expiresAt }, $unset: { recorded: "" } },
      );
      if (last !== null) await events.updateOne({ ...timeline, _id: last._id }, { $unset: { recorded: "" } });
    },

    remove: async (projectId: string, threadId: string): Promise<void> => {
      await events.deleteMany({ _id: idsOfThread(threadId), projectId });
    },
  };
}
