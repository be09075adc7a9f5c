export { type AuditAction, auditActions } from "./audit-actions.ts";
export { type ChainedFields, chainHash, chainStart } from "./chain-hash.ts";
