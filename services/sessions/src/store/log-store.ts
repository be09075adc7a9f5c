import type { CollectionIndexes } from "@muster/store";
import { idsOf } from "@muster/store/event-log";
import type { Collection, Db } from "mongodb";
import type { SessionKey } from "./moves.ts";
import { trusted } from "./state-text.ts";

const collectionName = "execution_logs";

/** The store removes entries that are too old. */
export const logIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/** Some 512 KiB at once. */
const batchSize = 8;

/** A document without its entries. */
export type LogHeader = Pick<
  LogDocument,
  "_id" | "agentId" | "executionId" | "count" | "requests" | "length"
>;

export type LogStore = ReturnType<typeof createLogStore>;

/** The execution logs of all sessions. Its queries need no index but the one of `_id`. */
export function createLogStore(db: Db) {
  const logs: Collection<LogDocument> = db.collection(collectionName, trusted);

  return {
    /** Each is stored on its own: a failure of one leaves the others. */
    insert: async (documents: readonly LogDocument[]): Promise<void> => {
      await logs.insertMany([...documents], { ordered: false });
    },

    /** Something of the run with this epoch is stored. */
    hasRun: async (
      { _id, projectId }: { _id: string; projectId: string },
      epoch: number,
    ): Promise<boolean> => {
      const range = { $gte: logId(_id, epoch, 0), $lt: logId(_id, epoch + 1, 0) };
      return (await logs.findOne({ _id: range, projectId }, { projection: { _id: 1 } })) !== null;
    },

    /** All documents of a session, oldest first. */
    headers: ({ projectId, sessionId }: SessionKey): Promise<LogHeader[]> =>
      logs
        .find({ _id: idsOf(sessionId), projectId })
        .project<LogHeader>({ agentId: 1, executionId: 1, count: 1, requests: 1, length: 1 })
        .sort({ _id: 1 })
        .toArray(),

    /** The entries from one document to another, in batches. */
    between: (
      { projectId, sessionId }: SessionKey,
      from: string,
      to: string,
    ): AsyncIterable<Pick<LogDocument, "executionId" | "entries">> =>
      logs
        .find({ _id: { $gte: from, $lte: to }, sessionId, projectId }, { batchSize })
        .project<Pick<LogDocument, "executionId" | "entries">>({ executionId: 1, entries: 1 })
        .sort({ _id: 1 }),

    /** The document that has the entry with this number, if any has. */
    containing: ({ projectId, sessionId }: SessionKey, sequence: number) => {
      const { epoch, index } = placeOf(sequence);
      const range = { $gte: logId(sessionId, epoch, 0), $lte: logId(sessionId, epoch, index) };
      return logs.findOne<Pick<LogDocument, "executionId" | "entries">>(
        { _id: range, projectId },
        { sort: { _id: -1 }, projection: { executionId: 1, entries: 1 } },
      );
    },

    /** Removes the entries of type `model-request` from a document. */
    dropRequests: async (
      { projectId }: SessionKey,
      _id: string,
    ): Promise<Pick<LogDocument, "count" | "requests" | "length">> => {
      const found = await logs.findOne({ _id, projectId }, { projection: { entries: 1 } });
      const lines = (found?.entries ?? "").split("\n").filter((line) => line !== "" && !isModelRequest(line));
      const entries = lines.join("\n");
      const left = { count: lines.length, requests: 0, length: entries.length };
      if (lines.length === 0) await logs.deleteOne({ _id, projectId });
      else await logs.updateOne({ _id, projectId }, { $set: { ...left, entries } });
      return left;
    },

    /** `ids`: of documents; absent, all of the session are deleted. */
    delete: async ({ projectId, sessionId }: SessionKey, ids?: readonly string[]): Promise<void> => {
      await logs.deleteMany({ _id: ids === undefined ? idsOf(sessionId) : { $in: [...ids] }, projectId });
    },
  };
}

/** An entry is a line that begins with its type. */
export function isModelRequest(line: string): boolean {
  return line.startsWith('{"type":"model-request",');
}

/**
 * Consecutive entries of one run of a session's execution log. Immutable. Under the session's id, or under the
 * execution's for a worker.
 */
export interface LogDocument {
  /** `<session>:<epoch>:<first>`, numbers with 12 and 7 digits: in the order of sequence numbers. */
  _id: string;
  projectId: string;
  agentId: string;
  sessionId: string;
  executionId: string;
  count: number;
  /** How many of the entries are `model-request`. */
  requests: number;
  /** Characters of `entries`. */
  length: number;
  /** The entries as JSON, one on each line. Each begins with its `type`. */
  entries: string;
  createdAt: Date;
  /** Null: not before the session's end. */
  expiresAt: Date | null;
}

export function logId(sessionId: string, epoch: number, first: number): string {
  return `${sessionId}:${String(epoch).padStart(12, "0")}:${String(first).padStart(7, "0")}`;
}

/** Entries that one lock of a session can record. */
export const maxEntriesPerRun = 2 ** 20 - 1;

/** The epoch rises with every lock, so numbers rise across executions and instances. Exact up to epoch 8 billion. */
export function sequenceOf(epoch: number, index: number): number {
  return epoch * (maxEntriesPerRun + 1) + index;
}

/** The sequence number of a document's first entry. */
export function firstSequenceIn({ _id }: Pick<LogDocument, "_id">): number {
  const [epoch, first] = _id.split(":").slice(-2).map(Number);
  return sequenceOf(epoch ?? 0, first ?? 0);
}

/** The sequence number of an entry, from itself or from the entry's id. Undefined: it is neither. */
export function sequenceIn(name: string): number | undefined {
  const [, digits] = /^(?:log_\w{1,100}_)?(\d{1,16})$/.exec(name) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The reverse of `sequenceOf`. */
function placeOf(sequence: number): { epoch: number; index: number } {
  const perRun = maxEntriesPerRun + 1;
  return { epoch: Math.floor(sequence / perRun), index: sequence % perRun };
}
