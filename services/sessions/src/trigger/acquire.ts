import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { found } from "../rpc/access.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired } from "../store/session-document.ts";
import type { LockOutcome } from "../store/session-store.ts";

const firstPauseMs = 25;
const longestPauseMs = 200;
const retryAfterMs = 1_000;

export interface Acquired extends Extract<LockOutcome, { locked: true }> {
  leaseUntilMs: number;
}

/**
 * Locks the session for an execution, waiting a while for the one before it. Throws NOT_FOUND, FORBIDDEN,
 * SESSION_EXPIRED or SESSION_BUSY.
 */
export async function acquire(
  context: SessionsContext,
  key: SessionKey,
  signal: AbortSignal,
): Promise<Acquired> {
  const waitUntilMs = performance.now() + context.timings.busyWaitMs;
  let pauseMs = firstPauseMs;
  while (true) {
    const acquired = await tryLock(context, key);
    if (acquired !== undefined) return acquired;
    await assertLockable(context, key);
    const leftMs = waitUntilMs - performance.now();
    if (leftMs <= 0) throw busy();
    // A release on this instance wakes us at once; another instance's is found by looking.
    await context.executions.waitForRelease(key.sessionId, Math.min(pauseMs, leftMs), signal);
    signal.throwIfAborted();
    pauseMs = Math.min(pauseMs * 2, longestPauseMs);
  }
}

async function tryLock(
  { store, clock, newId, timings, instance, expiryFrom }: SessionsContext,
  key: SessionKey,
): Promise<Acquired | undefined> {
  const nowMs = clock.now();
  const leaseUntilMs = nowMs + timings.leaseMs;
  const lease = { runId: newId("run"), holder: instance, until: new Date(leaseUntilMs) };
  const outcome = await store.lock(key, lease, expiryFrom(nowMs), new Date(nowMs));
  return outcome.locked ? { ...outcome, leaseUntilMs } : undefined;
}

/** Says why the lock matched nothing; returns when the session is merely busy. */
async function assertLockable({ store, clock }: SessionsContext, key: SessionKey): Promise<void> {
  const session = found(key, await store.find(key));
  if (!isExpired(session, clock.now())) return;
  throw rpcError(
    Reason.SESSION_EXPIRED,
    "The session has expired; restore it from stored messages or create another.",
  );
}

function busy() {
  return rpcError(
    Reason.SESSION_BUSY,
    "Another execution of this session is running; try again when it is over.",
    {
      retryAfterMs,
    },
  );
}
