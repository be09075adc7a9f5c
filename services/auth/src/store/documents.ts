import type { OutboxEntry } from "@muster/events";
import type { AuditFields } from "@muster/events/audit";
import type { ApprovalRules, MonthlyLimits, Permission, SpendingLimits } from "@muster/rpc";
import type { Revised } from "@muster/store";

/** A tenant. */
export interface ProjectDocument extends Revised, AuditFields {
  _id: string;
  name: string;
  createdAt: Date;
  /** Absent limits are those of the installation. */
  limits?: ProjectLimits;
  /** Stricter rules for the tool calls of all its agents. Absent: none. */
  approvals?: ApprovalRules;
  /** The only hosts on which the platform calls HTTP tools. Absent: none. */
  toolHosts?: ToolHost[];
}

/** A host of HTTP tools, as in a URL. Models must not trust the results of an untrusted one. */
export interface ToolHost {
  host: string;
  isUntrusted: boolean;
}

/**
 * The monthly ones are those of its workforce agents. Earlier releases knew no others: another meaning of the stored names
 * would make an update stop sessions, and instances of an earlier release stop runs.
 */
export interface ProjectLimits extends MonthlyLimits {
  /** The limit of all its keys and tokens. */
  requestsPerMinute?: number;
  /** The limits of sessions, workers and workforce agents together. */
  overall?: SpendingLimits;
  /** The limit of each subject in dollars, a decimal number. */
  subjectMonthlyUsd?: string;
}

/** An API key. Deleted keys stay, so that deleting twice succeeds and a secret can never be issued again. */
export interface ApiKeyDocument extends AuditFields {
  _id: string;
  projectId: string;
  name: string;
  /** SHA-256 of the secret, hexadecimal. */
  hash: string;
  permissions: Permission[];
  /** How often the secret was replaced; tokens that an earlier one minted are dead. Absent: never. */
  generation?: number;
  /** The bootstrap key: may act in any project. */
  anyProject: boolean;
  /** The only agent that it may be used for. Absent: any. */
  agentId?: string;
  /** The only computer that it connects, without any permission. Absent: it connects none. */
  computerId?: string;
  /** The use of models with it and its tokens. Absent: not limited. */
  limits?: SpendingLimits;
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

/** A credential that a key has made. Deleted by the store some time after it has expired. */
interface MintedDocument extends AuditFields {
  _id: string;
  projectId: string;
  /** SHA-256 of the credential, hexadecimal. */
  hash: string;
  /** The key that made it: the credential dies with it. */
  keyId: string;
  /** That key's generation at the time. */
  keyGeneration: number;
  createdAt: Date;
  expiresAt: Date;
  /** Set once; the credential no longer works. */
  revokedAt?: Date;
  /** Events that are not published yet. */
  outbox: OutboxEntry[];
}

/** A login, `log_…`: may do what its key may. Each use moves `expiresAt`. */
export interface LoginDocument extends MintedDocument {
  /** When it ends however often it is used. Absent: with its key. */
  endsAt?: Date;
}

/** An ephemeral token, `tok_…`. */
export interface TokenDocument extends MintedDocument {
  /** The only agent that it may be used for. */
  agentId: string;
  /** The only session that it may be used for. Absent: any of the agent. */
  sessionId?: string;
  /** It has the permission `approve`, for its session. */
  approve?: true;
  /** The most that each of its executions may cost, a decimal number of dollars. Absent: no limit. */
  maxUsd?: string;
  /** The only subject whose sessions it uses. Absent: it is for none. */
  subject?: string;
}

export function isUsable(key: ApiKeyDocument, nowMs: number): boolean {
  return key.deletedAt === undefined && (key.expiresAt === undefined || key.expiresAt.getTime() > nowMs);
}

/** Whether the key still works with the secret that a caller was authenticated with some seconds ago. */
export function isStillUsable(
  key: ApiKeyDocument | null,
  { keyGeneration = 0 }: { keyGeneration?: number },
  nowMs: number,
): key is ApiKeyDocument {
  return key !== null && isUsable(key, nowMs) && (key.generation ?? 0) === keyGeneration;
}

/** A token or a login works only as long as the key that made it, with the secret that the key had then. */
export function isTokenUsable(token: MintedDocument, key: ApiKeyDocument, nowMs: number): boolean {
  const isAlive = token.revokedAt === undefined && token.expiresAt.getTime() > nowMs;
  return isAlive && token.keyGeneration === (key.generation ?? 0) && isUsable(key, nowMs);
}
