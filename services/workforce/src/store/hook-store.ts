import { type AuditEntry, auditIndex } from "@muster/events/audit";
import {
  atRevision,
  type CollectionIndexes,
  deletion,
  nextRevision,
  shareCommands,
  unlessDuplicate,
} from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { AgentKey } from "./agent-document.ts";
import type { HookDocument, HookKey } from "./hook-document.ts";

export const hookIndexes: CollectionIndexes = {
  collection: "hooks",
  indexes: [
    { name: "by_agent", key: { projectId: 1, agentId: 1, _id: -1 } },
    { name: "slug", key: { projectId: 1, agentId: 1, slug: 1 }, unique: true },
    auditIndex,
  ],
};

/** The changes of a user. Absent fields stay unchanged; null removes one. */
export type HookChanges = Partial<
  Pick<HookDocument, "name" | "verifyType" | "secrets" | "message" | "config" | "enabled" | "managed">
> & { filter?: HookDocument["filter"] | null; threadKey?: string | null };

export type HookStore = ReturnType<typeof createHookStore>;

/** The only place that writes hooks. Each write is harmless if it is repeated. */
export function createHookStore(db: Db) {
  const hooks: Collection<HookDocument> = db.collection(hookIndexes.collection);
  // A burst of events costs a few lookups.
  const lookUp = shareCommands<string, { hook: HookDocument | null }>({
    one: async (_id) => ({ hook: await hooks.findOne({ _id, ...live }) }),
    many: async (ids) => {
      const found = await hooks.find({ _id: { $in: ids }, ...live }).toArray();
      return ids.map((id) => ({ hook: found.find(({ _id }) => _id === id) ?? null }));
    },
  });
  return {
    /** False if it, or another one of the agent with its slug, exists. */
    insert: (hook: HookDocument) => unlessDuplicate(hooks.insertOne(hook)),
    count: ({ projectId, agentId }: AgentKey) => hooks.countDocuments({ projectId, agentId, ...live }),
    /** Newest first. */
    list: ({ projectId, agentId }: AgentKey) =>
      hooks
        .find({ projectId, agentId, ...live })
        .sort({ _id: -1 })
        .toArray(),
    find: (key: HookKey) => hooks.findOne(idFilter(key)),
    /** The hook at this address, of any project: its senders know no more than the id. */
    findAddressed: async (hookId: string) => (await lookUp(hookId)).hook,
    /** Null if there is none of the expected revisions. */
    update: (
      key: HookKey,
      changes: HookChanges,
      now: Date,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ) => {
      const { filter, threadKey, ...set } = changes;
      return hooks.findOneAndUpdate(
        { ...idFilter(key), ...atRevision(expected) },
        {
          $set: { ...set, ...(filter && { filter }), ...(threadKey && { threadKey }), updatedAt: now },
          $unset: { ...(filter === null && { filter: "" }), ...(threadKey === null && { threadKey: "" }) },
          $inc: nextRevision,
          $push: { audit: entry },
        },
        { returnDocument: "after" },
      );
    },
    /** False: as for `update`. It is gone for all readers. The rest of it carries the entry, until the audit log has it. */
    bury: async (key: HookKey, entry: AuditEntry, expected: readonly number[] = []): Promise<boolean> => {
      const { matchedCount } = await hooks.updateOne(
        { ...idFilter(key), ...atRevision(expected) },
        { $set: { ...empty, slug: key.hookId }, $push: { audit: entry } },
        deletion,
      );
      return matchedCount === 1;
    },
    /** Hooks that carry entries stay, without content, until the audit log has them. */
    deleteOf: async ({ projectId, agentId }: AgentKey) => {
      await hooks.updateMany({ projectId, agentId, ...live }, { $set: empty }, deletion);
      await hooks.deleteMany({ projectId, agentId, "audit.id": { $exists: false } }, deletion);
    },
  };
}

/** The condition that excludes deleted hooks. */
const live = { tombstone: { $exists: false } } as const;

const empty = {
  ...{ tombstone: true as const, enabled: false, name: "", secrets: [], message: "" },
  ...{ filter: {}, threadKey: "", config: {} },
} satisfies Partial<HookDocument>;

function idFilter({ projectId, agentId, hookId }: HookKey): Filter<HookDocument> {
  return { _id: hookId, projectId, agentId, ...live };
}
