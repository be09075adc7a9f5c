import type { OutboxEntry } from "@muster/events";
import { type AuditEntry, auditIndex } from "@muster/events/audit";
import type { CollectionIndexes } from "@muster/store";
import { deletion } from "@muster/store";
import type { Collection, Db } from "mongodb";
import type { LoginDocument, TokenDocument } from "./documents.ts";

/** Clocks differ, so the store deletes a credential only when no instance can still take it for valid. */
const keptAfterExpiryS = 3600;

export const tokenIndexes: CollectionIndexes = {
  collection: "tokens",
  indexes: [
    { name: "hash", key: { hash: 1 }, unique: true },
    auditIndex,
    { name: "expired", key: { expiresAt: 1 }, expireAfterSeconds: keptAfterExpiryS },
  ],
};

/** The tokens that a caller may revoke. */
export interface TokenScope {
  projectId: string;
  /** Set if the caller may only use this agent. */
  agentId?: string;
}

/** A token by its credential or by its id. */
export type TokenName = { hash: string } | { id: string };

export type TokenStore = ReturnType<typeof createTokenStore>;

/** Tokens and logins: both die with a key, and end for the same reasons. */
export function createTokenStore(db: Db) {
  const tokens: Collection<TokenDocument | LoginDocument> = db.collection(tokenIndexes.collection);
  return {
    collection: tokens,
    insert: async (token: TokenDocument | LoginDocument) => {
      await tokens.insertOne(token);
    },
    findByHash: (hash: string) => tokens.findOne({ hash }),
    /** The token, unless the scope has no such token that has not expired. */
    findLive: (name: TokenName, scope: TokenScope, now: Date) =>
      tokens.findOne({ ...onlyTokens, ...named(name), ...scope, expiresAt: { $gt: now } }),
    /** Moves the end of a login to `expiresAt` if it is before `cutoff`. */
    extend: async (id: string, expiresAt: Date, cutoff: Date) => {
      await tokens.updateOne({ _id: id, expiresAt: { $lt: cutoff } }, { $set: { expiresAt } });
    },
    /** Marks a token or a login as revoked and records the event in the same write. Changes nothing if it is revoked already. */
    revoke: async (
      { _id, projectId }: Pick<LoginDocument, "_id" | "projectId">,
      at: Date,
      event: OutboxEntry,
      entry: AuditEntry,
    ) => {
      await tokens.updateOne(
        { _id, projectId, revokedAt: { $exists: false } },
        { $set: { revokedAt: at }, $push: { outbox: event, audit: entry } },
        deletion,
      );
    },
  };
}

/** Only tokens have an agent of their own. */
const onlyTokens = { agentId: { $exists: true } };

function named(name: TokenName) {
  return "id" in name ? { _id: name.id } : { hash: name.hash };
}
