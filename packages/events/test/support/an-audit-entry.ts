import { createIds } from "@muster/service";
import type { AuditEntry } from "../../src/audit/index.ts";

const newId = createIds();

/** An entry with an id of its own. */
export function anAuditEntry(fields: Partial<AuditEntry> = {}): AuditEntry {
  return {
    ...{ id: newId("aud"), projectId: "prj_one", at: new Date(), actor: { kind: "key", id: "key_1" } },
    ...{ action: "key.create", target: "key_2", requestId: "req_1", outcome: "succeeded" },
    ...fields,
  };
}
