export { anAuditEntry } from "./an-audit-entry.ts";
export { startNatsServer, type TestNatsServer } from "./nats-server.ts";
