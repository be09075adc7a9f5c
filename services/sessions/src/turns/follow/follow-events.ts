import { setTimeout } from "node:timers/promises";
import type { StreamEvent } from "@muster/proto/sessions";
import { isHeld } from "@muster/store";
import { endOf, follow, type LogReader, type Piece, pieceOf } from "@muster/store/event-log";
import type { SessionsContext } from "../../context.ts";
import { unavailable } from "../../store/refusals/unavailable.ts";
import type { PendingPlace, TurnOfSession } from "../../store/session-document.ts";
import { eventsOfTurns, type RunKey, runName } from "../../store/turn-events.ts";
import type { TurnLog } from "../stream/turn-log.ts";
import { abandonedTurn, executionOf, runOfLease } from "./abandoned-turn.ts";
import { askingRun, type Cursor, type FoundTurn, lastPolls, type StoredTurn } from "./find-turn.ts";
import { PollSchedule } from "./poll-schedule.ts";
import { interrupted } from "./refusals.ts";

const eventType = "muster.sessions.v1.StreamEvent";

/** `moved`: the turn is to be found again, because its process no longer executes it. */
type Reader = LogReader<StreamEvent, "ended" | "moved">;

/** The sources from which a turn is followed. */
export interface FollowSources
  extends Pick<SessionsContext, "clock" | "timings" | "onlyHolder" | "draining"> {
  executions: Pick<SessionsContext["executions"], "find">;
  store: Pick<SessionsContext["store"], "findTurn" | "findPendingEvents">;
  eventStore: Pick<SessionsContext["eventStore"], "around" | "placeAround">;
}

/** The events of a turn after the cursor, to its end. Ends early once the signal is aborted. */
export function followEvents(
  context: FollowSources,
  found: Exclude<FoundTurn, { abandoned: unknown }>,
  { after, ...cursor }: Cursor,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent[], "ended" | "moved", undefined> {
  const reader =
    "log" in found ? logReader(context, found.log, signal) : storeReader(context, found, cursor, signal);
  return follow(reader, after, signal);
}

/** A turn of this instance. Events that have left the memory, or were another's, are read from the store. */
function logReader({ eventStore }: FollowSources, log: TurnLog, signal: AbortSignal): Reader {
  return {
    read: async (after) => {
      const events = log.isLost ? [] : log.after(after);
      if (events !== undefined) return { events, last: events.at(-1)?.sequence ?? after };
      const stored = await eventStore.around(log.key.projectId, runName(log.key), after + 1);
      const piece = pieceOf(eventType, stored, after);
      if (piece.last === after) throw interrupted();
      return { ...piece, isLast: false };
    },
    wait: async (after) => {
      if (log.isLost) return "moved";
      if (log.last > after) return undefined;
      if (log.isEnded) return "ended";
      await log.whenMore(signal);
      return undefined;
    },
  };
}

/** A turn of another instance, or one that has ended. */
function storeReader(
  context: FollowSources,
  { run, isInterrupted }: StoredTurn,
  { opening, toPause = false }: Pick<Cursor, "opening" | "toPause">,
  signal: AbortSignal,
): Reader {
  const schedule = new PollSchedule(context.timings);
  let session: TurnOfSession | null = null;
  let polled: number | undefined;
  let pollsLeft = isInterrupted ? 0 : lastPolls;
  let hasAsked = false;
  return {
    read: async (after) => {
      const stored = await storedPiece(context.eventStore, run, after, polled !== after);
      polled = after;
      if (stored.isLast || stored.last > after) return stored;
      session = await context.store.findTurn(run);
      const isWanted = (events: PendingPlace) => reaches(events, run, after);
      if (!eventsOfTurns<PendingPlace>(session ?? {}).some(isWanted)) return stored;
      const pending = (await context.store.findPendingEvents(run)).find(isWanted);
      return pending === undefined ? stored : pieceOf(eventType, pending, after);
    },
    wait: async () => {
      if (context.draining.aborted) throw unavailable("The service is stopping.");
      const abandoned =
        session === null ? undefined : abandonedTurn(context, session, run.executionId, opening);
      if (abandoned?.run.run === run.run) return "moved";
      const isAsking = session !== null && askingRun(session, run.executionId) !== undefined;
      if (isAsking && toPause) {
        // Its last events may have been stored since the last read.
        if (hasAsked) return "ended";
        hasAsked = true;
        return undefined;
      }
      if (isAsking) {
        hasAsked = true;
        return await setTimeout(context.timings.pollAskingEveryMs, undefined, { signal }).catch(
          () => undefined,
        );
      }
      const lease = leaseOf(context, session, run);
      // Another turn has taken the place of the one that asked.
      if (hasAsked) return lease === undefined ? "ended" : "moved";
      pollsLeft = lease === undefined ? pollsLeft - 1 : lastPolls;
      if (pollsLeft < 0) throw interrupted();
      return await setTimeout(schedule.next(lease), undefined, { signal }).catch(() => undefined);
    },
  };
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

/** While nothing happens, a poll must not read the same events again: `expectsMore` is false. */
async function storedPiece(
  eventStore: FollowSources["eventStore"],
  run: RunKey,
  after: number,
  expectsMore: boolean,
): Promise<Piece<StreamEvent>> {
  const place = [run.projectId, runName(run), after + 1] as const;
  if (!expectsMore) {
    const found = await eventStore.placeAround(...place);
    if (found === null || (endOf(found) <= after && !found.isLast)) return { events: [], last: after };
  }
  return pieceOf(eventType, await eventStore.around(...place), after);
}

/** The session has the events that follow, which the collection may lack. */
function reaches(pending: PendingPlace, { executionId, run }: RunKey, after: number): boolean {
  if (pending.executionId !== executionId || pending.run !== run || after < pending.first - 1) return false;
  return pending.isLast || endOf(pending) > after;
}
