import type { WorkforceContext } from "../context.ts";
import type { HookDeliveryDocument, HookDocument } from "../store/hook-document.ts";

const keepMs = 7 * 24 * 3_600_000;
const shownLength = 1_024;

interface Arrived {
  /** JSON. */
  body: string;
  /** Absent: it equals no other delivery. */
  identity?: string;
  replayOf?: string;
}

/** Stores a delivery unless its event was stored before, and has it carried out. `deliveryId`: the one that is stored. */
export async function storeDelivery(
  { hookDeliveries, hookArrivals, newId, clock }: WorkforceContext,
  { _id: hookId, projectId, agentId, threadKey }: HookDocument,
  { body, identity, replayOf }: Arrived,
): Promise<{ deliveryId: string; delivery: HookDeliveryDocument }> {
  const _id = newId("hdl");
  const now = new Date(clock.now());
  const delivery: HookDeliveryDocument = {
    ...{ _id, projectId, agentId, hookId, identity: identity ?? `own ${_id}`, body },
    bodyStart: body.slice(0, shownLength).toWellFormed(),
    bodyLength: body.length,
    ...(replayOf !== undefined && { replayOf }),
    ...(threadKey !== undefined && { isOrdered: true }),
    ...{ status: "accepted", dueAt: now, lease: null, createdAt: now },
    expiresAt: new Date(now.getTime() + keepMs),
  };
  const deliveryId = await hookDeliveries.insert(delivery);
  if (deliveryId === _id) hookArrivals.onArrival();
  return { deliveryId, delivery };
}
