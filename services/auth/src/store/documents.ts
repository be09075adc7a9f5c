import type { OutboxEntry } from "@muster/events";
import type { Permission } from "@muster/rpc";

/** A tenant. */
export interface ProjectDocument {
  _id: string;
  name: string;
  createdAt: Date;
}

/** An API key. Deleted keys stay, so that deleting twice succeeds and a secret can never be issued again. */
export interface ApiKeyDocument {
  _id: string;
  projectId: string;
  name: string;
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  permissions: Permission[];
  /** The bootstrap key: may act in any project. */
  anyProject: boolean;
  /** The only agent that it may be used for. Absent: any. */
  agentId?: string;
  createdAt: Date;
  /** Absent: never expires. */
  expiresAt?: Date;
  /** To the minute. Absent: never used. */
  lastUsedAt?: Date;
  /** Set once; the key no longer works. */
  deletedAt?: Date;
  /** Events that are not published yet. */
  outbox: OutboxEntry[];
}

export function isUsable(key: ApiKeyDocument, nowMs: number): boolean {
  return key.deletedAt === undefined && (key.expiresAt === undefined || key.expiresAt.getTime() > nowMs);
}
