import { createEventStore, endOf, eventsId, idsOf } from "@muster/store/event-log";
import type { Db } from "mongodb";
import type { UsedSoFar } from "../store/recording-document.ts";
import { type ThreadEvents, threadEventCollection } from "./thread-events.ts";

/** Identifies the timeline of a recording. */
export interface TimelineName {
  projectId: string;
  threadId: string;
  recordingId: string;
}

export type ThreadEventStore = ReturnType<typeof createThreadEventStore>;

export function createThreadEventStore(db: Db) {
  const logs = createEventStore<ThreadEvents>(db, threadEventCollection);
  const events = db.collection<ThreadEvents>(threadEventCollection.collection);
  return {
    ...logs,

    /** The document with the event after `seen`; if there is none, the first one after it. Null: nothing follows. */
    next: async (projectId: string, threadId: string, seen: number): Promise<ThreadEvents | null> => {
      const around = await logs.around(projectId, threadId, seen + 1);
      if (around !== null && endOf(around) > seen) return around;
      return await events.findOne(
        { _id: { $gt: eventsId(threadId, seen + 1), $lt: idsOf(threadId).$lt }, projectId },
        { sort: { _id: 1 } },
      );
    },

    /** Up to `limit` documents of a recording's timeline, in order. `after`: the last one of the previous call. */
    timeline: (
      { projectId, threadId, recordingId }: TimelineName,
      limit: number,
      after = `${threadId}:`,
    ): Promise<ThreadEvents[]> =>
      events
        .find({
          _id: { $gt: after, $lt: idsOf(threadId).$lt },
          projectId,
          "recorded.id": recordingId,
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    /** The usage of the run at the end of a timeline. Null: nothing. */
    usedIn: async ({ projectId, threadId, recordingId }: TimelineName): Promise<UsedSoFar | null> => {
      const found = await events.findOne(
        { _id: idsOf(threadId), projectId, "recorded.id": recordingId },
        { sort: { _id: -1 }, projection: { "recorded.used": 1 } },
      );
      return found?.recorded?.used ?? null;
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
      const last = await logs.last(projectId, threadId);
      const others = { ...idsOf(threadId), ...(last !== null && { $ne: last._id }) };
      await events.updateMany(
        { ...timeline, _id: others },
        { $set: { expiresAt }, $unset: { recorded: "" } },
      );
      if (last !== null) await events.updateOne({ ...timeline, _id: last._id }, { $unset: { recorded: "" } });
    },

    remove: async (projectId: string, threadId: string): Promise<void> => {
      await events.deleteMany({ _id: idsOf(threadId), projectId });
    },
  };
}
