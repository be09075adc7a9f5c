import type { OutboxEntry } from "@muster/events";
import { type AuditEntry, type AuditFields, auditIndex } from "@muster/events/audit";
import type { SealedText } from "@muster/service";
import { type CollectionIndexes, deletion, isDuplicateKey } from "@muster/store";
import type { Collection, Db } from "mongodb";

/** A kind of secrets of which a project has one for each name: of a model provider, or of a host. */
export interface ProjectSecretKind {
  readonly collection: string;
  /** The field of the name. */
  readonly field: "provider" | "host";
}

export const providerKeyKind: ProjectSecretKind = { collection: "provider_keys", field: "provider" };
export const toolSecretKind: ProjectSecretKind = { collection: "tool_secrets", field: "host" };

/** Removed secrets leave a document without the secret, which carries the event. */
interface ProjectSecretDocument extends AuditFields, Partial<Record<ProjectSecretKind["field"], string>> {
  /** The project and the name. */
  _id: string;
  projectId: string;
  /** The encrypted secret. Absent: it was removed. */
  sealed?: SealedText;
  /** The end of the secret, for users. Empty for a short one. */
  lastFour?: string;
  createdAt?: Date;
  updatedAt: Date;
  /** Events that are not published yet. */
  outbox: OutboxEntry[];
}

/** The project and the name by which a secret is found. */
export interface ProjectSecretName {
  projectId: string;
  name: string;
}

/** A secret that was not removed. */
export type ProjectSecret = ProjectSecretName &
  Required<Pick<ProjectSecretDocument, "sealed" | "lastFour" | "createdAt" | "updatedAt">>;

export function projectSecretIndexes({ collection, field }: ProjectSecretKind): CollectionIndexes {
  const byName = { name: "project", key: { projectId: 1, [field]: 1 }, unique: true };
  return { collection, indexes: [byName, auditIndex] };
}

export type ProjectSecretStore = ReturnType<typeof createProjectSecretStore>;

export function createProjectSecretStore(db: Db, { collection, field }: ProjectSecretKind) {
  const secrets: Collection<ProjectSecretDocument> = db.collection(collection);
  const keyOf = ({ projectId, name }: ProjectSecretName) => {
    return { _id: `${projectId}/${name}`, projectId, [field]: name };
  };
  const read = (document: ProjectSecretDocument | null): ProjectSecret => {
    const { [field]: name, projectId, sealed, lastFour, createdAt, updatedAt } = document ?? {};
    const isComplete = name !== undefined && projectId !== undefined && updatedAt !== undefined;
    if (isComplete && sealed !== undefined && lastFour !== undefined && createdAt !== undefined)
      return { name, projectId, sealed, lastFour, createdAt, updatedAt };
    throw new Error(`A stored secret in ${collection} is incomplete`);
  };
  const set = async (
    name: ProjectSecretName,
    secret: Pick<ProjectSecret, "sealed" | "lastFour">,
    at: Date,
    event: OutboxEntry,
    entry: AuditEntry,
  ) => {
    const stored = await secrets.findOneAndUpdate(
      keyOf(name),
      // The time of creation stays with the secret until it is removed.
      { $set: { ...secret, updatedAt: at }, $min: { createdAt: at }, $push: { outbox: event, audit: entry } },
      { upsert: true, returnDocument: "after" },
    );
    return read(stored);
  };
  return {
    collection: secrets,
    /** Stores a secret, which replaces an earlier one, and records the event in the same write. */
    set: (...args: Parameters<typeof set>) =>
      // Two first secrets at once: the second one finds the document of the first.
      set(...args).catch((error: unknown) => {
        if (!isDuplicateKey(error)) throw error;
        return set(...args);
      }),
    /** By name. */
    list: async (projectId: string) => {
      const found = await secrets
        .find({ projectId, sealed: { $exists: true } })
        .sort({ [field]: 1 })
        .toArray();
      return found.map(read);
    },
    /** Removes the secret and records the event in the same write. False if there is none. */
    remove: async (name: ProjectSecretName, at: Date, event: OutboxEntry, entry: AuditEntry) => {
      const removed = await secrets.updateOne(
        { ...keyOf(name), sealed: { $exists: true } },
        {
          $unset: { sealed: "", lastFour: "", createdAt: "" },
          $set: { updatedAt: at },
          $push: { outbox: event, audit: entry },
        },
        deletion,
      );
      return removed.matchedCount > 0;
    },
  };
}
