import type { AuditEntry, AuditFields } from "./audit-index.ts";

/** An entry that waits in a document. */
export interface PendingEntry extends PendingPlace {
  entry: AuditEntry;
}

/** Where an entry waits. */
export interface PendingPlace {
  collection: string;
  documentId: string;
  entryId: string;
}

interface StoredEntries extends AuditFields {
  _id: string;
}

/** The driver's collection methods that the outbox uses, for documents of any shape. */
export interface AuditedCollection {
  readonly collectionName: string;
  find(
    filter: typeof waiting | { _id: { $in: string[] }; tombstone: true },
    options: { projection: { audit: 1 }; limit?: number },
  ): { toArray(): Promise<StoredEntries[]> };
  updateMany(
    filter: { _id: { $in: string[] }; tombstone: { $exists: false } },
    update: { $pull: { audit: { id: { $in: string[] } } } },
    options: typeof deletion,
  ): Promise<unknown>;
  deleteMany(
    filter: { _id: string; tombstone: true; audit: { $size: number } },
    options: typeof deletion,
  ): Promise<unknown>;
}

const waiting = { "audit.id": { $exists: true } } as const;
// So that a store with a full disk executes it.
const deletion = { comment: "deletion" } as const;

/** The entries that the documents of a service carry. */
export interface AuditOutbox {
  /** Reads the entries of up to `limit` documents of each collection. */
  list(limit: number): Promise<PendingEntry[]>;
  /** Forgets entries that the log has. Harmless if repeated. */
  drop(places: readonly PendingPlace[]): Promise<unknown>;
}

export function createAuditOutbox(collections: readonly AuditedCollection[]): AuditOutbox {
  const list = async (collection: AuditedCollection, limit: number): Promise<PendingEntry[]> => {
    const found = await collection.find(waiting, { projection: { audit: 1 }, limit }).toArray();
    return found.flatMap(({ _id: documentId, audit = [] }) =>
      audit.map((entry) => ({
        ...{ collection: collection.collectionName, documentId, entryId: entry.id, entry },
      })),
    );
  };
  const drop = async (collection: AuditedCollection, places: readonly PendingPlace[]) => {
    const here = places.filter((place) => place.collection === collection.collectionName);
    if (here.length === 0) return;
    const byDocument = Map.groupBy(here, ({ documentId }) => documentId);
    const documents = { $in: [...byDocument.keys()] };
    const deleted = await collection
      .find({ _id: documents, tombstone: true }, { projection: { audit: 1 } })
      .toArray();
    for (const { _id } of deleted) {
      // Exactly these: one that was added since stays, with all others.
      const ids = (byDocument.get(_id) ?? []).map(({ entryId }, index) => [`audit.${index}.id`, entryId]);
      const same = { audit: { $size: ids.length }, ...Object.fromEntries(ids) };
      await collection.deleteMany({ _id, tombstone: true, ...same }, deletion);
    }
    const ids = { $in: here.map(({ entryId }) => entryId) };
    await collection.updateMany(
      { _id: documents, tombstone: { $exists: false } },
      { $pull: { audit: { id: ids } } },
      deletion,
    );
  };
  return {
    list: async (limit) =>
      (await Promise.all(collections.map((collection) => list(collection, limit)))).flat(),
    drop: (places) => Promise.all(collections.map((collection) => drop(collection, places))),
  };
}
