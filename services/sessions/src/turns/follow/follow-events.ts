import { setTimeout } from "node:timers/promises";
import type { StreamEvent } from "@muster/proto/sessions";
import { isHeld } from "@muster/store";
import type { SessionsContext } from "../../context.ts";
import { type EventsDocument, endOf, type PendingEvents, type RunKey } from "../../store/events-document.ts";
import { unavailable } from "../../store/refusals/unavailable.ts";
import type { TurnOfSession } from "../../store/session-document.ts";
import type { EventLog } from "../stream/event-log.ts";
import { abandonedTurn, executionOf, runOfLease } from "./abandoned-turn.ts";
import { type Cursor, type FoundTurn, lastPolls, type StoredTurn } from "./find-turn.ts";
import { PollSchedule } from "./poll-schedule.ts";
import { interrupted } from "./refusals.ts";

/** `moved`: the turn is to be found again, because its process no longer executes it. */
type Outcome = "ended" | "moved";
type Events = AsyncGenerator<StreamEvent[], Outcome, undefined>;

/** The sources from which a turn is followed. */
export interface FollowSources
  extends Pick<SessionsContext, "clock" | "timings" | "onlyHolder" | "isDraining"> {
  executions: Pick<SessionsContext["executions"], "find">;
  store: Pick<SessionsContext["store"], "findTurn" | "findPendingEvents">;
  eventStore: Pick<SessionsContext["eventStore"], "around" | "placeAround">;
}

/** Events of a turn. The number of the last one can be larger than theirs: those in between were never stored. */
interface Piece {
  events: StreamEvent[];
  last: number;
  isLast: boolean;
}

/** The events of a turn after the cursor, to its end. Ends early once the signal is aborted. */
export function followEvents(
  context: FollowSources,
  found: Exclude<FoundTurn, { abandoned: unknown }>,
  cursor: Cursor,
  signal: AbortSignal,
): Events {
  return "log" in found
    ? followLog(context, found.log, cursor.after, signal)
    : followStore(context, found, cursor, signal);
}

/** A turn of this instance. Events that have left the memory, or were another's, are read from the store. */
async function* followLog(
  { eventStore }: FollowSources,
  log: EventLog,
  after: number,
  signal: AbortSignal,
): Events {
  let last = after;
  while (!signal.aborted) {
    if (log.isAbandoned) return "moved";
    const events = log.after(last);
    if (events === undefined) {
      const piece = pieceOf(await eventStore.around(log.key, last + 1), last);
      if (piece.last === last) throw interrupted();
      if (piece.events.length > 0) yield piece.events;
      last = piece.last;
    } else if (events.length > 0) {
      yield events;
      last = events.at(-1)?.sequence ?? last;
    } else if (log.isEnded) return "ended";
    else await log.whenMore(signal);
  }
  return "ended";
}

/** A turn of another instance, or one that has ended. */
async function* followStore(
  context: FollowSources,
  { run, isInterrupted }: StoredTurn,
  { after, opening }: Cursor,
  signal: AbortSignal,
): Events {
  const { eventStore, timings } = context;
  const schedule = new PollSchedule(timings);
  let last = after;
  let hasMoved = true;
  let pollsLeft = isInterrupted ? 0 : lastPolls;
  while (!signal.aborted) {
    let piece = await storedPiece(eventStore, run, last, hasMoved);
    let session: TurnOfSession | null = null;
    if (!piece.isLast && piece.last === last) {
      session = await context.store.findTurn(run);
      if (reaches(session?.pendingEvents, run, last)) {
        piece = pendingPiece(await context.store.findPendingEvents(run), run, last);
      }
    }
    if (piece.events.length > 0) yield piece.events;
    hasMoved = piece.last > last;
    last = piece.last;
    if (piece.isLast) return "ended";
    if (hasMoved) continue;
    if (context.isDraining()) throw unavailable("The service is stopping.");
    const abandoned =
      session === null ? undefined : abandonedTurn(context, session, run.executionId, opening);
    if (abandoned?.run.run === run.run) return "moved";
    const lease = leaseOf(context, session, run);
    pollsLeft = lease === undefined ? pollsLeft - 1 : lastPolls;
    if (pollsLeft < 0) throw interrupted();
    await setTimeout(schedule.next(lease), undefined, { signal }).catch(() => undefined);
  }
  return "ended";
}

/** The lease of the instance that executes the turn. Undefined: none does. */
function leaseOf(
  { clock, onlyHolder }: FollowSources,
  session: TurnOfSession | null,
  { executionId, run }: RunKey,
): { untilMs: number; leftMs: number } | undefined {
  const nowMs = clock.now();
  if (session === null || session.lease === null || !isHeld(session.lease, nowMs, onlyHolder))
    return undefined;
  if (executionOf(session) !== executionId || runOfLease(session, executionId).run !== run) return undefined;
  const untilMs = session.lease.until.getTime();
  return { untilMs, leftMs: untilMs - nowMs };
}

/** From the collection of events. */
function pieceOf(document: EventsDocument | null, after: number): Piece {
  if (document === null) return { events: [], last: after, isLast: false };
  return {
    events: eventsAfter(document, after),
    last: Math.max(after, endOf(document)),
    isLast: document.isLast,
  };
}

/** While nothing happens, a poll must not read the same events again: `expectsMore` is false. */
async function storedPiece(
  eventStore: FollowSources["eventStore"],
  run: RunKey,
  after: number,
  expectsMore: boolean,
): Promise<Piece> {
  if (!expectsMore) {
    const place = await eventStore.placeAround(run, after + 1);
    if (place === null || (endOf(place) <= after && !place.isLast))
      return { events: [], last: after, isLast: false };
  }
  return pieceOf(await eventStore.around(run, after + 1), after);
}

/** The session has the events that follow. */
function reaches(
  pending: Omit<PendingEvents, "events"> | undefined,
  { executionId, run }: RunKey,
  after: number,
): boolean {
  if (pending?.executionId !== executionId || pending.run !== run || after < pending.first - 1) return false;
  return pending.isLast || endOf(pending) > after;
}

/** From the session, for events that the collection lacks. */
function pendingPiece(pending: PendingEvents | undefined, run: RunKey, after: number): Piece {
  if (pending === undefined || !reaches(pending, run, after))
    return { events: [], last: after, isLast: false };
  const events = eventsAfter(pending, after);
  const last = Math.max(after, endOf(pending));
  return { events, last, isLast: pending.isLast };
}

function eventsAfter(
  { first, events }: Pick<EventsDocument, "first" | "events">,
  last: number,
): StreamEvent[] {
  const lines = events.split("\n").slice(0, -1);
  return lines.slice(Math.max(0, last + 1 - first)).map((line, index) => {
    const space = line.indexOf(" ");
    return {
      $typeName: "muster.sessions.v1.StreamEvent",
      sequence: Math.max(first, last + 1) + index,
      type: line.slice(0, space),
      json: line.slice(space + 1),
    };
  });
}
