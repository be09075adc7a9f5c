import { createNotices, type Notices } from "@muster/events";
import { auditIndex } from "@muster/events/audit";
import type { Metrics } from "@muster/metrics";
import { createIds, systemClock } from "@muster/service";
import {
  type CollectionIndexes,
  countTakeOver,
  deletion,
  filterOf,
  unlessDuplicate,
  updateOf,
} from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { RecordingDocument, RecordingKey } from "../store/recording-document.ts";
import type { ThreadKey } from "../store/thread-document.ts";
import { claim, type Move, maxAttempts } from "./moves.ts";

const collectionName = "recordings";

export const recordingIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "by_thread", key: { projectId: 1, agentId: 1, threadId: 1, _id: -1 } },
    {
      name: "claimable",
      key: { claimableAt: 1 },
      partialFilterExpression: { claimableAt: { $exists: true } },
    },
    {
      name: "claimable_by_project",
      key: { projectId: 1, claimableAt: 1 },
      partialFilterExpression: { claimableAt: { $exists: true } },
    },
    auditIndex,
    { name: "to_look_at", key: { lookAt: 1 }, partialFilterExpression: { lookAt: { $exists: true } } },
  ],
};

export type RecordingStore = ReturnType<typeof createRecordingStore>;

/** Counts are for dashboards: beyond this, a larger number says nothing more. */
const maxCounted = 10_000;

interface Claim {
  recorder: string;
  now: Date;
  /** When the lease ends. */
  until: Date;
}

/**
 * The only place that writes recordings. Each write is one command on one document, and harmless if repeated. `metrics`: count
 * the recordings that have ended, and those taken from recorders that have died. `notices`: those of rendered recordings.
 */
export function createRecordingStore(
  db: Db,
  metrics?: Metrics,
  notices: Notices = createNotices({ newId: createIds(), clock: systemClock }),
) {
  const recordings: Collection<RecordingDocument> = db.collection(collectionName);
  /** The project whose recording this process gave out last. */
  let lastServed = "";

  return {
    collection: recordings,
    /** Does nothing if it exists. */
    insert: async (recording: RecordingDocument): Promise<void> => {
      await unlessDuplicate(recordings.insertOne(recording));
    },

    find: (key: RecordingKey): Promise<RecordingDocument | null> => recordings.findOne(idFilter(key)),

    /** For callers who know nothing but the id, which cannot be guessed. */
    findAnywhere: (recordingId: string): Promise<RecordingDocument | null> =>
      recordings.findOne({ _id: recordingId }),

    /** The only function that changes a recording. The recording afterwards; null if the move's condition was false. */
    move: async (key: RecordingKey, move: Move): Promise<RecordingDocument | null> => {
      const { to } = move;
      const isNews = to === "ready" || to === "failed";
      const notice = isNews && notices.create({ type: `recording.${to}`, data: { status: to } });
      const moved = await recordings.findOneAndUpdate(
        { ...idFilter(key), ...filterOf(move) },
        updateOf(notice ? { ...move, push: { ...move.push, outbox: notice } } : move),
        {
          ...inOrder,
          ...(to === "deleted" && deletion),
        },
      );
      if (moved !== null && notice) notices.wake(key.projectId);
      if (moved !== null && (to === "ready" || to === "failed" || to === "deleted"))
        metrics?.count("muster_recordings_total", { outcome: to });
      return moved;
    },

    /**
     * Gives a recorder the recording, or without a key the one of the next project that has waited the longest: projects take
     * turns, so that one with hundreds of videos does not delay the others by hours.
     */
    claim: async ({ recorder, now, until }: Claim, key?: RecordingKey): Promise<RecordingDocument | null> => {
      const move = claim(recorder, now, until);
      const give = (which: Filter<RecordingDocument>) =>
        recordings.findOneAndUpdate({ ...which, ...filterOf(move) }, updateOf(move), {
          returnDocument: "before",
          ...(key === undefined && { sort: { projectId: 1, claimableAt: 1 } }),
        });
      const before = await (key === undefined
        ? ((await give({ projectId: { $gt: lastServed } })) ?? give({ projectId: { $lte: lastServed } }))
        : give(idFilter(key)));
      if (before === null) return null;
      if (key === undefined) lastServed = before.projectId;
      countTakeOver(metrics, "recording", before.lease);
      const { epoch, attempts } = before;
      const claimed = { epoch: epoch + 1, attempts: attempts + 1, claimableAt: until };
      return { ...before, ...claimed, lease: { recorder, until } };
    },

    /** How many wait for a recorder, up to 10,000. */
    countClaimable: (now: Date): Promise<number> =>
      recordings.countDocuments({ claimableAt: { $lte: now } }, { limit: maxCounted }),

    /** Recordings of any project that the sweep has to check, those that wait the longest first. */
    toLookAt: (now: Date, limit: number): Promise<RecordingDocument[]> =>
      recordings
        .find({ lookAt: { $lte: now } })
        .sort({ lookAt: 1 })
        .limit(limit)
        .toArray(),

    /** Those of a thread, newest first. `before`: only older ones. */
    ofThread: (
      { projectId, agentId, threadId }: ThreadKey,
      limit: number,
      before?: string,
    ): Promise<RecordingDocument[]> =>
      recordings
        .find({ projectId, agentId, threadId, ...(before !== undefined && { _id: { $lt: before } }) })
        .sort({ projectId: 1, agentId: 1, threadId: 1, _id: -1 })
        .limit(limit)
        .toArray(),
  };
}

const inOrder = { returnDocument: "after" } as const;

function idFilter({ recordingId: _id, projectId }: RecordingKey): Filter<RecordingDocument> {
  return { _id, projectId };
}

/** No attempt is left for it. */
export function isUsedUp({ attempts }: Pick<RecordingDocument, "attempts">): boolean {
  return attempts >= maxAttempts;
}
