import { type AuditEntry, type AuditFields, auditIndex } from "@muster/events/audit";
import { type CollectionIndexes, unlessDuplicate } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { WebhookSecret } from "./webhook-document.ts";

export const callbackSecretIndexes: CollectionIndexes = {
  collection: "callback_secrets",
  indexes: [auditIndex],
};

/** The secrets that sign the callbacks of a project's dispatches. */
interface CallbackSecretDocument extends AuditFields {
  /** The project's id. */
  _id: string;
  /** Newest first. */
  secrets: WebhookSecret[];
  /** Rises with each rotation. */
  rev: number;
}

export type CallbackSecretStore = ReturnType<typeof createCallbackSecretStore>;

export function createCallbackSecretStore(db: Db) {
  const found: Collection<CallbackSecretDocument> = db.collection(callbackSecretIndexes.collection);
  return {
    /** None before the first rotation. */
    read: async (projectId: string): Promise<Pick<CallbackSecretDocument, "secrets" | "rev">> =>
      (await found.findOne({ _id: projectId })) ?? { secrets: [], rev: 0 },
    /** `rev`: the one that was read. False if they have changed since. */
    replace: async (
      projectId: string,
      rev: number,
      secrets: WebhookSecret[],
      entry: AuditEntry,
    ): Promise<boolean> => {
      if (rev === 0)
        return unlessDuplicate(found.insertOne({ _id: projectId, secrets, rev: 1, audit: [entry] }));
      const { matchedCount } = await found.updateOne(
        { _id: projectId, rev },
        { $set: { secrets }, $inc: { rev: 1 }, $push: { audit: entry } },
      );
      return matchedCount === 1;
    },
  };
}
