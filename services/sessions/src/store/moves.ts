import type { Filter } from "mongodb";
import { isExpired, isLocked, type SessionDocument } from "./session-document.ts";

/**
 * What a session is at a moment: `idle`, `paused` (waits for tool results), `locked` (an instance executes),
 * `abandoned` (the lease ran out without a release: its holder is dead or cut off), `expired`.
 */
export type SessionPhase = "idle" | "paused" | "locked" | "abandoned" | "expired";

export function phaseOf(session: SessionDocument, nowMs: number, onlyHolder?: string): SessionPhase {
  if (isExpired(session, nowMs)) return "expired";
  if (session.lease !== null) return isLocked(session, nowMs, onlyHolder) ? "locked" : "abandoned";
  return session.execution?.state === "paused" ? "paused" : "idle";
}

export interface SessionKey {
  projectId: string;
  sessionId: string;
  /** Set when the caller may use sessions of this agent only. */
  agentId?: string;
}

/** The right to write, gained by a lock. */
export interface Held extends SessionKey {
  epoch: number;
  runId: string;
}

interface HolderMove {
  by: "holder";
  from: readonly SessionPhase[];
}

interface OpenMove {
  by: "anyone";
  from: readonly SessionPhase[];
  /** Says `from` to the store. `onlyHolder`: every other holder is known to be dead. */
  guard: (now: Date, onlyHolder?: string) => Filter<SessionDocument>;
}

// A holder whose lease ran out, or whose session timed out meanwhile, may write until somebody else has moved
// the session: the epoch tells, not the time.
const whileHeld = { by: "holder", from: ["locked", "abandoned", "expired"] } as const satisfies HolderMove;

/**
 * Every change of a session. A holder's move names its epoch and run and leaves the epoch alone. Any
 * other is open to whoever finds the session in the right phase and moves the epoch, so that whoever held the
 * session before can write no more. `$not` matches null and absent too, stored for "never" and "nobody".
 */
export const moves = {
  lock: {
    by: "anyone",
    from: ["idle", "paused", "abandoned"],
    guard: (now, onlyHolder) => ({
      status: "active",
      expiresAt: { $not: { $lte: now } },
      ...(onlyHolder === undefined
        ? { "lease.until": { $not: { $gt: now } } }
        : { $or: [{ "lease.until": { $not: { $gt: now } } }, { "lease.holder": { $ne: onlyHolder } }] }),
    }),
  },
  renew: whileHeld,
  save: whileHeld,
  /** Ends or pauses the execution. */
  settle: whileHeld,
  /** Undoes a lock that came to nothing. */
  release: whileHeld,
  requestCancel: whileHeld,
  clear: {
    by: "anyone",
    from: ["idle", "paused", "locked", "abandoned", "expired"],
    guard: () => ({ status: "active" }),
  },
  restore: {
    by: "anyone",
    from: ["expired"],
    guard: (now) => ({ $or: [{ status: "expired" }, { expiresAt: { $lte: now } }] }),
  },
  /** Removes the state of a session that timed out. */
  strip: {
    by: "anyone",
    from: ["expired"],
    guard: (now) => ({ status: "active", expiresAt: { $lte: now } }),
  },
} as const satisfies Record<string, HolderMove | OpenMove>;

export function holderFilter(held: Held): Filter<SessionDocument> {
  return { ...keyFilter(held), epoch: held.epoch, "lease.runId": held.runId };
}

export function openFilter(
  key: SessionKey,
  move: OpenMove,
  now: Date,
  onlyHolder?: string,
): Filter<SessionDocument> {
  return { ...keyFilter(key), ...move.guard(now, onlyHolder) };
}

export function keyFilter({ sessionId: _id, projectId, agentId }: SessionKey): Filter<SessionDocument> {
  return { _id, projectId, ...(agentId === undefined ? {} : { agentId }) };
}
