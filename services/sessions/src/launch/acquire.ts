import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import type { SessionKey } from "../store/moves.ts";
import type { LockOutcome, SessionStore } from "../store/session-store.ts";

const firstPauseMs = 25;
const longestPauseMs = 200;
const retryAfterMs = 1_000;

/** What is to be locked, and what is said when it cannot be. */
export interface Lockable {
  store: Pick<SessionStore, "lock">;
  key: SessionKey;
  expiresAt(nowMs: number): Date | null;
  /** Throws why it can never be locked; returns when it is merely busy. */
  assertLockable(): Promise<void>;
  /** One sentence for SESSION_BUSY. */
  busy: string;
}

export interface Acquired extends Extract<LockOutcome, { locked: true }> {
  leaseUntilMs: number;
}

/** Takes the lease for an execution, waiting a while for the one before it. Throws SESSION_BUSY. */
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
    // A release on this instance wakes us at once; another instance's is found by looking.
    await context.executions.waitForRelease(lockable.key.sessionId, Math.min(pauseMs, leftMs), signal);
    signal.throwIfAborted();
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function tryLock(
  context: SessionsContext,
  { store, key, expiresAt }: Lockable,
): Promise<Acquired | undefined> {
  const nowMs = context.clock.now();
  const { leaseUntilMs, ...lease } = newLease(context, nowMs);
  const outcome = await store.lock(key, lease, expiresAt(nowMs), new Date(nowMs));
  return outcome.locked ? { ...outcome, leaseUntilMs } : undefined;
}

/** A lease of this instance, not taken yet. */
export function newLease({ newId, timings, instance }: SessionsContext, nowMs: number) {
  const leaseUntilMs = nowMs + timings.leaseMs;
  return { runId: newId("run"), holder: instance, until: new Date(leaseUntilMs), leaseUntilMs };
}
