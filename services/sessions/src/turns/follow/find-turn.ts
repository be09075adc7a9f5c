import { setTimeout } from "node:timers/promises";
import { invalidRequest } from "@muster/rpc";
import { isHeld } from "@muster/store";
import { endOf } from "@muster/store/event-log";
import type { SessionsContext } from "../../context.ts";
import { found } from "../../input/caller.ts";
import type { SessionKey } from "../../store/moves.ts";
import {
  isExpired,
  type PendingPlace,
  type StoredCommand,
  type TurnOfSession,
} from "../../store/session-document.ts";
import { eventsOfTurns, type RunKey, runOf, type TurnEvents } from "../../store/turn-events.ts";
import { maxUnstored, type TurnLog } from "../stream/turn-log.ts";
import { type AbandonedTurn, abandonedTurn, executionOf, runOfLease } from "./abandoned-turn.ts";
import { eventsGone, gone, interrupted, unknown } from "./refusals.ts";

/** A turn whose events can be read: in the memory of this instance, or in the store. Or one that must be adopted first. */
export type FoundTurn = { log: TurnLog } | StoredTurn | { abandoned: AbandonedTurn };

type LastEvents = Omit<TurnEvents, "events">;

export interface StoredTurn {
  run: RunKey;
  /** No more events follow, and the last one is missing. */
  isInterrupted?: true;
}

export interface Cursor {
  executionId: string;
  /** The last event that the reader has. 0: none. */
  after: number;
  /**
   * The input with which the execution began, by opening the session or by `run`. Absent: the reader does not have it.
   */
  opening?: StoredCommand;
  /** Only this part of the turn, by the latest call of the workforce service. Absent: the latest part. */
  run?: number;
  /** It is read to the next pause for decisions only. Absent: through it, to the end of the turn. */
  toPause?: boolean;
}

/** The last events of a turn are stored just after its session is free. After so many polls they count as lost. */
export const lastPolls = 20;
/** A session that has rested for longer than this has no events that are still on their way to the store. */
const restedMs = 60_000;

/** The sources in which a turn is found. */
export interface TurnSources extends Pick<SessionsContext, "clock" | "timings" | "onlyHolder" | "instance"> {
  executions: Pick<SessionsContext["executions"], "find">;
  eventLogs: Pick<SessionsContext["eventLogs"], "find">;
  store: Pick<SessionsContext["store"], "find" | "findTurn">;
  eventStore: Pick<SessionsContext["eventStore"], "last">;
  histories: Pick<SessionsContext["histories"], "mentions">;
}

/**
 * The latest part of an execution. Throws NOT_FOUND if the session has no such execution, EVENTS_GONE if nothing after
 * the cursor is kept, INVALID_REQUEST if the cursor is an event that does not exist yet.
 */
