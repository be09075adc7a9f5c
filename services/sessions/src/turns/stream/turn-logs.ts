import type { Clock, Logger } from "@muster/service";
import { createEventLogs, type EventStore } from "@muster/store/event-log";
import { type RunKey, runName, type TurnEvents } from "../../store/turn-events.ts";
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

export type TurnLogs = ReturnType<typeof createTurnLogs>;

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
  return {
    /** `first`: the number of the turn's first event on this instance. */
    open: (key: RunKey, first = 1): TurnLog =>
      logs.open((onDue) => new TurnLog({ key, first, onDue, keptUntil })),
    /** By the execution's id: its latest response. */
    find: logs.find,
    close: logs.close,
  };
}
