import type { OutboxEntry } from "@muster/events";
import { type AuditEntry, type AuditFields, auditIndex } from "@muster/events/audit";
import { atRevision, type CollectionIndexes, deletion, nextRevision, type Revised } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { Algorithm } from "../federation/limits.ts";

/** A condition on a claim: it is one of `equals`, or begins with `startsWith`. */
export type ClaimCondition = { claim: string } & ({ equals: string[] } | { startsWith: string });

/** The permissions of a provider's tokens. */
export interface FederatedScope {
  agent: { id: string } | { claim: string };
  /** Absent: any session of the agent. */
  session?: { id: string } | { claim: string };
  /** Absent: its tokens have no subject. */
  subjectClaim?: string;
}

/** An issuer of tokens that a project accepts. Deleted ones stay, so that deleting twice succeeds. */
export interface IdentityProviderDocument extends Revised, AuditFields {
  _id: string;
  projectId: string;
  name: string;
  issuer: string;
  /** Absent: the discovery document of the issuer says where its keys are. */
  jwksUri?: string;
  algorithms: Algorithm[];
  maxLifetimeS: number;
  conditions: ClaimCondition[];
  scope: FederatedScope;
  /** A project as files manages it. Absent: none does. */
  managed?: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** Set once; its tokens no longer work. */
  deletedAt?: Date;
  /** Events that are not published yet. */
  outbox: OutboxEntry[];
}

/** Absent fields stay unchanged; a null address of the keys means discovery. */
export type IdentityProviderChanges = Partial<
  Pick<IdentityProviderDocument, "name" | "algorithms" | "maxLifetimeS" | "conditions" | "scope" | "managed">
> & { jwksUri?: string | null };

export const identityProviderIndexes: CollectionIndexes = {
  collection: "identity_providers",
  indexes: [{ name: "project", key: { projectId: 1, createdAt: -1 } }, auditIndex],
};

/** Providers that are not deleted, unless a method says otherwise. */
export type IdentityProviderStore = ReturnType<typeof createIdentityProviderStore>;

const live = { deletedAt: { $exists: false } };

export function createIdentityProviderStore(db: Db) {
  const providers: Collection<IdentityProviderDocument> = db.collection(identityProviderIndexes.collection);
  return {
    collection: providers,
    insert: async (provider: IdentityProviderDocument) => {
      await providers.insertOne(provider);
    },
    count: (projectId: string) => providers.countDocuments({ projectId, ...live }),
    /** Newest first. */
    list: (projectId: string) =>
      providers
        .find({ projectId, ...live })
        .sort({ createdAt: -1, _id: -1 })
        .toArray(),
    find: (projectId: string, id: string) => providers.findOne({ _id: id, projectId, ...live }),
    /** For a token, which names the provider and thereby the project. */
    findForToken: (id: string) => providers.findOne({ _id: id, ...live }),
    /**
     * Records the event, if one is given, in the same write. Null if the project has no such provider, or it is
     * not at an expected revision.
     */
    update: (
      { projectId, id }: { projectId: string; id: string },
      { jwksUri, ...changes }: IdentityProviderChanges,
      at: Date,
      event: OutboxEntry | undefined,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ) =>
      providers.findOneAndUpdate(
        { _id: id, projectId, ...live, ...atRevision(expected) },
        {
          $set: { ...changes, ...(typeof jwksUri === "string" && { jwksUri }), updatedAt: at },
          $inc: nextRevision,
          ...(jwksUri === null && { $unset: { jwksUri: "" as const } }),
          $push: { audit: entry, ...(event && { outbox: event }) },
        },
        { returnDocument: "after" },
      ),
    /**
     * Marks it as deleted and records the event in the same write. `unknown`: the project never had it. `changed`: it is not
     * at an expected revision.
     */
    remove: async (
      { projectId, id }: { projectId: string; id: string },
      at: Date,
      event: OutboxEntry,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ) => {
      const removed = await providers.updateOne(
        { _id: id, projectId, ...live, ...atRevision(expected) },
        { $set: { deletedAt: at }, $push: { outbox: event, audit: entry } },
        deletion,
      );
      if (removed.matchedCount > 0) return "removed";
      const found = await providers.findOne({ _id: id, projectId });
      if (found === null) return "unknown";
      return found.deletedAt === undefined ? "changed" : "already";
    },
  };
}
