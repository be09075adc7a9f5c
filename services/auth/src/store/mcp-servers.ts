import type { OutboxEntry } from "@muster/events";
import { type AuditEntry, type AuditFields, auditIndex } from "@muster/events/audit";
import type { SealedText } from "@muster/service";
import {
  atRevision,
  type CollectionIndexes,
  deletion,
  nextRevision,
  type Revised,
  revisionOf,
  unlessDuplicate,
} from "@muster/store";
import type { Collection, Db } from "mongodb";

/** How the platform authenticates, without the secret. */
export type McpAuth =
  | { type: "none" | "bearer" }
  | { type: "header"; name: string }
  | ({ type: "client-credentials" } & McpClient)
  | ({ type: "private-key-jwt"; algorithm: string } & McpClient);

/** A client of an authorization server. */
export interface McpClient {
  clientId: string;
  /** Absent: the one that the MCP server names. */
  issuer?: string;
  scope?: string;
}

/** Encrypted for the server and the origin of its URL, so that no write to the store sends them elsewhere. */
export interface McpSecrets {
  /** Absent: `auth` has no secret. */
  authSecret?: SealedText;
  /** The values of the headers as a JSON object by their names. Absent: no headers. */
  headers?: SealedText;
}

/** An MCP server of a project. Deleted ones stay without their settings, so that deleting twice succeeds. */
export interface McpServerDocument extends McpSecrets, Revised, AuditFields {
  _id: string;
  projectId: string;
  slug: string;
  url: string;
  auth: McpAuth;
  headerNames: string[];
  /** Names and patterns of the tools that may be used. Empty: all. */
  tools: string[];
  idleTimeoutMs: number;
  timeoutMs: number;
  enabled: boolean;
  /** A project as files manages it. Absent: none does. */
  managed?: boolean;
  createdAt: Date;
  updatedAt: Date;
  /** Set once. */
  deletedAt?: Date;
  /** Events that are not published yet. */
  outbox: OutboxEntry[];
}

/** Absent fields stay unchanged; a secret that is null is removed. */
export type McpServerChanges = Partial<
  Pick<
    McpServerDocument,
    "url" | "auth" | "headerNames" | "tools" | "idleTimeoutMs" | "timeoutMs" | "enabled" | "managed"
  >
> & { [Name in keyof McpSecrets]?: SealedText | null };

export const mcpServerIndexes: CollectionIndexes = {
  collection: "mcp_servers",
  indexes: [
    {
      name: "slug",
      key: { projectId: 1, slug: 1 },
      unique: true,
      partialFilterExpression: { slug: { $exists: true } },
    },
    auditIndex,
  ],
};

/** Servers that are not deleted. */
const live = { slug: { $exists: true } };

export function createMcpServerStore(db: Db) {
  const servers: Collection<McpServerDocument> = db.collection(mcpServerIndexes.collection);
  return {
    collection: servers,
    /** False if the project has a server with this slug. */
    insert: (server: McpServerDocument) => unlessDuplicate(servers.insertOne(server)),
    count: (projectId: string) => servers.countDocuments({ projectId, ...live }),
    /** By slug. */
    list: (projectId: string) =>
      servers
        .find({ projectId, ...live })
        .sort({ slug: 1 })
        .toArray(),
    find: (projectId: string, id: string) => servers.findOne({ _id: id, projectId, ...live }),
    /** Records the event in the same write. Null if the server was changed or deleted since it was read. */
    update: (
      server: McpServerDocument,
      { authSecret, headers, ...changes }: McpServerChanges,
      at: Date,
      event: OutboxEntry,
      entry: AuditEntry,
    ) =>
      servers.findOneAndUpdate(
        {
          ...{ _id: server._id, projectId: server.projectId, updatedAt: server.updatedAt, ...live },
          ...atRevision([revisionOf(server)]),
        },
        {
          $set: {
            ...{ ...changes, updatedAt: at },
            ...(authSecret && { authSecret }),
            ...(headers && { headers }),
          },
          ...((authSecret === null || headers === null) && {
            $unset: {
              ...(authSecret === null && { authSecret: "" as const }),
              ...(headers === null && { headers: "" as const }),
            },
          }),
          $inc: nextRevision,
          $push: { outbox: event, audit: entry },
        },
        { returnDocument: "after" },
      ),
    /**
     * Removes everything but the id, and records the event in the same write. `unknown`: the project never had it.
     * `changed`: it is not at an expected revision.
     */
    remove: async (
      { projectId, id }: { projectId: string; id: string },
      at: Date,
      event: OutboxEntry,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ) => {
      const removed = await servers.updateOne(
        { _id: id, projectId, ...live, ...atRevision(expected) },
        {
          $set: { deletedAt: at },
          $unset: { slug: "", url: "", auth: "", authSecret: "", headers: "", headerNames: "", tools: "" },
          $push: { outbox: event, audit: entry },
        },
        deletion,
      );
      if (removed.matchedCount > 0) return "removed";
      const found = await servers.findOne({ _id: id, projectId });
      if (found === null) return "unknown";
      return found.deletedAt === undefined ? "changed" : "already";
    },
  };
}
