import { type CollectionIndexes, deletion, givenUp, type Lease, notHeld, sharedInserts } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { AgentKey } from "./agent-document.ts";
import type { HookDeliveryDocument, HookKey } from "./hook-document.ts";

export const hookDeliveryIndexes: CollectionIndexes = {
  collection: "hook_deliveries",
  indexes: [
    { name: "identity", key: { hookId: 1, identity: 1 }, unique: true },
    { name: "by_hook", key: { projectId: 1, agentId: 1, hookId: 1, _id: -1 } },
    { name: "due", key: { dueAt: 1, _id: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    {
      name: "waiting",
      key: { projectId: 1, dueAt: 1 },
      partialFilterExpression: { dueAt: { $exists: true } },
    },
    { name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

const largeLength = 64 * 1024;
/** Counts are for dashboards: beyond this, a larger number says nothing more. */
const maxCounted = 10_000;

/** A delivery without its body, which can be large. */
export type ListedHookDelivery = Omit<HookDeliveryDocument, "body">;
const listedFields = { body: 0 } as const;

/** The end of a delivery. */
export type HookOutcome = Pick<HookDeliveryDocument, "reason" | "threadId"> & {
  status: Exclude<HookDeliveryDocument["status"], "accepted">;
};

export type HookDeliveryStore = ReturnType<typeof createHookDeliveryStore>;

/** The only place that writes deliveries of hooks. Each write is harmless if it is repeated. */
export function createHookDeliveryStore(db: Db) {
  const deliveries: Collection<HookDeliveryDocument> = db.collection(hookDeliveryIndexes.collection);
  // A burst of events costs a few commands.
  const insertShared = sharedInserts(deliveries, ({ body }) => body.length > largeLength);
  return {
    /** The id of the delivery with its identity: its own, unless the event had arrived before. */
    insert: async (delivery: HookDeliveryDocument): Promise<string> => {
      const { _id, projectId, hookId, identity } = delivery;
      if (await insertShared(delivery)) return _id;
      const earlier = await deliveries.findOne({ projectId, hookId, identity }, { projection: { _id: 1 } });
      // It may have expired since.
      return earlier?._id ?? _id;
    },
    find: ({ projectId, agentId, hookId }: HookKey, deliveryId: string) =>
      deliveries.findOne({ _id: deliveryId, projectId, agentId, hookId }),
    /** Newest first. `before`: only older ones. */
    list: (
      { projectId, agentId, hookId }: HookKey,
      { status, before }: { status?: HookDeliveryDocument["status"]; before?: string | undefined },
      limit: number,
    ): Promise<ListedHookDelivery[]> =>
      deliveries
        .find({
          ...{ projectId, agentId, hookId, ...(status && { status }) },
          ...(before !== undefined && { _id: { $lt: before } }),
        })
        .project<ListedHookDelivery>(listedFields)
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    /** Finds due deliveries of any project that no instance carries out, the oldest first. */
    findDue: (
      now: Date,
      except: { ids: readonly string[]; projectIds: readonly string[] },
      limit: number,
      onlyHolder?: string,
    ): Promise<ListedHookDelivery[]> =>
      deliveries
        .find({
          ...{ dueAt: { $lte: now }, _id: { $nin: [...except.ids] } },
          ...(except.projectIds.length > 0 && { projectId: { $nin: [...except.projectIds] } }),
          ...notHeld(now, onlyHolder),
        })
        .project<ListedHookDelivery>(listedFields)
        .sort({ dueAt: 1, _id: 1 })
        .limit(limit)
        .toArray(),
    /** Counts the deliveries of the project that have not ended, up to `limit`. */
    countWaiting: (projectId: string, limit: number): Promise<number> =>
      deliveries.countDocuments({ projectId, dueAt: { $exists: true } }, { limit }),
    /** How many of any project are due, up to 10,000. */
    countDue: (now: Date): Promise<number> =>
      deliveries.countDocuments({ dueAt: { $lte: now } }, { limit: maxCounted }),
    /** Null if another instance has it, or it has ended. */
    take: (
      { _id, projectId }: Pick<HookDeliveryDocument, "_id" | "projectId">,
      lease: Lease,
      now: Date,
      onlyHolder?: string,
    ) =>
      deliveries.findOneAndUpdate(
        { _id, projectId, dueAt: { $lte: now }, ...notHeld(now, onlyHolder) },
        { $set: { lease } },
        { returnDocument: "after" },
      ),
    /** Nothing if it has ended already. */
    settle: async (
      { _id, projectId }: Pick<HookDeliveryDocument, "_id" | "projectId">,
      { status, reason, threadId }: HookOutcome,
      now: Date,
    ) => {
      await deliveries.updateOne(
        { _id, projectId, status: "accepted" },
        {
          $set: {
            ...{ status, lease: null, settledAt: now },
            ...(reason !== undefined && { reason }),
            ...(threadId !== undefined && { threadId }),
          },
          $unset: { dueAt: "", ...(reason === undefined && { reason: "" }) },
        },
      );
    },
    /** It is carried out again at that time. Nothing if another instance has it. */
    postpone: async (
      { _id, projectId, lease }: HookDeliveryDocument,
      dueAt: Date,
      triedSince: Date,
      reason?: string,
    ) => {
      await deliveries.updateOne(
        { _id, projectId, status: "accepted", "lease.holder": lease?.holder ?? "" },
        { $set: { dueAt, triedSince, "lease.until": givenUp, ...(reason !== undefined && { reason }) } },
      );
    },
    deleteAll: async ({ projectId, agentId, hookId }: HookKey) => {
      const filter: Filter<HookDeliveryDocument> = { projectId, agentId, hookId };
      await deliveries.deleteMany(filter, deletion);
    },
    deleteOf: async ({ projectId, agentId }: AgentKey) => {
      await deliveries.deleteMany({ projectId, agentId }, deletion);
    },
  };
}
