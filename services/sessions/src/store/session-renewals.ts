import { type Held, holderFilter } from "./moves.ts";
import type { SessionCollection } from "./session-collection.ts";
import type { Lease, SessionDocument } from "./session-document.ts";

export interface Renewal {
  held: Held;
  until: Date;
  /** When the session expires if nothing else is written. Null: never. */
  expiresAt: Date | null;
}

interface RenewedSession extends Pick<SessionDocument, "_id" | "projectId" | "epoch"> {
  lease: Pick<Lease, "runId" | "cancelRequested">;
}

/** Keeps leases. */
export function leaseRenewals(sessions: SessionCollection) {
  return {
    /**
     * Renews leases, and reads by the ids of their runs those that are still held. One that was handed over is not: a late
     * renewal must not keep others from adopting its turn.
     */
    renew: async (
      renewals: readonly Renewal[],
    ): Promise<ReadonlyMap<string, Pick<Lease, "cancelRequested">>> => {
      const notHandedOver = { "lease.handedOver": { $exists: false } };
      await sessions.bulkWrite(
        renewals.map(({ held, until, expiresAt }) => ({
          updateOne: {
            filter: { ...holderFilter(held), ...notHandedOver },
            update: { $set: { "lease.until": until, expiresAt } },
          },
        })),
        { ordered: false },
      );
      const byRun = new Map(renewals.map(({ held }) => [held.runId, held]));
      const found = await sessions
        .find<RenewedSession>(
          {
            _id: { $in: renewals.map(({ held }) => held.sessionId) },
            projectId: { $in: [...new Set(renewals.map(({ held }) => held.projectId))] },
            "lease.runId": { $in: [...byRun.keys()] },
            ...notHandedOver,
          },
          { projection: { projectId: 1, epoch: 1, "lease.runId": 1, "lease.cancelRequested": 1 } },
        )
        .toArray();
      return new Map(
        found.flatMap(({ _id, projectId, epoch, lease }) => {
          const held = byRun.get(lease.runId);
          const isHeld = held?.sessionId === _id && held.projectId === projectId && held.epoch === epoch;
          return isHeld ? [[lease.runId, lease] as const] : [];
        }),
      );
    },
  };
}
