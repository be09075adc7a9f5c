import type { Clock, Logger } from "@muster/service";
import type { EventStore } from "../../store/event-store.ts";
import type { EventsDocument, RunKey } from "../../store/events-document.ts";
import { EventLog } from "./event-log.ts";

/** If the process dies, the store keeps the events of its runs for this long. */
const keepUnfinishedMs = 24 * 3_600_000;
/** After so many failed attempts, the events of a run that has ended are dropped. */
const maxFailures = 30;
/** Runs whose events are written with one command. */
const batchSize = 64;

interface EventLogsOptions {
  eventStore: Pick<EventStore, "insert" | "keepUntil">;
  clock: Clock;
  log: Logger;
  /** How often the events of running executions are written. */
  flushEveryMs: number;
  /** How long events gather after a command until the next one. */
  gatherMs: number;
  /** How long events can be read after their run has ended. */
  keepMs: number;
}

export type EventLogs = ReturnType<typeof createEventLogs>;

/**
 * The events of all runs of this instance. One timer and one writer serve them all: while a command is under way, and for
 * a moment after it, the events of other runs gather for the next one, because a command costs more than the events in it.
 * A run that ends while nothing is written is stored at once. A delta never causes a write of its own.
 */
export function createEventLogs(options: EventLogsOptions) {
  const { eventStore, clock, log, flushEveryMs, gatherMs, keepMs } = options;
  const logs = new Set<EventLog>();
  const byExecution = new Map<string, EventLog>();
  const failures = new WeakMap<EventLog, number>();
  const due = new Set<EventLog>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let endGathering: (() => void) | undefined;
  let isClosed = false;

  const remove = (ended: EventLog): void => {
    const { executionId } = ended.key;
    logs.delete(ended);
    if (byExecution.get(executionId) === ended) byExecution.delete(executionId);
    if (logs.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  /** Another instance has adopted the run. */
  const lose = (lost: EventLog): void => {
    lost.abandon();
    remove(lost);
  };

  const failed = (unwritten: EventLog): void => {
    const count = (failures.get(unwritten) ?? 0) + 1;
    failures.set(unwritten, count);
    if (unwritten.isEnded && count >= maxFailures) remove(unwritten);
    unwritten.attempted();
  };

  const written = (stored: EventLog, document: EventsDocument): void => {
    failures.delete(stored);
    stored.written(document);
    if (stored.isEnded && stored.isDue) due.add(stored);
    if (!document.isLast) return;
    if (document.first > 1) void keepEarlier(stored.key, document.keptUntil);
    remove(stored);
  };

  /** The documents that were written while the run continued end with it. */
  const keepEarlier = async (key: RunKey, keptUntil: Date): Promise<void> => {
    try {
      await eventStore.keepUntil(key, keptUntil);
    } catch (error) {
      log.warn({ err: error, ...key }, "the events of a run are kept longer than needed");
    }
  };

  const write = async (): Promise<void> => {
    const nowMs = clock.now();
    const keptUntil = { running: new Date(nowMs + keepUnfinishedMs), ended: new Date(nowMs + keepMs) };
    const waiting = [...due].slice(0, batchSize);
    for (const each of waiting) due.delete(each);
    // The previous command may have stored everything.
    const batch = waiting
      .filter(({ isDue }) => isDue)
      .map((each) => ({ each, document: each.nextDocument(keptUntil) }));
    if (batch.length === 0) return;
    let adopted: ReadonlySet<string>;
    try {
      adopted = await eventStore.insert(batch.map(({ document }) => document));
    } catch (error) {
      log.warn({ err: error, runs: batch.length }, "events could not be stored; they stay in memory for now");
      for (const { each } of batch) failed(each);
      return;
    }
    for (const { each, document } of batch) {
      if (adopted.has(document._id)) lose(each);
      else written(each, document);
    }
  };

  const drain = async (): Promise<void> => {
    // Runs that end in the same moment share a command.
    await new Promise((resolve) => setImmediate(resolve));
    while (due.size > 0) {
      await write();
      if (due.size < batchSize && !isClosed) await gather();
    }
    writing = undefined;
  };

  const gather = async (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, gatherMs);
    endGathering = resolve;
    await promise;
    clearTimeout(timer);
  };

  const onDue = (waiting: EventLog): void => {
    due.add(waiting);
    if (due.size >= batchSize || waiting.isFull) endGathering?.();
    writing ??= drain();
  };

  const keptUntil = (): Date => new Date(clock.now() + keepMs);

  const flush = (): void => {
    for (const each of logs) {
      if (each.isAbandoned) remove(each);
      else if (each.isDue) onDue(each);
    }
  };

  return {
    /** Begins to record a run. `first`: the number of its first event on this instance. */
    open: (key: RunKey, first = 1): EventLog => {
      const opened = new EventLog(key, { onDue, keptUntil }, first);
      logs.add(opened);
      byExecution.set(key.executionId, opened);
      timer ??= setInterval(flush, flushEveryMs).unref();
      return opened;
    },

    /** The latest run of an execution, if it is running here or has ended here a moment ago. */
    find: (executionId: string): EventLog | undefined => byExecution.get(executionId),

    /** Stores the waiting events, once. */
    close: async (): Promise<void> => {
      clearInterval(timer);
      isClosed = true;
      flush();
      endGathering?.();
      await writing;
    },
  };
}
