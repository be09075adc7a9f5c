import { Reason, rpcError } from "@muster/rpc";
import type { Clock } from "@muster/service";
import type { HookDeliveryStore } from "../store/hook-delivery-store.ts";
import type { HookDocument } from "../store/hook-document.ts";

/** On each instance. */
const perMinute = { hook: 1_200, project: 6_000 };
/** A delivery counts once for each piece of its body that has begun. */
const countedBytes = 64 * 1024;
const windowMs = 60_000;
/** Deliveries of one project that have not ended. */
const maxWaiting = 10_000;
/** How old their count may be. */
const countedForMs = 1_000;

export type DeliveryLimits = ReturnType<typeof createDeliveryLimits>;

/** Bounds the deliveries that are accepted from senders who know the secret of a hook. */
export function createDeliveryLimits(clock: Clock, deliveries: Pick<HookDeliveryStore, "countWaiting">) {
  let endsMs = Number.NEGATIVE_INFINITY;
  /** The deliveries of this minute, by hook and by project. */
  const counts = new Map<string, number>();
  const waiting = new Map<string, { count: Promise<number>; untilMs: number }>();

  const waitingOf = (projectId: string, nowMs: number): Promise<number> => {
    const known = waiting.get(projectId);
    if (known !== undefined && known.untilMs > nowMs) return known.count;
    const count = deliveries.countWaiting(projectId, maxWaiting);
    waiting.set(projectId, { count, untilMs: nowMs + countedForMs });
    return count;
  };

  /** Throws RATE_LIMITED. */
  return async ({ _id, projectId }: HookDocument, bytes: number): Promise<void> => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= endsMs) {
      endsMs = nowMs + windowMs;
      counts.clear();
      waiting.clear();
    }
    const weight = 1 + Math.floor(bytes / countedBytes);
    const bounded = [
      { name: _id, max: perMinute.hook, subject: "This hook" },
      { name: projectId, max: perMinute.project, subject: "This project" },
    ];
    for (const { name, max, subject } of bounded) {
      if ((counts.get(name) ?? 0) + weight <= max) continue;
      const message = `${subject} accepts ${max} deliveries a minute; large ones count several times. Send the event again later.`;
      throw rpcError(Reason.RATE_LIMITED, message, { retryAfterMs: Math.max(1, endsMs - nowMs) });
    }
    for (const { name } of bounded) counts.set(name, (counts.get(name) ?? 0) + weight);
    if ((await waitingOf(projectId, nowMs)) < maxWaiting) return;
    const message = `${maxWaiting} deliveries of this project are already waiting for their agents. Send the event again later.`;
    throw rpcError(Reason.RATE_LIMITED, message, { retryAfterMs: windowMs });
  };
}
