import type { Metrics } from "@muster/metrics";

/** The right of one process to change a document, as the document's field `lease`. */
export interface Lease {
  /** The process. */
  holder: string;
  /** Others may take it afterwards. Its holder may write until one has: the document's epoch decides, not the time. */
  until: Date;
}

/** The end of a lease that its holder has given up. Others may take it at once, and know that no process has died. */
export const givenUp = new Date(0);

/** Whether the holder may live. `onlyHolder`: no other process can exist, so that leases of others are of dead ones. */
export function isHeld(lease: Lease | null, nowMs: number, onlyHolder?: string): boolean {
  if (lease === null || (onlyHolder !== undefined && lease.holder !== onlyHolder)) return false;
  return lease.until.getTime() > nowMs;
}

/** The opposite as a filter. `$not` also matches null and absent: there is no lease. */
export function notHeld(now: Date, onlyHolder?: string) {
  const hasEnded = { "lease.until": { $not: { $gt: now } } };
  return onlyHolder === undefined ? hasEnded : { $or: [hasEnded, { "lease.holder": { $ne: onlyHolder } }] };
}

/** Counts a lease that was taken if its holder had died. `lease`: before that. */
export function countTakeOver(
  metrics: Metrics | undefined,
  kind: "session" | "run" | "recording",
  lease: Pick<Lease, "until"> | null | undefined,
): void {
  if (lease && lease.until > givenUp) metrics?.count("muster_lease_takeovers_total", { kind });
}
