import { type CollectionIndexes, deletion, unlessDuplicate } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { Attempt, DeliveryDocument, WebhookKey } from "./webhook-document.ts";

export const deliveryIndexes: CollectionIndexes = {
  collection: "webhook_deliveries",
  indexes: [
    { name: "event", key: { webhookId: 1, eventId: 1 }, unique: true },
    { name: "by_webhook", key: { projectId: 1, webhookId: 1, _id: -1 } },
    { name: "due", key: { webhookId: 1, dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    { name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** The attempts that are kept of a delivery. */
const maxLog = 10;

export interface DeliveryKey extends WebhookKey {
  deliveryId: string;
}

/** The state after an attempt. */
export type Settled = Pick<DeliveryDocument, "status" | "expiresAt"> & { dueAt?: Date };

export type DeliveryStore = ReturnType<typeof createDeliveryStore>;

/** The only place that writes deliveries. Each write is harmless if it is repeated. */
export function createDeliveryStore(db: Db) {
  const deliveries: Collection<DeliveryDocument> = db.collection(deliveryIndexes.collection);
  return {
    /** Those whose webhooks have the event already change nothing. */
    insert: async (documents: readonly DeliveryDocument[]) => {
      await unlessDuplicate(deliveries.insertMany([...documents], { ordered: false }));
    },
    /** Newest first. `before`: only older ones. */
    list: (
      key: WebhookKey,
      { status, before }: { status?: DeliveryDocument["status"]; before?: string | undefined },
      limit: number,
    ) =>
      deliveries
        .find({
          ...{ ...key, ...(status && { status }) },
          ...(before !== undefined && { _id: { $lt: before } }),
        })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    /** Those to send by now, in the order of their times. */
    due: ({ projectId, webhookId }: WebhookKey, now: Date, limit: number) =>
      deliveries
        .find({ projectId, webhookId, dueAt: { $lte: now } })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** When the next one is to be sent. Undefined: none waits. */
    nextDue: async ({ projectId, webhookId }: WebhookKey) => {
      const waiting = { projectId, webhookId, dueAt: { $exists: true } };
      const next = await deliveries.findOne(waiting, { sort: { dueAt: 1 }, projection: { dueAt: 1 } });
      return next?.dueAt;
    },
    /** Null if another instance has noted an attempt since the delivery was read, or it is to be sent again. */
    noteAttempt: (delivery: DeliveryDocument, attempt: Attempt, { dueAt, ...settled }: Settled) => {
      const { _id, projectId, webhookId, attempts, tries, log } = delivery;
      return deliveries.findOneAndUpdate(
        { _id, projectId, webhookId, attempts, tries },
        {
          $set: { ...settled, ...(dueAt && { dueAt }), log: [...log, attempt].slice(-maxLog) },
          $inc: { attempts: 1, tries: 1 },
          ...(dueAt === undefined && { $unset: { dueAt: "" } }),
        },
        { returnDocument: "after" },
      );
    },
    /** It is sent again, at once. Null if there is none. */
    replay: ({ projectId, webhookId, deliveryId }: DeliveryKey, now: Date, expiresAt: Date) =>
      deliveries.findOneAndUpdate(
        { _id: deliveryId, projectId, webhookId },
        { $set: { status: "pending", dueAt: now, tries: 0, expiresAt } },
        { returnDocument: "after" },
      ),
    deleteAll: async ({ projectId, webhookId }: WebhookKey) => {
      const filter: Filter<DeliveryDocument> = { projectId, webhookId };
      await deliveries.deleteMany(filter, deletion);
    },
  };
}
