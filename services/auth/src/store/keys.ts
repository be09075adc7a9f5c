import type { OutboxEntry } from "@muster/events";
import { type CollectionIndexes, deletion, unlessDuplicate } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { ApiKeyDocument } from "./documents.ts";

export const keyIndexes: CollectionIndexes = {
  collection: "api_keys",
  indexes: [
    { name: "hash", key: { hash: 1 }, unique: true },
    { name: "project", key: { projectId: 1, createdAt: -1 } },
    { name: "agent", key: { agentId: 1, createdAt: -1 } },
  ],
};

/** The keys that a caller may manage. Callers bound to one project cannot reach the bootstrap key. */
export type KeyScope = { anyProject: true } | { anyProject: false; projectId: string };

export interface KeyStore {
  collection: Collection<ApiKeyDocument>;
  insert(key: ApiKeyDocument): Promise<void>;
  /** False if a key with that id or secret exists. */
  insertIfAbsent(key: ApiKeyDocument): Promise<boolean>;
  /** Removes a key whose secret no caller has received. */
  discard(key: Pick<ApiKeyDocument, "_id" | "projectId">): Promise<void>;
  find(id: string): Promise<ApiKeyDocument | null>;
  /** Null for a key beyond the scope, after one query as for an unknown one. Finds deleted keys, too. */
  findIn(scope: KeyScope, id: string): Promise<ApiKeyDocument | null>;
  findByHash(hash: string): Promise<ApiKeyDocument | null>;
  /** Keys that are not deleted, newest first. `agentId`: only those that are limited to this agent. */
  list(scope: KeyScope, agentId?: string): Promise<ApiKeyDocument[]>;
  /** Marks the key as deleted and records the event in the same write. `unknown`: the scope has no such key. */
  remove(
    id: string,
    scope: KeyScope,
    at: Date,
    event: OutboxEntry,
  ): Promise<"removed" | "already" | "unknown">;
  /** Replaces the secret of the key and restores it if it was deleted. False if it already has that secret. */
  replaceSecret(id: string, hash: string, event: OutboxEntry): Promise<boolean>;
  /** Records a use unless one was recorded after `cutoff`. */
  noteUse(id: string, at: Date, cutoff: Date): Promise<void>;
}

export function createKeyStore(db: Db): KeyStore {
  const keys: Collection<ApiKeyDocument> = db.collection(keyIndexes.collection);
  const insert = async (key: ApiKeyDocument) => {
    await keys.insertOne(key);
  };
  return {
    collection: keys,
    insert,
    insertIfAbsent: (key) => unlessDuplicate(insert(key)),
    discard: async ({ _id, projectId }) => {
      await keys.deleteOne({ _id, projectId });
    },
    find: (id) => keys.findOne({ _id: id }),
    findIn: (scope, id) => keys.findOne({ ...inScope(scope), _id: id }),
    findByHash: (hash) => keys.findOne({ hash }),
    list: (scope, agentId) =>
      keys
        .find({ ...inScope(scope), ...(agentId !== undefined && { agentId }), deletedAt: { $exists: false } })
        .sort({ createdAt: -1, _id: -1 })
        .toArray(),
    remove: async (id, scope, at, event) => {
      const filter = { ...inScope(scope), _id: id };
      const removed = await keys.updateOne(
        { ...filter, deletedAt: { $exists: false } },
        { $set: { deletedAt: at }, $push: { outbox: event } },
        deletion,
      );
      if (removed.matchedCount > 0) return "removed";
      return (await keys.findOne(filter)) ? "already" : "unknown";
    },
    replaceSecret: async (id, hash, event) => {
      const replaced = await keys.updateOne(
        { _id: id, $or: [{ hash: { $ne: hash } }, { deletedAt: { $exists: true } }] },
        {
          $set: { hash },
          $inc: { generation: 1 },
          $unset: { deletedAt: "", lastUsedAt: "" },
          $push: { outbox: event },
        },
      );
      return replaced.matchedCount > 0;
    },
    noteUse: async (id, at, cutoff) => {
      await keys.updateOne(
        { _id: id, $or: [{ lastUsedAt: { $exists: false } }, { lastUsedAt: { $lte: cutoff } }] },
        { $set: { lastUsedAt: at } },
      );
    },
  };
}

function inScope(scope: KeyScope): Filter<ApiKeyDocument> {
  return scope.anyProject ? {} : { projectId: scope.projectId, anyProject: false };
}
