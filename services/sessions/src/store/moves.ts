import { isHeld } from "@muster/store";
import type { Filter } from "mongodb";
import { isExpired, type SessionDocument, type TurnOfSession } from "./session-document.ts";

/**
 * The state of a session at a moment: `idle`, `paused` (waits for tool results), `asking` (for decisions), `locked` (an instance executes it),
 * `abandoned` (the lease expired without a release: its holder is dead or cut off), `expired`.
 */
export type SessionPhase = "idle" | "paused" | "asking" | "locked" | "abandoned" | "expired";

export function phaseOf(session: TurnOfSession, nowMs: number, onlyHolder?: string): SessionPhase {
  if (isExpired(session, nowMs)) return "expired";
  if (session.lease !== null) return isHeld(session.lease, nowMs, onlyHolder) ? "locked" : "abandoned";
  const { state } = session.execution ?? {};
  return state === "paused" || state === "asking" ? state : "idle";
}

export interface SessionKey {
  projectId: string;
  sessionId: string;
  /** Set if the caller may only use sessions of this agent. */
  agentId?: string;
  /** Set if the caller may only use sessions of this subject. */
  subject?: string;
}

/** The right to write, obtained by a lock. */
export interface Held extends SessionKey {
  epoch: number;
  runId: string;
}

/*
 * The conditions of all changes. A holder's names its epoch and run: one whose lease expired, or whose session timed out
 * meanwhile, may write until another party has moved the session. Any other change raises the epoch, so that the previous
 * holder can no longer write, unless it changes only fields that no execution writes. `moves.test.ts` has the table.
 */

export function holderFilter(held: Held): Filter<SessionDocument> {
  return { ...keyFilter(held), epoch: held.epoch, "lease.runId": held.runId };
}

export function keyFilter({
  sessionId: _id,
  projectId,
  agentId,
  subject,
}: SessionKey): Filter<SessionDocument> {
  return {
    ...{ _id, projectId },
    ...(agentId === undefined ? {} : { agentId }),
    ...(subject === undefined ? {} : { subject }),
  };
}

/** Not expired. `$not` also matches null: never. */
export function isActive(now: Date): Filter<SessionDocument> {
  return { status: "active", expiresAt: { $not: { $lte: now } } };
}

/** When something that is active now expires. `ttlMs` 0: never. */
export function expiryAfter(ttlMs: number): (nowMs: number) => Date | null {
  return (nowMs) => (ttlMs === 0 ? null : new Date(nowMs + ttlMs));
}
