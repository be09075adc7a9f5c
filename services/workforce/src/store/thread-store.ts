import { createNotices, type Notices } from "@muster/events";
import type { Metrics } from "@muster/metrics";
import { createIds, systemClock } from "@muster/service";
import { type CollectionIndexes, type deletion, filterOf, unlessDuplicate, updateOf } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { ThreadDocument, ThreadKey } from "./thread-document.ts";
import { type Move, noticeOf } from "./thread-moves.ts";
import { isFinal } from "./thread-transitions.ts";

const collectionName = "threads";

export const threadIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "by_agent", key: { projectId: 1, agentId: 1, _id: -1 } },
    { name: "by_project", key: { projectId: 1, _id: -1 } },
    { name: "by_status", key: { projectId: 1, status: 1, _id: -1 } },
    {
      name: "by_idempotency_key",
      key: { agentId: 1, "idem.key": 1 },
      unique: true,
      partialFilterExpression: { "idem.key": { $exists: true } },
    },
    {
      name: "waiting",
      key: { "waitingFor.lookAt": 1 },
      partialFilterExpression: { "waitingFor.lookAt": { $exists: true } },
    },
    { name: "open", key: { openSince: 1 }, partialFilterExpression: { openSince: { $exists: true } } },
  ],
};

/** The fields that tell readers whether a thread has changed. */
export type ThreadState = Pick<
  ThreadDocument,
  | "_id"
  | "accepted"
  | "rev"
  | "status"
  | "messageCount"
  | "runId"
  | "epoch"
  | "completedAt"
  | "recording"
  | "waitingFor"
>;

const stateFields = {
  ...{ accepted: 1, rev: 1, status: 1, messageCount: 1 },
  ...{ runId: 1, epoch: 1, completedAt: 1, recording: 1, waitingFor: 1 },
} as const;

/** The fields that lists show. */
export type ListedThread = Pick<
  ThreadDocument,
  "_id" | "agentId" | "status" | "title" | "createdAt" | "completedAt" | "waitingFor"
>;

const listedFields = {
  ...{ agentId: 1, status: 1, title: 1 },
  ...{ createdAt: 1, completedAt: 1, waitingFor: 1 },
} as const;

/** The threads of a list: of one agent or of all, with one status or with any. */
export type ThreadFilter = Pick<ThreadDocument, "projectId"> &
  Partial<Pick<ThreadDocument, "agentId" | "status">>;

export type ThreadStore = ReturnType<typeof createThreadStore>;

/**
 * The only place that writes threads. Each write is one command on one document, and harmless if repeated. `metrics`: count
 * the threads whose work has ended. `notices`: those of changes of the status.
 */
