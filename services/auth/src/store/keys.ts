import type { OutboxEntry } from "@muster/events";
import { type AuditEntry, auditIndex } from "@muster/events/audit";
import type { LimitChanges } from "@muster/rpc";
import { type CollectionIndexes, deletion, unlessDuplicate } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { ApiKeyDocument } from "./documents.ts";
import { changesOf } from "./project-store.ts";

export const keyIndexes: CollectionIndexes = {
  collection: "api_keys",
  indexes: [
    { name: "hash", key: { hash: 1 }, unique: true },
    { name: "project", key: { projectId: 1, createdAt: -1 } },
    { name: "agent", key: { agentId: 1, createdAt: -1 } },
    { name: "computer", key: { computerId: 1, createdAt: -1 } },
    // Read for each project whose turns run: the keys without limits may be many.
    auditIndex,
    { name: "limited", key: { projectId: 1 }, partialFilterExpression: { limits: { $exists: true } } },
  ],
};

/** The keys that a caller may manage. Callers bound to one project cannot reach the bootstrap key. */
export type KeyScope = { anyProject: true } | { anyProject: false; projectId: string };

/** Whose keys are meant: of one agent, of one computer, or all but those of computers. */
export interface KeyHolder {
  readonly agentId?: string | undefined;
  readonly computerId?: string | undefined;
}

export type KeyStore = ReturnType<typeof createKeyStore>;

export function createKeyStore(db: Db) {
  const keys: Collection<ApiKeyDocument> = db.collection(keyIndexes.collection);
  const insert = async (key: ApiKeyDocument) => {
    await keys.insertOne(key);
  };
  return {
    collection: keys,
    insert,
    /** False if a key with that id or secret exists. */
    insertIfAbsent: (key: ApiKeyDocument) => unlessDuplicate(insert(key)),
    find: (id: string) => keys.findOne({ _id: id }),
    /** Null for a key beyond the scope, after one query as for an unknown one. Finds deleted keys, too. */
    findIn: (scope: KeyScope, id: string) => keys.findOne({ ...inScope(scope), _id: id }),
    findByHash: (hash: string) => keys.findOne({ hash }),
    /** Keys that are not deleted, newest first. */
    list: (scope: KeyScope, holder: KeyHolder = {}) =>
      keys
        .find({ ...inScope(scope), ...heldBy(holder), deletedAt: { $exists: false } })
        .sort({ createdAt: -1, _id: -1 })
        .toArray(),
    /** The keys of the project that have limits. */
    listLimited: (projectId: string) =>
      keys
        .find({ projectId, limits: { $exists: true } })
        .project<Required<Pick<ApiKeyDocument, "_id" | "limits">>>({ limits: 1 })
        .toArray(),
    /** The changed key. Null if it does not exist or is deleted. */
    changeLimits: (
      { _id, projectId }: Pick<ApiKeyDocument, "_id" | "projectId">,
      limits: Omit<LimitChanges, "monthlyRuns">,
      entry: AuditEntry,
    ) => {
      const filter = { _id, projectId, deletedAt: { $exists: false } };
      const update = changesOf({}, { limits });
      if (Object.keys(update).length === 0) return keys.findOne(filter);
      return keys.findOneAndUpdate(
        filter,
        { ...update, $push: { audit: entry } },
        { returnDocument: "after" },
      );
    },
    /**
     * Changes a key; one that was deleted works again, without the credentials it had made before. Null unless it is deleted or not, as
     * `isDeleted` says.
     */
    regrant: (
      id: string,
      isDeleted: boolean,
      granted: Pick<ApiKeyDocument, "name" | "permissions">,
      entry: AuditEntry,
    ) =>
      keys.findOneAndUpdate(
        { _id: id, deletedAt: { $exists: isDeleted } },
        {
          $set: granted,
          $push: { audit: entry },
          ...(isDeleted && { $unset: { deletedAt: "" as const }, $inc: { generation: 1 } }),
        },
        { returnDocument: "after" },
      ),
    /** Marks the key as deleted and records the event in the same write. `unknown`: the scope has no such key. */
    remove: async (id: string, scope: KeyScope, at: Date, event: OutboxEntry, entry: AuditEntry) => {
      const filter = { ...inScope(scope), _id: id };
      const removed = await keys.updateOne(
        { ...filter, deletedAt: { $exists: false } },
        { $set: { deletedAt: at }, $push: { outbox: event, audit: entry } },
        deletion,
      );
      if (removed.matchedCount > 0) return "removed";
      return (await keys.findOne(filter)) ? "already" : "unknown";
    },
    /** Replaces the secret of the key and restores it if it was deleted. False if it already has that secret. */
    replaceSecret: async (id: string, hash: string, event: OutboxEntry, entry: AuditEntry) => {
      const replaced = await keys.updateOne(
        { _id: id, $or: [{ hash: { $ne: hash } }, { deletedAt: { $exists: true } }] },
        {
          $set: { hash },
          $inc: { generation: 1 },
          $unset: { deletedAt: "", lastUsedAt: "" },
          $push: { outbox: event, audit: entry },
        },
      );
      return replaced.matchedCount > 0;
    },
    /** Records a use unless one was recorded after `cutoff`. */
    noteUse: async (id: string, at: Date, cutoff: Date) => {
      await keys.updateOne(
        { _id: id, $or: [{ lastUsedAt: { $exists: false } }, { lastUsedAt: { $lte: cutoff } }] },
        { $set: { lastUsedAt: at } },
      );
    },
  };
}

function heldBy({ agentId, computerId }: KeyHolder): Filter<ApiKeyDocument> {
  return {
    computerId: computerId ?? { $exists: false },
    ...(agentId === undefined ? {} : { agentId }),
  };
}

function inScope(scope: KeyScope): Filter<ApiKeyDocument> {
  return scope.anyProject ? {} : { projectId: scope.projectId, anyProject: false };
}
