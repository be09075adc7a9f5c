import type { OutboxEntry } from "@muster/events";
import { type CollectionIndexes, deletion, isDuplicateKey } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { SealedText } from "../secrets/secret-box.ts";

/** A project's own key for a model provider. Removed keys leave a document without the key, which carries the event. */
export interface ProviderKeyDocument {
  /** The project and the provider. */
  _id: string;
  projectId: string;
  provider: string;
  /** The encrypted key. Absent: it was removed. */
  sealed?: SealedText;
  /** The end of the key, for users. Empty for a short key. */
  lastFour?: string;
  createdAt?: Date;
  updatedAt: Date;
  /** Events that are not published yet. */
  outbox: OutboxEntry[];
}

/** A key that was not removed. */
export type StoredProviderKey = ProviderKeyDocument &
  Required<Pick<ProviderKeyDocument, "sealed" | "lastFour" | "createdAt">>;

export const providerKeyIndexes: CollectionIndexes = {
  collection: "provider_keys",
  indexes: [{ name: "project", key: { projectId: 1, provider: 1 }, unique: true }],
};

/** The names by which a key is found, and to which its encryption is bound. */
export interface ProviderKeyName {
  projectId: string;
  provider: string;
}

export type ProviderKeyStore = ReturnType<typeof createProviderKeyStore>;

export function createProviderKeyStore(db: Db) {
  const keys: Collection<ProviderKeyDocument> = db.collection(providerKeyIndexes.collection);
  const set = async (
    { projectId, provider }: ProviderKeyName,
    key: { sealed: SealedText; lastFour: string },
    at: Date,
    event: OutboxEntry,
  ): Promise<StoredProviderKey> => {
    const stored = await keys.findOneAndUpdate(
      { _id: idOf({ projectId, provider }), projectId, provider },
      // The time of creation stays with the key until it is removed.
      { $set: { ...key, updatedAt: at }, $min: { createdAt: at }, $push: { outbox: event } },
      { upsert: true, returnDocument: "after" },
    );
    if (stored === null || !isStored(stored)) throw new Error("The stored provider key is incomplete");
    return stored;
  };
  return {
    collection: keys,
    /** Stores a key, which replaces an earlier one, and records the event in the same write. */
    set: (...args: Parameters<typeof set>) =>
      // Two first keys at once: the second one finds the document of the first.
      set(...args).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return set(...args);
      }),
    /** By provider. */
    list: async (projectId: string) => {
      const found = await keys
        .find({ projectId, sealed: { $exists: true } })
        .sort({ provider: 1 })
        .toArray();
      return found.filter(isStored);
    },
    /** Removes the key and records the event in the same write. False if there is none. */
    remove: async (name: ProviderKeyName, at: Date, event: OutboxEntry) => {
      const removed = await keys.updateOne(
        { _id: idOf(name), ...name, sealed: { $exists: true } },
        {
          $unset: { sealed: "", lastFour: "", createdAt: "" },
          $set: { updatedAt: at },
          $push: { outbox: event },
        },
        deletion,
      );
      return removed.matchedCount > 0;
    },
  };
}

function idOf({ projectId, provider }: ProviderKeyName): string {
  return `${projectId}/${provider}`;
}

function isStored(document: ProviderKeyDocument): document is StoredProviderKey {
  const { sealed, lastFour, createdAt } = document;
  return sealed !== undefined && lastFour !== undefined && createdAt !== undefined;
}
