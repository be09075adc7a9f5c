import type { Clock, Logger } from "@muster/service";
import { shareCommands } from "@muster/store";
import { createEventLogs, type EventStore, eventsId } from "@muster/store/event-log";
import { type PendingEvents, type RunKey, runName, type TurnEvents } from "../../store/turn-events.ts";
import { TurnLog } from "./turn-log.ts";

/** If the process dies, the store keeps the events of its turns for this long. */
const keepUnfinishedMs = 24 * 3_600_000;

interface TurnLogsOptions {
  eventStore: Pick<EventStore<TurnEvents>, "insert" | "keepUntil">;
  clock: Clock;
  log: Logger;
  /** How often the events of running executions are written. */
  flushEveryMs: number;
  /** How long events gather after a command until the next one. */
  gatherMs: number;
  /** How long events can be read after their turn has ended. */
  keepMs: number;
}

/** The events of all turns of this instance. */
export function createTurnLogs({ eventStore, clock, log, flushEveryMs, gatherMs, keepMs }: TurnLogsOptions) {
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
  const insert = shareCommands({
    one: (document: TurnEvents) => eventStore.insert([document]),
    many: async (documents) => {
      const refused = await eventStore.insert(documents);
      return documents.map(() => refused);
    },
  });

  return {
    /**
     * Stores the events of the turn before, which only the session's document may have, if they are still to be kept: at
     * once, and if that fails, again when the returned function is called, which resolves when they are stored. `turn`: the
     * one that displaces them.
     */
    displace: (pending: PendingEvents | undefined, turn: RunKey): (() => Promise<unknown>) | undefined => {
      if (pending === undefined || runName(pending) === runName(turn)) return undefined;
      const { executionId: _, run: __, ...events } = pending;
      if (!events.isLast || events.first !== 1 || events.keptUntil.getTime() <= clock.now()) return undefined;
      const { projectId, sessionId } = turn;
      const document = { _id: eventsId(runName(pending), 1), projectId, sessionId, ...events };
      const stored = insert(document);
      // A failure is met by the returned function, which may be called much later.
      stored.catch(() => undefined);
      return () => stored.catch(() => insert(document));
    },

    /** `first`: the number of the turn's first event on this instance. */
    open: (key: RunKey, first = 1): TurnLog =>
      logs.open((onDue) => new TurnLog({ key, first, onDue, keptUntil })),
    /** By the execution's id: its latest response. */
    find: logs.find,
    close: logs.close,
  };
}
