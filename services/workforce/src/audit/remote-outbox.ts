import type { CallOptions, Client } from "@connectrpc/connect";
import { type AuditOutbox, readEntry } from "@muster/events/audit";
import type { AuditOutboxService } from "@muster/proto/audit";

/** The entries that the documents of another service carry. */
export function remoteOutbox(
  service: Client<typeof AuditOutboxService>,
  callAsPlatform: () => CallOptions,
): AuditOutbox {
  return {
    list: async (limit) => {
      const { pending } = await service.listPendingEntries({ limit }, callAsPlatform());
      return pending.flatMap(({ collection, documentId, entry: message }) => {
        const entry = readEntry(message);
        return entry === undefined ? [] : [{ collection, documentId, entryId: entry.id, entry }];
      });
    },
    drop: (places) =>
      service.dropPendingEntries(
        {
          places: places.map(({ collection, documentId, entryId }) => ({ collection, documentId, entryId })),
        },
        callAsPlatform(),
      ),
  };
}
