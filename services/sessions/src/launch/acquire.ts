import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import type { SessionKey } from "../store/moves.ts";
import type { LockOutcome, SessionStore } from "../store/session-store.ts";

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
}

export interface Acquired extends Extract<LockOutcome, { locked: true }> {
  leaseUntilMs: number;
}

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
  { store, key, expiresAt, executionId }: Lockable,
): Promise<Acquired | undefined> {
  const nowMs = context.clock.now();
  const { leaseUntilMs, ...lease } = newLease(context, nowMs);
  const liveRuns = context.executions.runsOf(key.sessionId);
  const named = executionId === undefined ? lease : { ...lease, executionId };
  const outcome = await store.lock(key, named, expiresAt(nowMs), new Date(nowMs), liveRuns);
  return outcome.locked ? { ...outcome, leaseUntilMs } : undefined;
}

/** A lease for this instance, not taken yet. */
export function newLease({ newId, timings, instance }: SessionsContext, nowMs: number) {
  const leaseUntilMs = nowMs + timings.leaseMs;
  return { runId: newId("run"), holder: instance, until: new Date(leaseUntilMs), leaseUntilMs };
}
