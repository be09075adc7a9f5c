import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { SessionsContext } from "../../context.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { Beginning, StoredCommand, TurnOptions } from "../../store/session-document.ts";
import type { LockOutcome, NewLease } from "../../store/session-leases.ts";
import type { SessionStore } from "../../store/session-store.ts";

const firstPauseMs = 25;
const longestPauseMs = 200;
const retryAfterMs = 1_000;

/** A document to lock, and the errors if it cannot be locked. */
export interface Lockable {
  store: Pick<SessionStore, "lock">;
  key: SessionKey;
  expiresAt(nowMs: number): Date | null;
  /** Throws if it can never be locked; returns if it is only busy. */
  assertLockable(): Promise<void>;
  /** One sentence for SESSION_BUSY. */
  busy: string;
  /** The execution that begins with the lock. Absent: it continues the stored one. */
  executionId?: string;
  /** Absent: no process can adopt the turn. */
  turn?: RequestedTurn;
}

/** The values that another instance needs to adopt a turn. */
export interface RequestedTurn extends TurnOptions {
  command: StoredCommand;
  /** The minimum number of bytes that the command adds to the session. */
  bytes: number;
  /** The session begins with this turn. */
  opensSession?: boolean;
}

export interface Acquired extends Extract<LockOutcome, { locked: true }> {
  /** The lease that was taken. */
  lease: NewLease;
}

/** A session and a command of this size fit into one document of the store. */
const maxCommandBytes = 1024 * 1024;

/** Takes the lease for an execution and waits a while for the previous one to end. Throws SESSION_BUSY. */
export async function acquire(
  context: SessionsContext,
  lockable: Lockable,
  signal: AbortSignal,
): Promise<Acquired> {
  const waitUntilMs = performance.now() + context.timings.busyWaitMs;
  let pauseMs = firstPauseMs;
  while (true) {
    const acquired = await tryLock(context, lockable);
    if (acquired !== undefined) return acquired;
    await lockable.assertLockable();
    const leftMs = waitUntilMs - performance.now();
    if (leftMs <= 0) throw rpcError(Reason.SESSION_BUSY, lockable.busy, { retryAfterMs });
    // A release on this instance wakes us at once; one on another instance is found by polling.
    await context.executions.waitForRelease(lockable.key.sessionId, Math.min(pauseMs, leftMs), signal);
    signal.throwIfAborted();
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function tryLock(
  context: SessionsContext,
  { store, key, expiresAt, executionId, turn }: Lockable,
): Promise<Acquired | undefined> {
  const nowMs = context.clock.now();
  const lease = newLease(context, nowMs, turn);
  if (executionId !== undefined) lease.executionId = executionId;
  const liveRuns = context.executions.runsOf(key.sessionId);
  const outcome = await store.lock(key, lease, expiresAt(nowMs), new Date(nowMs), liveRuns);
  return outcome.locked ? { ...outcome, lease } : undefined;
}

/** The beginning of a turn. */
export function beginningOf({ beginning }: NewLease): Beginning {
  if (beginning === undefined) throw new Error("The lease was taken without a turn.");
  return beginning;
}

/** A lease for this instance, not taken yet. */
export function newLease(
  { newId, timings, instance }: Pick<SessionsContext, "newId" | "timings" | "instance">,
  nowMs: number,
  turn?: RequestedTurn,
): NewLease {
  const lease: NewLease = {
    runId: newId("run"),
    holder: instance,
    until: new Date(nowMs + timings.leaseMs),
  };
  if (turn === undefined) return lease;
  const { detached, reportsUsage, keyId, maxUsd, limits, command, bytes, opensSession } = turn;
  lease.options = { detached, reportsUsage, ...(keyId !== undefined && { keyId }) };
  if (maxUsd !== undefined) lease.options.maxUsd = maxUsd;
  if (limits !== undefined) lease.options.limits = limits;
  lease.beginning = { seed: newId("run"), at: new Date(nowMs) };
  if (opensSession === true) lease.beginning.opensSession = true;
  if (bytes <= maxCommandBytes) lease.beginning.command = command;
  return lease;
}
