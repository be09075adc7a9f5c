import type { Logger } from "@muster/service";
import { inBatches } from "../share-commands.ts";
import type { EventLog, OnDue } from "./event-log.ts";
import type { EventsDocument, NumberedEvent } from "./events-document.ts";

/** Logs whose events are written with one command. */
const batchSize = 64;
/** After so many failed attempts, the last events of a log that has ended are dropped. */
const maxFailures = 30;

/** `L`: the logs, `D`: their documents. Times in milliseconds. */
export interface EventLogsOptions<L, D> {
  /** Returns the ids of documents that another writer has. */
  insert(documents: D[]): Promise<ReadonlySet<string>>;
  log: Logger;
  /** How long events may wait for others of their log. */
  waitMs(log: L): number;
  /** How long the events of other logs gather after a command for the next one. */
  gatherMs: number;
  /** The pause after a failure of the store. */
  retryMs?: number;
  onWritten?(log: L, document: D): void;
}

/** A log as its writer sees it. */
type Writable<D extends EventsDocument> = Pick<
  EventLog<NumberedEvent, D>,
  ("id" | "failures" | "isDue" | "isFull" | "isEnded") | ("nextDocument" | "written" | "attempted" | "lose")
>;

/**
 * All logs that this instance writes. One timer and one writer serve them all: while a command is under way, and for a
 * moment after it, the events of other logs gather for the next one, because a command costs more than the events in it.
 * A log that ends while nothing is written is stored at once. A delta never causes a write of its own.
 */
export function createEventLogs<D extends EventsDocument, L extends Writable<D>>({
  insert,
  log,
  waitMs,
  gatherMs,
  retryMs = 250,
  onWritten,
}: EventLogsOptions<L, D>) {
  const logs = new Map<string, L>();
  /** To be written when the timer fires, since when, and to be written now. */
  const waiting = new Map<L, number>();
  const due = new Set<L>();
  let timer: NodeJS.Timeout | undefined;
  let timerMs = Number.POSITIVE_INFINITY;
  let writing: Promise<unknown> | undefined;
  let writtenMs = Number.NEGATIVE_INFINITY;
  let isFailing = false;
  let isClosed = false;

  const remove = (removed: L): void => {
    waiting.delete(removed);
    if (logs.get(removed.id) === removed) logs.delete(removed.id);
  };

  const failed = (unwritten: L): void => {
    unwritten.failures += 1;
    if (unwritten.isEnded && unwritten.failures >= maxFailures) remove(unwritten);
    else onDue(unwritten, false);
    unwritten.attempted();
  };

  const written = (stored: L, document: D): void => {
    stored.written(document);
    if (stored.isDue) onDue(stored, stored.isEnded);
    onWritten?.(stored, document);
    if (document.isLast) remove(stored);
  };

  /** Another instance has the log. */
  const lose = (lost: L): void => {
    lost.lose();
    remove(lost);
  };

  const write = async (batch: readonly L[]): Promise<void> => {
    const documents = new Map<L, D>();
    for (const each of batch) {
      due.delete(each);
      waiting.delete(each);
      // The previous command may have stored everything.
      if (each.isDue) documents.set(each, each.nextDocument());
    }
    if (documents.size === 0) return;
    let lost: ReadonlySet<string>;
    try {
      lost = await insert([...documents.values()]);
      isFailing = false;
      writtenMs = performance.now();
    } catch (error) {
      isFailing = true;
      log.warn(
        { err: error, logs: documents.size },
        "events could not be stored; they stay in memory for now",
      );
      for (const each of documents.keys()) failed(each);
      return;
    }
    for (const [each, document] of documents) {
      if (lost.has(document._id)) lose(each);
      else written(each, document);
    }
  };

  const { add, hurry } = inBatches(write, {
    max: batchSize,
    pauseMs: (count) => {
      if (isClosed || isFailing) return isClosed ? 0 : retryMs;
      return count >= batchSize ? 0 : writtenMs + gatherMs - performance.now();
    },
  });

  const onDue = (each: L, isUrgent: boolean): void => {
    if (each.isEnded && !each.isDue) {
      remove(each);
      return;
    }
    if (isUrgent) {
      if (!due.has(each) && !(isClosed && isFailing)) {
        due.add(each);
        writing = add(each);
      }
      if (!isFailing && (due.size >= batchSize || each.isFull)) hurry();
      return;
    }
    const sinceMs = waiting.get(each) ?? performance.now();
    waiting.set(each, sinceMs);
    wakeAt(sinceMs + waitMs(each));
  };

  const wakeAt = (atMs: number): void => {
    if (atMs >= timerMs || isClosed) return;
    clearTimeout(timer);
    timerMs = atMs;
    timer = setTimeout(flush, atMs - performance.now()).unref();
  };

  /** Writes the logs that have waited for half their time. Younger ones often end before theirs does, with one command. */
  const flush = (): void => {
    clearTimeout(timer);
    timerMs = Number.POSITIVE_INFINITY;
    const nowMs = performance.now();
    for (const [each, sinceMs] of waiting) {
      const ms = waitMs(each);
      if (isClosed || nowMs - sinceMs >= ms / 2) onDue(each, true);
      else wakeAt(sinceMs + ms);
    }
  };

  return {
    /** Begins to write a log. Readers find the latest one of an id. */
    open: <T extends L>(create: (onDue: OnDue) => T): T => {
      const opened = create((isUrgent) => onDue(opened, isUrgent));
      logs.set(opened.id, opened);
      return opened;
    },

    /** A log that is written here, or has ended here a moment ago. */
    find: (id: string): L | undefined => logs.get(id),

    /** Nothing more is written from here. */
    lose,

    /** Stores the waiting events, once. */
    close: async (): Promise<void> => {
      isClosed = true;
      flush();
      hurry();
      for (let last: typeof writing; last !== writing; ) {
        last = writing;
        await last;
      }
    },
  };
}
