/**
 * The states of a thread. `queued`: it waits for its agent, or for users' decisions about calls of its run. `pending`: it
 * is next, or its run has not reached the computer yet. `running`: its run has reached the computer, or a finished thread
 * continues at once. The other four are final until a follow-up reopens the thread.
 */
export const statuses = [
  "queued",
  "pending",
  "running",
  "completed",
  "failed",
  "cancelled",
  "blocked",
] as const;
export type ThreadStatus = (typeof statuses)[number];

/** The legal changes. A new status does not compile until it has a row. */
export const threadTransitions = {
  queued: ["pending", "running", "blocked", "cancelled"],
  pending: ["running", "failed", "blocked", "cancelled"],
  running: ["queued", "completed", "failed", "blocked", "cancelled"],
  completed: ["running", "queued"],
  failed: ["running", "queued"],
  cancelled: ["running", "queued"],
  blocked: ["running", "queued"],
} as const satisfies Record<ThreadStatus, readonly ThreadStatus[]>;

/** The statuses that a thread begins with. */
export const firstStatuses = ["pending", "queued", "blocked"] as const satisfies readonly ThreadStatus[];

export const finalStatuses = ["completed", "failed", "cancelled", "blocked"] as const;
export type FinalStatus = (typeof finalStatuses)[number];

/** How a run leaves its agent: at its end, or `queued` until users have decided. */
export type LeftStatus = FinalStatus | "queued";

/** No work is left, until a follow-up. */
export function isFinal(status: ThreadStatus): status is FinalStatus {
  return finalStatuses.some((final) => final === status);
}

/** A run has it, or will next. */
export const inFlightStatuses = ["pending", "running"] as const satisfies readonly ThreadStatus[];

export const openStatuses = ["queued", "pending", "running"] as const satisfies readonly ThreadStatus[];
