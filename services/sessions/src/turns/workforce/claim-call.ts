import { Reason, rpcError } from "@muster/rpc";
import type { HiddenContext } from "../../context.ts";
import { found } from "../../input/caller.ts";
import type { RunCommand } from "../../input/read-workforce-run.ts";
import type { TriggerCommand } from "../../input/trigger-command.ts";
import type { HiddenStore } from "../../store/hidden-store.ts";
import { phaseOf, type SessionKey } from "../../store/moves.ts";
import { sessionExpired } from "../../store/refusals/unavailable.ts";
import {
  isExpired,
  type RunCall,
  type TurnOfSession,
  type WorkforceState,
} from "../../store/session-document.ts";
import { notifyHolder } from "../abort/notify-holder.ts";
import { type Acquired, newLease } from "../begin/acquire.ts";
import { assertTaking } from "../begin/drive.ts";

/** The session, locked for the call, or the attempt of the same call that has begun. */
export type Claimed = { acquired: Acquired; executionId: string } | { call: RunCall };

/** The part of the context that a claim needs. */
export interface ClaimSources
  extends Pick<
    HiddenContext,
    "timings" | "clock" | "onlyHolder" | "newId" | "instance" | "draining" | "bus" | "log"
  > {
  store: Pick<HiddenStore, "findTurn" | "lockFor" | "endEarlier" | "noteDriver">;
  executions: Pick<HiddenContext["executions"], "find" | "runsOf" | "waitForRelease">;
}

type Command = Pick<TriggerCommand, "type" | "detached" | "reportsUsage" | "bytes" | "stored"> & {
  executionId?: string;
};
type Caller = Pick<RunCommand, "requestId" | "driverEpoch" | "keyId" | "limits">;

const pollEveryMs = 50;
const retryAfterMs = 1_000;

/**
 * Locks the session for a call of the workforce service, unless the call is its latest one already. Throws STALE_DRIVER if a
 * later driver has been seen, SESSION_BUSY if another call's execution does not end.
 */
export async function claimCall(
  sources: ClaimSources,
  key: SessionKey,
  command: Command,
  run: Caller,
  { signal, requestId }: { signal: AbortSignal; requestId: string },
): Promise<Claimed> {
  const { store, timings, executions } = sources;
  let waitUntilMs = performance.now() + timings.busyWaitMs;
  while (true) {
    signal.throwIfAborted();
    const session = found(key, await store.findTurn(key));
    if (isExpired(session, sources.clock.now())) throw sessionExpired();
    if (session.workforce === undefined) throw new Error(`${key.sessionId} is of no workforce thread.`);
    const move = nextMove(session.workforce, isExecuted(sources, session), run);
    if (move.type === "stale") throw staleDriver();
    if (move.type === "attach") {
      if (!move.isLater || (await store.noteDriver(key, run))) return { call: move.call };
      continue;
    }
    if (move.type === "lock") {
      const executionId = executionOf(session, command) ?? sources.newId("exe");
      const acquired = await lock(sources, session, command, run, executionId);
      if (acquired !== undefined) return { acquired, executionId };
    }
    if (move.type === "end-earlier" && (await endEarlier(sources, session, run, requestId))) {
      // If no process hears of it, the lease runs out.
      waitUntilMs = performance.now() + timings.leaseMs + timings.busyWaitMs;
      continue;
    }
    const leftMs = waitUntilMs - performance.now();
    if (leftMs <= 0) throw busy();
    await executions.waitForRelease(key.sessionId, Math.min(pollEveryMs, leftMs), signal);
  }
}

/**
 * `stale`: a later driver has been seen. `attach`: it is the session's latest call already. `end-earlier`: another call is
 * executed for an earlier driver, and must end first. `wait`: another call is executed.
 */
type Move =
  | { type: "stale" | "wait" | "lock" | "end-earlier" }
  | { type: "attach"; call: RunCall; isLater: boolean };

/** The next step of a call, with the session that was read. The write that follows repeats the conditions. */
function nextMove(
  { driverEpoch, call }: Pick<WorkforceState, "driverEpoch" | "call">,
  isExecuted: boolean,
  caller: Pick<Caller, "requestId" | "driverEpoch">,
): Move {
  if (caller.driverEpoch < driverEpoch) return { type: "stale" };
  const isLater = caller.driverEpoch > driverEpoch;
  if (call?.requestId === caller.requestId) return { type: "attach", call, isLater };
  if (!isExecuted) return { type: "lock" };
  return { type: isLater ? "end-earlier" : "wait" };
}

/** True if an instance executes it, or this one does and was suspended. */
function isExecuted({ clock, onlyHolder, executions }: ClaimSources, session: TurnOfSession): boolean {
  if (session.lease === null) return false;
  const isLive = executions.find(session.lease.runId) !== undefined;
  return isLive || phaseOf(session, clock.now(), onlyHolder) === "locked";
}

/** The paused execution, if the command continues it. */
function executionOf({ execution }: TurnOfSession, command: Command): string | undefined {
  return command.type === "continue" ? (command.executionId ?? execution?.id) : undefined;
}

/** Undefined: the session has moved. */
async function lock(
  sources: ClaimSources,
  { _id: sessionId, projectId, epoch, execution }: TurnOfSession,
  { type, detached, reportsUsage, bytes, stored }: Command,
  { requestId, driverEpoch, keyId, limits }: Caller,
  executionId: string,
): Promise<Acquired | undefined> {
  const { store, clock, executions } = sources;
  assertTaking(sources);
  const nowMs = clock.now();
  const options = { detached, reportsUsage, limits, ...(keyId !== undefined && { keyId }) };
  const lease = newLease(sources, nowMs, { ...options, bytes, command: stored });
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
  sources: ClaimSources,
  { _id: sessionId, projectId, epoch, lease }: TurnOfSession,
  { driverEpoch }: Caller,
  requestId: string,
): Promise<boolean> {
  if (lease === null) return false;
  const held = { sessionId, projectId, epoch, runId: lease.runId };
  if (!(await sources.store.endEarlier(held, driverEpoch))) return false;
  await notifyHolder(sources, { requestId, ...held }, "cancelled");
  return true;
}

function staleDriver() {
  return rpcError(Reason.STALE_DRIVER, "Another process drives this thread now.");
}

function busy() {
  const message = "Another execution of this thread is running; try again when it has ended.";
  return rpcError(Reason.SESSION_BUSY, message, { retryAfterMs });
}
