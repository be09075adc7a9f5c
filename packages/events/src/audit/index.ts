export { type AuditEntry, type AuditFields, auditIndex } from "./audit-index.ts";
export {
  type AuditedCollection,
  type AuditOutbox,
  createAuditOutbox,
  type PendingEntry,
} from "./audit-outbox.ts";
export { type AuditChange, type Auditor, createAuditor, type OwnAction, sameFields } from "./auditor.ts";
export { entryMessage, mountAuditOutbox, readEntry } from "./mount-audit-outbox.ts";
