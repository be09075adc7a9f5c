import type { Actor } from "@muster/rpc";
import type { AuditAction } from "@muster/wire/audit";

/** Who changed what. A document carries it, added in the same write as the change, until the audit log has it. */
export interface AuditEntry {
  /** `aud_…` */
  id: string;
  projectId: string;
  at: Date;
  actor: Actor;
  action: AuditAction;
  /** The id of the changed thing, or its name if it has none. */
  target: string;
  /** SHA-256 of the changed settings, in hexadecimal digits. */
  before?: string;
  after?: string;
  requestId: string;
  outcome: "succeeded" | "approved" | "denied";
}

/** The fields of a document that carries entries. */
export interface AuditFields {
  /** Absent: there were none. */
  audit?: AuditEntry[];
  /** It was deleted, and goes when the log has its entries. */
  tombstone?: true;
}

/** The index of a collection whose documents carry entries. */
export const auditIndex = {
  name: "audit",
  key: { "audit.id": 1 },
  partialFilterExpression: { "audit.id": { $exists: true } },
} as const;
