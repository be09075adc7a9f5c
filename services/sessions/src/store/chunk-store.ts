import { type CollectionIndexes, unlessDuplicate } from "@muster/store";
import { idsOf } from "@muster/store/event-log";
import type { Collection, Db, Filter } from "mongodb";
import type { SessionKey } from "./moves.ts";
import type { ArchivedRange } from "./session-document.ts";
import { trusted } from "./state-text.ts";

const collectionName = "messages";

export const chunkIndexes: CollectionIndexes = {
  collection: collectionName,
  // Find the chunks of a message or an execution, however long their session is.
  indexes: [
    { name: "by_shown_id", key: { sessionId: 1, shownIds: 1 } },
    { name: "by_execution", key: { sessionId: 1, executionIds: 1 } },
  ],
};

/** Some 512 KiB at once, unless single messages are larger. */
export const maxChunks = 8;

const readFields = { first: 1, count: 1, shownIds: 1, messages: 1 } as const;

export type NewChunk = Pick<
  ChunkDocument,
  "gen" | "first" | "count" | "shownIds" | "executionIds" | "messages"
>;
export type ReadChunk = Pick<ChunkDocument, "_id" | "first" | "count" | "shownIds" | "messages">;
export type ChunkPlace = Pick<ChunkDocument, "gen" | "first" | "count">;

export type ChunkStore = ReturnType<typeof createChunkStore>;

/**
 * The archived messages of all sessions. A range of ids belongs to one session. Its filter must not have `sessionId`
 * too: a store could then choose the index that has it, and would read the whole session for each batch.
 */
export function createChunkStore(db: Db) {
  const chunks: Collection<ChunkDocument> = db.collection(collectionName, trusted);

  return {
    /** Harmless if repeated: a chunk of this id has these messages. */
    insert: async ({ projectId, sessionId }: SessionKey, chunk: NewChunk, now: Date): Promise<void> => {
      const _id = chunkId(sessionId, chunk.gen, chunk.first, chunk.first + chunk.count);
      await unlessDuplicate(chunks.insertOne({ _id, projectId, sessionId, ...chunk, createdAt: now }));
    },

    /**
     * The next chunks of the range, from the newest to the oldest and from the longest to the shortest, that begin
     * before the chunk or position with this id.
     */
    before: (
      { projectId, sessionId }: SessionKey,
      { gen, from }: ArchivedRange,
      id: string,
      limit = maxChunks,
    ): Promise<ReadChunk[]> =>
      chunks
        .find({ _id: { $gte: positionId(sessionId, gen, from), $lt: id }, projectId })
        .project<ReadChunk>(readFields)
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),

    /** The next chunks of the range after the chunk or position with this id, in order. */
    from: (
      { projectId, sessionId }: SessionKey,
      { gen, to }: ArchivedRange,
      id: string,
      limit = maxChunks,
    ): Promise<ReadChunk[]> =>
      chunks
        .find({ _id: { $gt: id, $lt: positionId(sessionId, gen, to) }, projectId })
        .project<ReadChunk>(readFields)
        .sort({ _id: 1 })
        .limit(limit)
        .toArray(),

    /** The chunks of a session that contain a message which users know by this id, in order of position. */
    containing: ({ projectId, sessionId }: SessionKey, messageId: string): Promise<ChunkPlace[]> =>
      chunks
        .find({ sessionId, shownIds: messageId, projectId })
        .project<ChunkPlace>({ gen: 1, first: 1, count: 1 })
        .sort({ first: 1 })
        .toArray(),

    /**
     * The chunks of a session that contain a message of an execution. Those without `executionIds` may contain one: an
     * earlier release stored them.
     */
    mentioning: (
      { projectId, sessionId }: SessionKey,
      executionId: string,
    ): Promise<Array<ChunkPlace & Pick<ChunkDocument, "executionIds">>> =>
      chunks
        .find({ sessionId, executionIds: { $in: [executionId, null] }, projectId } as Filter<ChunkDocument>)
        .project<ChunkPlace & Pick<ChunkDocument, "executionIds">>({
          gen: 1,
          first: 1,
          count: 1,
          executionIds: 1,
        })
        .toArray(),

    /** The executions of all archived messages, and perhaps of some that were rolled back. */
    executionsOf: async ({ projectId, sessionId }: SessionKey): Promise<string[]> => {
      const found = chunks
        .find({ _id: idsOf(sessionId), projectId })
        .project<Pick<ChunkDocument, "executionIds">>({ _id: 0, executionIds: 1 });
      const ids: string[] = [];
      for await (const { executionIds = [] } of found) ids.push(...executionIds);
      return ids;
    },

    /**
     * Deletes the chunks that `head` does not name, except those created after `before`: their writer may be about to
     * publish them. True if none is left.
     */
    deleteUnnamed: async (
      { projectId, sessionId }: SessionKey,
      head: readonly ArchivedRange[],
      before: Date,
    ): Promise<boolean> => {
      const all = { _id: idsOf(sessionId), projectId };
      // Chunks after the end of the last range may be the next ones to be published.
      const cut = head.slice(0, -1).map(({ gen, to }) => ({ gen, first: { $gte: to } }));
      const unnamed = { ...all, $or: [{ gen: { $nin: head.map(({ gen }) => gen) } }, ...cut] };
      await chunks.deleteMany({ ...unnamed, createdAt: { $lte: before } });
      return (await chunks.countDocuments(unnamed, { limit: 1 })) === 0;
    },
  };
}

/**
 * Consecutive finished messages of a session, removed from its document. Immutable: a position of a generation has the
 * same message in every chunk that contains it. A chunk counts only as far as a session's `head` names it.
 */
export interface ChunkDocument {
  /** `<session>:<generation>:<first>:<end>`, numbers with 9 digits: in the order of positions. */
  _id: string;
  projectId: string;
  sessionId: string;
  gen: string;
  /** The position of its first message. */
  first: number;
  count: number;
  /** The ids by which users know its messages. */
  shownIds: string[];
  /** The executions that its messages name. Absent in chunks of earlier releases. */
  executionIds?: string[];
  /** JSON of `StoredMessage[]`. */
  messages: string;
  createdAt: Date;
}

const digits = 9;

export function chunkId(sessionId: string, gen: string, first: number, end: number): string {
  return `${positionId(sessionId, gen, first)}:${String(end).padStart(digits, "0")}`;
}

/** Sorts before every chunk that begins at the position, and after every one that begins before it. */
export function positionId(sessionId: string, gen: string, position: number): string {
  return `${sessionId}:${gen}:${String(position).padStart(digits, "0")}`;
}
