import type { Clock, Logger } from "@muster/service";
import { inBatches } from "@muster/store";
import { createEventLogs, type EventStore, eventsId } from "@muster/store/event-log";
import {
  type EventsOfTurns,
  type PendingEvents,
  type RunKey,
  runName,
  type TurnEvents,
} from "../../store/turn-events.ts";
import { TurnLog } from "./turn-log.ts";

/** If the process dies, the store keeps the events of its turns for this long. */
const keepUnfinishedMs = 24 * 3_600_000;

/** Characters of events of earlier turns that each turn of a session writes again, so that they need no command. */
const maxEarlierLength = 4 * 1024;

/** The duties of a turn's first write towards the events of earlier turns. */
export interface Displaced {
  /** Belongs to this write. */
  earlierEvents?: PendingEvents[];
  /** Resolves when they are stored, which has begun: before this write. */
  store?: () => Promise<unknown>;
}

interface TurnLogsOptions {
  eventStore: Pick<EventStore<TurnEvents>, "insert" | "keepUntil">;
  clock: Clock;
  log: Logger;
  /** No other instance can exist. */
  isAlone: boolean;
  /** How often the events of running executions are written. */
  flushEveryMs: number;
  /** How long events gather after a command until the next one. */
  gatherMs: number;
  /** How long events can be read after their turn has ended. */
  keepMs: number;
}

/** The events of all turns of this instance. */
export function createTurnLogs({
  eventStore,
  clock,
  log,
  isAlone,
  flushEveryMs,
  gatherMs,
  keepMs,
}: TurnLogsOptions) {
  const keptUntil = (isEnd: boolean): Date => new Date(clock.now() + (isEnd ? keepMs : keepUnfinishedMs));

  /** The documents that were written while the turn continued end with it. */
  const keepEarlier = async ({ key }: TurnLog, { keptUntil }: TurnEvents): Promise<void> => {
    try {
      await eventStore.keepUntil(key.projectId, runName(key), keptUntil);
    } catch (error) {
      log.warn({ err: error, ...key }, "the events of a turn are kept longer than needed");
    }
  };

  const logs = createEventLogs<TurnEvents, TurnLog>({
    insert: eventStore.insert,
    ...{ log, gatherMs, waitMs: () => flushEveryMs },
    onWritten: (written, document) => {
      if (document.isLast && document.first > 1) void keepEarlier(written, document);
    },
  });
  const { add: insert } = inBatches((all: TurnEvents[][]) => eventStore.insert(all.flat()));

  return {
    /**
     * Keeps the events of earlier turns that only the session's document may have, if they are still to be kept, when `turn`
     * displaces the latest of them. Few of them stay in the document, if all that can read it look for them there.
     */
    displace: ({ pendingEvents, earlierEvents = [] }: EventsOfTurns, turn: RunKey): Displaced | undefined => {
      if (pendingEvents === undefined || runName(pendingEvents) === runName(turn)) return undefined;
      const kept = [...earlierEvents, pendingEvents].filter(
        ({ isLast, first, keptUntil }) => isLast && first === 1 && keptUntil.getTime() > clock.now(),
      );
      const length = kept.reduce((sum, { events }) => sum + events.length, 0);
      if (isAlone && length > 0 && length <= maxEarlierLength) return { earlierEvents: kept };
      const cleared = earlierEvents.length === 0 ? {} : { earlierEvents: [] };
      if (kept.length === 0) return cleared;
      const { projectId, sessionId } = turn;
      const documents = kept.map(({ executionId, run, ...events }) => {
        return { _id: eventsId(runName({ executionId, run }), 1), projectId, sessionId, ...events };
      });
      const stored = insert(documents);
      // A failure is met by `store`, which may be called much later.
      stored.catch(() => undefined);
      return { ...cleared, store: () => stored.catch(() => insert(documents)) };
    },

    /** `first`: the number of the turn's first event on this instance. */
    open: (key: RunKey, first = 1): TurnLog =>
      logs.open((onDue) => new TurnLog({ key, first, onDue, isAlone, keptUntil })),
    /** By the execution's id: its latest response. */
    find: logs.find,
    close: logs.close,
  };
}
