import { setTimeout } from "node:timers/promises";
import { Reason } from "@muster/proto/errors";
import { invalidRequest, rpcError } from "@muster/rpc";
import type { SessionsContext } from "../context.ts";
import { type EventLog, maxUnstored } from "../driver/stream/event-log.ts";
import { found } from "../input/access.ts";
import type { LastEvents } from "../store/event-store.ts";
import { type RunKey, runOf } from "../store/events-document.ts";
import type { SessionKey } from "../store/moves.ts";
import { isExpired, isLocked, type SessionDocument } from "../store/session-document.ts";

/** A run whose events can be read: in the memory of this instance, or in the store. */
export type FoundRun = { log: EventLog } | { run: RunKey; isInterrupted?: true };

export interface Cursor {
  executionId: string;
  /** The last event that the reader has. 0: none. */
  after: number;
}

/** The last events of a run are stored just after its session is free. After so many polls they count as lost. */
export const lastPolls = 20;
/** A session that has rested for longer than this has no events that are still on their way to the store. */
const restedMs = 60_000;

/**
 * The latest run of the execution. Throws NOT_FOUND if the session has no such execution, EVENTS_GONE if nothing after
 * the cursor is kept, INVALID_REQUEST if the cursor is an event that does not exist yet.
 */
export async function findRun(
  context: SessionsContext,
  key: SessionKey,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<FoundRun> {
  const { clock, timings } = context;
  for (let pollsLeft = lastPolls; ; pollsLeft -= 1) {
    signal.throwIfAborted();
    const session = found(key, await context.store.find(key));
    const nowMs = clock.now();
    if (isExpired(session, nowMs)) throw gone("The session has expired, and its events with it.");
    const last = await lastOf(context, session, cursor.executionId);
    const running = runningRun(context, session, cursor, last);
    if (running !== undefined) return running;
    const hasRested = nowMs - session.updatedAt.getTime() > restedMs;
    if (last?.isLast || pollsLeft === 0 || hasRested) return endedRun(context, session, cursor, last);
    if (last === undefined && !(await isMentioned(context, session, cursor.executionId))) throw unknown();
    await setTimeout(timings.pollEventsEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The run if it is in the memory of this instance or is executed by another. */
function runningRun(
  context: SessionsContext,
  session: SessionDocument,
  { executionId, after }: Cursor,
  last: LastEvents | undefined,
): FoundRun | undefined {
  const run = runningOf(context, session, executionId);
  const log = context.eventLogs.find(executionId);
  if (log !== undefined && log.key.sessionId === session._id && log.key.run >= (run?.run ?? 0)) {
    assertReached(after, log.last);
    return { log };
  }
  if (run === undefined) return undefined;
  const stored = last !== undefined && runOf(last) === run.run ? endOf(last) : 0;
  assertReached(after, stored + maxUnstored.events);
  return { run };
}

async function endedRun(
  context: SessionsContext,
  session: SessionDocument,
  { executionId, after }: Cursor,
  last: LastEvents | undefined,
): Promise<FoundRun> {
  if (last === undefined) {
    throw (await isMentioned(context, session, executionId)) ? eventsGone() : unknown();
  }
  if (last.keptUntil.getTime() <= context.clock.now()) throw eventsGone();
  const run = runKey(session, executionId, runOf(last));
  if (!last.isLast) {
    if (after >= endOf(last)) throw interrupted();
    return { run, isInterrupted: true };
  }
  assertReached(after, endOf(last));
  return { run };
}

/** The run that an instance is executing now. */
export function runningOf(
  { clock, onlyHolder }: Pick<SessionsContext, "clock" | "onlyHolder">,
  session: SessionDocument,
  executionId: string,
): RunKey | undefined {
  const { lease, execution, epoch } = session;
  if (lease === null || !isLocked(session, clock.now(), onlyHolder)) return undefined;
  if ((lease.executionId ?? execution?.id) !== executionId) return undefined;
  return runKey(session, executionId, epoch);
}

function gone(message: string) {
  return rpcError(Reason.EVENTS_GONE, message);
}

function runKey({ _id, projectId }: SessionDocument, executionId: string, run: number): RunKey {
  return { projectId, sessionId: _id, executionId, run };
}

async function lastOf(
  { eventStore }: SessionsContext,
  session: SessionDocument,
  executionId: string,
): Promise<LastEvents | undefined> {
  const last = await eventStore.lastOf(executionId);
  const isOwn = last?.sessionId === session._id && last.projectId === session.projectId;
  return isOwn ? last : undefined;
}

function endOf({ first, count }: LastEvents): number {
  return first + count - 1;
}

function assertReached(after: number, last: number): void {
  if (after <= last) return;
  throw invalidRequest("after", `must be the number of an event that was sent; the last one is ${last}`);
}

/** The messages of an execution name it. */
async function isMentioned(
  { histories }: SessionsContext,
  session: SessionDocument,
  executionId: string,
): Promise<boolean> {
  const mark = JSON.stringify({ executionId }).slice(1, -1);
  for await (const { text } of histories.partsBefore(session, undefined)) {
    if (text.includes(mark)) return true;
  }
  return false;
}

function unknown() {
  return rpcError(Reason.NOT_FOUND, "The session has no such execution.");
}

function eventsGone() {
  return gone("The events of this execution are not kept any more; read the session instead.");
}

/** The instance that ran it died before it had stored the rest. */
export function interrupted() {
  return gone("The turn was interrupted, and its remaining events are lost; read the session instead.");
}
