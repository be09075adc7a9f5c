import type { OutboxEntry } from "@muster/events";
import type { NewId } from "@muster/service";

/** Says that a credential of the key no longer works. Goes into the write that makes it so. */
export function revokedEvent(
  { newId }: { newId: NewId },
  key: { _id: string; projectId: string },
): OutboxEntry {
  return {
    id: newId("evt"),
    subject: "auth.key-revoked",
    event: { keyId: key._id, projectId: key.projectId },
  };
}