export function createThreadStore(
  db: Db,
  metrics?: Metrics,
  notices: Notices = createNotices({ newId: createIds(), clock: systemClock }),
) {
  const threads: Collection<ThreadDocument> = db.collection(collectionName);

  return {
    collection: threads,
    /** Null, or the thread that the same idempotency key has started. */
    insert: async (thread: ThreadDocument): Promise<ThreadDocument | null> => {
      const { _id, projectId, agentId, idem } = thread;
      const notice = noticeOf({ to: thread.status, set: { ...thread } });
      const outbox = notice && [notices.create(notice)];
      while (!(await unlessDuplicate(threads.insertOne({ ...thread, ...(outbox && { outbox }) })))) {
        // The first attempt of this very command may have arrived.
        if ((await threads.findOne({ _id, projectId })) !== null) return null;
        if (idem === undefined) throw new Error(`${_id} is the id of a thread of another project.`);
        const other = await threads.findOne({ projectId, agentId, "idem.key": idem.key });
        if (other !== null) return other;
        // The other request was refused meanwhile, so its key is free.
      }
      if (outbox) notices.wake(projectId);
      return null;
    },

    /** The thread that a request with this key has started. */
    findByIdempotencyKey: (
      { projectId, agentId }: Omit<ThreadKey, "threadId">,
      key: string,
    ): Promise<ThreadDocument | null> => threads.findOne({ projectId, agentId, "idem.key": key }),

    /** Finds threads that are not accepted yet, too. */
    find: (key: ThreadKey): Promise<ThreadDocument | null> => threads.findOne(idFilter(key)),

    /** Like `find`, without everything that can be large. */
    findState: (key: ThreadKey): Promise<ThreadState | null> =>
      threads.findOne<ThreadState>(idFilter(key), { projection: stateFields }),

    /** The states of threads of any projects by thread id, with one query for each project. */
    findStates: async (keys: readonly ThreadKey[]): Promise<Map<string, ThreadState>> => {
      const byProject = Map.groupBy(keys, ({ projectId }) => projectId);
      const found = await Promise.all(
        [...byProject].map(([projectId, ofProject]) =>
          threads
            .find({ projectId, _id: { $in: ofProject.map(({ threadId }) => threadId) } })
            .project<ThreadState>(stateFields)
            .toArray(),
        ),
      );
      return new Map(found.flat().map((state) => [state._id, state]));
    },

    /** When these threads were started, by thread id. */
    createTimes: async (
      { projectId, agentId }: Omit<ThreadKey, "threadId">,
      ids: readonly string[],
    ): Promise<Map<string, Date>> => {
      const found = await threads
        .find({ projectId, agentId, _id: { $in: [...ids] } })
        .project<Pick<ThreadDocument, "_id" | "createdAt">>({ createdAt: 1 })
        .toArray();
      return new Map(found.map(({ _id, createdAt }) => [_id, createdAt]));
    },

    /** Newest first. `before`: the last one of the previous page. */
    list: (filter: ThreadFilter, limit: number, before?: string): Promise<ListedThread[]> =>
      threads
        .find({ ...filter, accepted: true, ...(before !== undefined && { _id: { $lt: before } }) })
        .project<ListedThread>(listedFields)
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),

    /**
     * The only function that changes a thread. The thread afterwards; null if the move's condition was false.
     * `options`: `deletion` for a move that must succeed on a full disk.
     */
    move: async (
      key: ThreadKey,
      move: Move,
      options: Partial<typeof deletion> = {},
    ): Promise<ThreadDocument | null> => {
      const notice = noticeOf(move);
      const push = { ...move.push, ...(notice && { outbox: notices.create(notice) }) };
      const moved = await threads.findOneAndUpdate(
        { ...idFilter(key), ...filterOf(move) },
        updateOf({ ...move, push, inc: { ...move.inc, rev: 1 } }),
        { returnDocument: "after", ...options },
      );
      if (moved !== null && notice) notices.wake(key.projectId);
      if (moved !== null && move.to !== undefined && isFinal(move.to))
        metrics?.count("muster_runs_total", { outcome: move.to });
      return moved;
    },

    /** Threads whose acceptance is not complete although it began before. Oldest first. */
    findOpen: (before: Date, limit: number): Promise<ThreadDocument[]> =>
      threads
        .find({ openSince: { $lt: before } })
        .sort({ openSince: 1 })
        .limit(limit)
        .toArray(),

    /** Those whose decisions are to be checked by now, or whose turn is to be ended. */
    findWaiting: (now: Date, limit: number): Promise<ThreadDocument[]> =>
      threads
        .find({ "waitingFor.lookAt": { $lte: now } })
        .sort({ "waitingFor.lookAt": 1 })
        .limit(limit)
        .toArray(),

    /** Removes a thread that the agent's queue has refused. False if another process has accepted it meanwhile. */
    discard: async (key: ThreadKey): Promise<boolean> => {
      const { deletedCount } = await threads.deleteOne({ ...idFilter(key), accepted: false });
      return deletedCount === 1;
    },

    /** Up to `limit` threads of a deleted agent, for their removal. */
    ofAgent: (
      { projectId, agentId }: Omit<ThreadKey, "threadId">,
      limit: number,
    ): Promise<ThreadDocument[]> => threads.find({ projectId, agentId }).limit(limit).toArray(),

    delete: async (key: ThreadKey): Promise<void> => {
      await threads.deleteOne(idFilter(key));
    },
  };
}

function idFilter({ threadId: _id, projectId, agentId }: ThreadKey): Filter<ThreadDocument> {
  return { _id, projectId, agentId };
}
