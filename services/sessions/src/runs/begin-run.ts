import type { HandlerContext } from "@connectrpc/connect";
import { Reason, requestIdOf, rpcError } from "@muster/rpc";
import { notifyHolder } from "../abort/notify-holder.ts";
import type { HiddenContext } from "../context.ts";
import type { Execution } from "../driver/execution.ts";
import { found } from "../input/access.ts";
import type { TriggerCommand } from "../input/trigger-command.ts";
import type { RunCommand } from "../input/workforce-run.ts";
import { type Acquired, newLease } from "../launch/acquire.ts";
import { assertTaking } from "../launch/launch.ts";
import { sessionExpired } from "../refusals/session-expired.ts";
import { phaseOf, type SessionKey } from "../store/moves.ts";
import { isExpired, type RunCall, type TurnOfSession } from "../store/session-document.ts";
import { startLocked } from "../trigger/begin.ts";
import { nextMove } from "./next-move.ts";

/** An execution that the call has begun, or the call's earlier attempt that has. */
export type BegunRun = { execution: Execution } | { call: RunCall };

const pollEveryMs = 50;
const retryAfterMs = 1_000;

/**
 * Begins what a call of the workforce service asks for, unless it has been begun already. Throws STALE_DRIVER if a later
 * driver has been seen, SESSION_BUSY if another call's execution does not end, and what a trigger throws.
 */
export async function beginRun(
  hidden: HiddenContext,
  key: SessionKey,
  command: TriggerCommand,
  run: RunCommand,
  call: HandlerContext,
): Promise<BegunRun> {
  const { store, timings, executions } = hidden;
  let waitUntilMs = performance.now() + timings.busyWaitMs;
  while (true) {
    call.signal.throwIfAborted();
    const session = found(key, await store.findTurn(key));
    if (isExpired(session, hidden.clock.now())) throw sessionExpired();
    if (session.workforce === undefined) throw new Error(`${key.sessionId} is of no workforce thread.`);
    const move = nextMove(session.workforce, isExecuted(hidden, session), run);
    if (move.type === "stale") throw staleDriver();
    if (move.type === "attach") {
      const { requestId, driverEpoch } = run;
      const isNoted = !move.isLater || (await store.noteDriver(key, { requestId, driverEpoch }));
      if (isNoted) return { call: move.call };
      continue;
    }
    if (move.type === "lock") {
      const executionId = executionOf(session, command) ?? hidden.newId("exe");
      const acquired = await lock(hidden, session, command, run, executionId);
      if (acquired !== undefined) {
        return { execution: await startLocked(hidden, acquired, command, executionId, call) };
      }
    }
    if (move.type === "end-earlier" && (await endEarlier(hidden, session, run, call))) {
      // If nobody hears of it, the lease runs out.
      waitUntilMs = performance.now() + timings.leaseMs + timings.busyWaitMs;
      continue;
    }
    const leftMs = waitUntilMs - performance.now();
    if (leftMs <= 0) throw busy();
    await executions.waitForRelease(key.sessionId, Math.min(pollEveryMs, leftMs), call.signal);
  }
}

/** True if an instance executes it, or this one does and was suspended. */
function isExecuted({ clock, onlyHolder, executions }: HiddenContext, session: TurnOfSession): boolean {
  if (session.lease === null) return false;
  const isLive = executions.find(session.lease.runId) !== undefined;
  return isLive || phaseOf(session, clock.now(), onlyHolder) === "locked";
}

/** The paused execution, if the command continues it. */
function executionOf({ execution }: TurnOfSession, command: TriggerCommand): string | undefined {
  return command.type === "continue" ? (command.executionId ?? execution?.id) : undefined;
}

/** Undefined: the session has moved. */
async function lock(
  hidden: HiddenContext,
  { _id: sessionId, projectId, epoch, execution }: TurnOfSession,
  { type, detached, reportsUsage, bytes, stored }: TriggerCommand,
  { requestId, driverEpoch, limits }: RunCommand,
  executionId: string,
): Promise<Acquired | undefined> {
  const { store, clock, executions } = hidden;
  assertTaking(hidden);
  const nowMs = clock.now();
  const lease = newLease(hidden, nowMs, { detached, reportsUsage, limits, bytes, command: stored });
  if (type === "start") lease.executionId = executionId;
  // Without a pause, or with another one, the continuation is refused once the session is locked.
  const isContinuation = type === "continue" && execution?.id === executionId;
  const outcome = await store.lockFor(
    { sessionId, projectId },
    { requestId, executionId, run: epoch + 1, driverEpoch },
    isContinuation,
    lease,
    new Date(nowMs),
    executions.runsOf(sessionId),
  );
  return outcome.locked ? { ...outcome, lease } : undefined;
}

/** Asks the execution of an earlier driver to stop. False: the session has moved. */
async function endEarlier(
  hidden: HiddenContext,
  { _id: sessionId, projectId, epoch, lease }: TurnOfSession,
  { driverEpoch }: RunCommand,
  call: HandlerContext,
): Promise<boolean> {
  if (lease === null) return false;
  const held = { sessionId, projectId, epoch, runId: lease.runId };
  if (!(await hidden.store.endEarlier(held, driverEpoch))) return false;
  await notifyHolder(hidden, { requestId: requestIdOf(call), ...held }, "cancelled");
  return true;
}

function staleDriver() {
  return rpcError(Reason.STALE_DRIVER, "Another process drives this thread now.");
}

function busy() {
  return rpcError(
    Reason.SESSION_BUSY,
    "Another execution of this thread is running; try again when it has ended.",
    {
      retryAfterMs,
    },
  );
}
