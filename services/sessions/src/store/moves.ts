import type { Filter } from "mongodb";
import { isExpired, isLocked, type SessionDocument, type TurnOfSession } from "./session-document.ts";

/**
 * The state of a session at a moment: `idle`, `paused` (waits for tool results), `locked` (an instance executes it),
 * `abandoned` (the lease expired without a release: its holder is dead or cut off), `expired`.
 */
export type SessionPhase = "idle" | "paused" | "locked" | "abandoned" | "expired";

export function phaseOf(session: TurnOfSession, nowMs: number, onlyHolder?: string): SessionPhase {
  if (isExpired(session, nowMs)) return "expired";
  if (session.lease !== null) return isLocked(session, nowMs, onlyHolder) ? "locked" : "abandoned";
  return session.execution?.state === "paused" ? "paused" : "idle";
}

export interface SessionKey {
  projectId: string;
  sessionId: string;
  /** Set if the caller may only use sessions of this agent. */
  agentId?: string;
}

/** The right to write, obtained by a lock. */
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
  /** `from` as a filter. `onlyHolder`: every other holder is known to be dead. */
  guard: (now: Date, onlyHolder?: string) => Filter<SessionDocument>;
}

/**
 * Leaves the right to write unchanged, and changes only fields that no execution writes: a running turn is not
 * disturbed.
 */
interface AsideMove extends Omit<OpenMove, "by"> {
  by: "bystander";
}

// A holder whose lease expired, or whose session timed out meanwhile, may write until another party has moved the
// session: the epoch decides, not the time.
const whileHeld = { by: "holder", from: ["locked", "abandoned", "expired"] } as const satisfies HolderMove;

/**
 * Every change to a session. A holder's move names its epoch and run and leaves the epoch unchanged. Any other
 * move is open to every caller that finds the session in the right phase; unless it is a bystander's, it raises the
 * epoch, so that the previous holder can no longer write. `$not` also matches null and absent, which are stored for "never" and "nobody".
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
  /** Takes the lease of a dead holder, to continue its turn. */
  adopt: {
    by: "anyone",
    from: ["abandoned"],
    guard: (now, onlyHolder) => ({
      status: "active",
      expiresAt: { $not: { $lte: now } },
      ...(onlyHolder === undefined
        ? { "lease.until": { $lte: now } }
        : { $or: [{ "lease.until": { $lte: now } }, { "lease.holder": { $ne: onlyHolder } }] }),
    }),
  },
  /** Makes the lease run out. */
  abandon: whileHeld,
  /** Stores the turn unchanged and makes the lease run out, because the holder stops. */
  handOver: whileHeld,
  renew: whileHeld,
  save: whileHeld,
  /** Ends or pauses the execution. */
  settle: whileHeld,
  release: whileHeld,
  /** Undoes a lock whose request was refused. */
  undoLock: whileHeld,
  /** Replaces the metadata. */
  describe: {
    by: "bystander",
    from: ["idle", "paused", "locked", "abandoned"],
    guard: (now) => ({ status: "active", expiresAt: { $not: { $lte: now } } }),
  },
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
  /** Removes the state of a session that timed out, or that an earlier release has expired without removing all of it. */
  strip: {
    by: "anyone",
    from: ["expired"],
    guard: (now) => ({
      $or: [
        { status: "active", expiresAt: { $lte: now } },
        { status: "expired", tail: { $type: "string" } },
      ],
    }),
  },
} as const satisfies Record<string, HolderMove | AsideMove | OpenMove>;

export function holderFilter(held: Held): Filter<SessionDocument> {
  return { ...keyFilter(held), epoch: held.epoch, "lease.runId": held.runId };
}

export function openFilter(
  key: SessionKey,
  move: OpenMove | AsideMove,
  now: Date,
  onlyHolder?: string,
): Filter<SessionDocument> {
  return { ...keyFilter(key), ...move.guard(now, onlyHolder) };
}

export function keyFilter({ sessionId: _id, projectId, agentId }: SessionKey): Filter<SessionDocument> {
  return { _id, projectId, ...(agentId === undefined ? {} : { agentId }) };
}