export async function findTurn(
  context: TurnSources,
  key: SessionKey,
  cursor: Cursor,
  signal: AbortSignal,
): Promise<FoundTurn> {
  const { clock, timings } = context;
  let isKnown = false;
  for (let pollsLeft = lastPolls; ; pollsLeft -= 1) {
    signal.throwIfAborted();
    const session = found(key, await context.store.findTurn(key));
    const nowMs = clock.now();
    if (isExpired(session, nowMs)) throw gone("The session has expired, and its events with it.");
    if (cursor.run !== undefined && session.workforce?.call?.run !== cursor.run) throw eventsGone();
    const last = await lastOf(context, session, cursor);
    // The turns of a restored session from before it was cleared stay gone.
    if (last !== undefined && runOf(last) < (session.firstRun ?? 0)) throw eventsGone();
    const current = currentTurn(context, session, cursor, last);
    if (current !== undefined) return current;
    const hasRested = nowMs - session.updatedAt.getTime() > restedMs;
    if (last === undefined && !isKnown && cursor.run === undefined) {
      await assertMentioned(context, key, cursor.executionId);
      isKnown = true;
    }
    if (last?.isLast || pollsLeft === 0 || hasRested) return endedTurn(context, session, cursor, last);
    await setTimeout(timings.pollEventsEveryMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The turn if it is in the memory of this instance, if a process executes it or has died, or if it was the last one. */
function currentTurn(
  context: TurnSources,
  session: TurnOfSession,
  cursor: Cursor,
  last: LastEvents | undefined,
): FoundTurn | undefined {
  const { executionId, after, opening } = cursor;
  const running = runningOf(context, session, executionId);
  const log = context.eventLogs.find(executionId);
  if (log !== undefined && isWanted(cursor, log.key.run) && isLatest(context, session, log, running)) {
    assertReached(after, log.last);
    return { log };
  }
  const abandoned = abandonedTurn(context, session, executionId, opening);
  const run = running ?? abandoned?.run ?? askingRun(session, executionId);
  if (run === undefined) return settledTurn(context, session, cursor, last);
  const ofRun = last !== undefined && runOf(last) === run.run ? last : undefined;
  if (ofRun?.isLast) return undefined;
  const stored = Math.max(ofRun === undefined ? 0 : endOf(ofRun), endOfPending(session, run));
  assertReached(after, stored + maxUnstored.events);
  return abandoned === undefined ? { run } : { abandoned };
}

function isWanted({ run }: Cursor, found: number): boolean {
  return run === undefined || run === found;
}

/** False if the execution was continued, or its turn adopted, elsewhere: this instance may not have noticed yet. */
function isLatest(
  { instance }: TurnSources,
  { _id, lease, pendingEvents, firstRun = 0 }: TurnOfSession,
  { key, last, isLost }: TurnLog,
  running: RunKey | undefined,
): boolean {
  if (isLost || key.sessionId !== _id || key.run < Math.max(running?.run ?? 0, firstRun)) return false;
  if (running !== undefined && lease?.holder !== instance) return false;
  if (pendingEvents?.executionId !== key.executionId || key.run > pendingEvents.run) return true;
  // The events of an adopter begin behind all that its predecessor can have sent.
  return key.run === pendingEvents.run && pendingEvents.first <= last + 1;
}

/** A turn whose events may not have left the session's document yet. */
function settledTurn(
  { clock }: TurnSources,
  session: TurnOfSession,
  cursor: Cursor,
  last: LastEvents | undefined,
): FoundTurn | undefined {
  const { executionId, after } = cursor;
  const events = eventsOfTurns<PendingPlace>(session).findLast(
    (each) => each.executionId === executionId && isWanted(cursor, each.run),
  );
  if (!events?.isLast || (last !== undefined && runOf(last) > events.run)) return undefined;
  if (events.keptUntil.getTime() <= clock.now()) throw eventsGone();
  assertReached(after, endOf(events));
  const { _id: sessionId, projectId } = session;
  return { run: { projectId, sessionId, executionId, run: events.run } };
}

/** The turn waits for decisions, and its events continue. */
export function askingRun(
  { _id: sessionId, projectId, execution, lease, pendingEvents }: TurnOfSession,
  executionId: string,
): RunKey | undefined {
  if (lease !== null || execution?.id !== executionId || execution.asks === undefined) return undefined;
  const { run } = execution.asks;
  if (pendingEvents?.run !== run || pendingEvents.isLast) return undefined;
  return { projectId, sessionId, executionId, run };
}

function endOfPending({ pendingEvents }: TurnOfSession, { executionId, run }: RunKey): number {
  if (pendingEvents?.executionId !== executionId || pendingEvents.run !== run) return 0;
  return endOf(pendingEvents);
}

function endedTurn(
  context: TurnSources,
  session: TurnOfSession,
  { executionId, after }: Cursor,
  last: LastEvents | undefined,
): FoundTurn {
  if (last === undefined) throw eventsGone();
  if (last.keptUntil.getTime() <= context.clock.now()) throw eventsGone();
  const { _id: sessionId, projectId } = session;
  const run = { projectId, sessionId, executionId, run: runOf(last) };
  if (!last.isLast) {
    if (after >= endOf(last)) throw interrupted();
    return { run, isInterrupted: true };
  }
  assertReached(after, endOf(last));
  return { run };
}

/** The turn that an instance is executing now. */
function runningOf(
  { clock, onlyHolder }: Pick<SessionsContext, "clock" | "onlyHolder">,
  session: TurnOfSession,
  executionId: string,
): RunKey | undefined {
  if (!isHeld(session.lease, clock.now(), onlyHolder) || executionOf(session) !== executionId)
    return undefined;
  return runOfLease(session, executionId);
}

async function lastOf(
  { eventStore }: TurnSources,
  session: TurnOfSession,
  cursor: Cursor,
): Promise<LastEvents | undefined> {
  const last = await eventStore.last(session.projectId, cursor.executionId);
  return last?.sessionId === session._id && isWanted(cursor, runOf(last)) ? last : undefined;
}

function assertReached(after: number, last: number): void {
  if (after <= last) return;
  throw invalidRequest("after", `must be the number of an event that was sent; the last one is ${last}`);
}

/** The messages of an execution name it. */
async function assertMentioned(
  { histories, store }: TurnSources,
  key: SessionKey,
  executionId: string,
): Promise<void> {
  const session = found(key, await store.find(key));
  if (await histories.mentions(session, executionId)) return;
  // Its messages were cleared, and so were its events, if only its session had them.
  throw session.firstRun === undefined ? unknown() : eventsGone();
}
