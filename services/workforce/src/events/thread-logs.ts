import { setTimeout as startTimer } from "node:timers";
import { setTimeout } from "node:timers/promises";
import type { Clock, Logger } from "@muster/service";
import type { RecordingOfRun } from "./recorded-part.ts";
import type { ThreadEventStore } from "./thread-event-store.ts";
import { eventsId, type ThreadEventsDocument } from "./thread-events-document.ts";
import { ThreadLog } from "./thread-log.ts";

/** Threads whose events are written with one command. */
const batchSize = 64;
/** After a failure of the store. */
const retryMs = 250;

export interface ThreadLogTimings {
  /** How long events gather while someone on this instance reads them. */
  gatherWatchedMs: number;
  /** How long events gather otherwise. */
  gatherMs: number;
  /** How long the store keeps events if the run does not end. */
  keepRunningMs: number;
  /** How long events can be read after the run has ended. */
  keepEndedMs: number;
}

export const defaultThreadLogTimings: ThreadLogTimings = {
  gatherWatchedMs: 50,
  gatherMs: 400,
  keepRunningMs: 24 * 3_600_000,
  keepEndedMs: 15 * 60_000,
};

interface ThreadLogsOptions {
  store: ThreadEventStore;
  clock: Clock;
  log: Logger;
  newWriter(): string;
  timings: ThreadLogTimings;
}

/** Whose events are to be written. */
export interface ThreadOfLog {
  projectId: string;
  threadId: string;
  /** The epoch of the slot. */
  epoch: number;
  /** The thread's status. */
  status: string;
  /** Absent: the run is not recorded, or has not begun. */
  recording?: RecordingOfRun | undefined;
}

export type ThreadLogs = ReturnType<typeof createThreadLogs>;

/** The events of all runs of this instance. One writer serves them all, so a delta never causes a write of its own. */
export function createThreadLogs({ store, clock, log, newWriter, timings }: ThreadLogsOptions) {
  const logs = new Map<string, ThreadLog>();
  const hooks = {
    onDue: (each: ThreadLog, urgently: boolean) => onDue(each, urgently),
    ...{ newWriter, nowMs: () => clock.now() },
  };
  let due = new Set<ThreadLog>();
  let timer: NodeJS.Timeout | undefined;
  let dueAtMs = Number.POSITIVE_INFINITY;
  let writing: Promise<void> | undefined;
  let isUrgent = false;

  const write = async (batch: ThreadLog[]): Promise<void> => {
    const expiresAt = new Date(clock.now() + timings.keepRunningMs);
    const documents = batch.map((each) => ({ each, document: each.nextDocument(expiresAt) }));
    let taken: ReadonlySet<string>;
    try {
      taken = await store.insert(documents.map(({ document }) => document));
    } catch (error) {
      log.warn({ err: error, threads: batch.length }, "events of threads could not be stored; they wait");
      // Those who wait try again at once.
      await setTimeout(retryMs);
      for (const { each } of documents) each.failed();
      return;
    }
    for (const { each, document } of documents) {
      if (taken.has(document._id)) await resolveConflict(each, document);
      else each.written();
    }
  };

  const resolveConflict = async (each: ThreadLog, { projectId, threadId }: ThreadEventsDocument) => {
    try {
      each.refused(await store.last(projectId, threadId));
    } catch (error) {
      log.warn({ err: error, threadId }, "the events of a thread could not be read; they wait");
      each.failed();
    }
  };

  const drain = async (): Promise<void> => {
    // Runs that end in the same moment share a command.
    await new Promise((resolve) => setImmediate(resolve));
    isUrgent = false;
    const waiting = [...due].filter(({ isDue }) => isDue);
    due = new Set();
    for (let start = 0; start < waiting.length; start += batchSize) {
      await write(waiting.slice(start, start + batchSize));
    }
    writing = undefined;
    for (const each of waiting) if (each.isDue) due.add(each);
    if (isUrgent) flush();
    else for (const each of due) schedule(each.isWatched ? timings.gatherWatchedMs : timings.gatherMs);
  };

  const flush = (): void => {
    clearTimeout(timer);
    dueAtMs = Number.POSITIVE_INFINITY;
    writing ??= drain();
  };

  const schedule = (delayMs: number): void => {
    const atMs = performance.now() + delayMs;
    if (writing !== undefined || atMs >= dueAtMs) return;
    clearTimeout(timer);
    dueAtMs = atMs;
    timer = startTimer(flush, delayMs).unref();
  };

  const onDue = (each: ThreadLog, urgently: boolean): void => {
    due.add(each);
    if (urgently) isUrgent = true;
    if (urgently && writing === undefined) flush();
    else schedule(each.isWatched ? timings.gatherWatchedMs : timings.gatherMs);
  };

  /** The last document stays: the numbers of a later run follow it. */
  const expireEarlier = (projectId: string, threadId: string, lastId: string): Promise<void> =>
    store.keepUntil(projectId, threadId, new Date(clock.now() + timings.keepEndedMs), lastId);

  /** Ends the events of a run with the thread's final status. Nothing follows until the next run. */
  const end = async (opened: ThreadLog, status: string, signal: AbortSignal): Promise<void> => {
    const { projectId, threadId } = opened.start;
    opened.status(status, true);
    await opened.flushed(signal);
    if (!opened.isLost) await expireEarlier(projectId, threadId, eventsId(threadId, opened.next - 1));
  };

  return {
    timings,

    /**
     * Continues the events of a thread for a holder of its agent's slot. The first event is the thread's status: once it is
     * stored, no earlier holder can write. Undefined: a later holder already writes.
     */
    open: async (thread: ThreadOfLog): Promise<ThreadLog | undefined> => {
      const { projectId, threadId, epoch, status, recording } = thread;
      const last = await store.last(projectId, threadId);
      if (last !== null && last.epoch > epoch) return undefined;
      if (last !== null) {
        await store.keepUntil(projectId, threadId, new Date(clock.now() + timings.keepRunningMs));
      }
      const opened = new ThreadLog({ projectId, threadId, epoch, last, recording }, hooks);
      logs.get(threadId)?.lose();
      logs.set(threadId, opened);
      opened.status(status);
      return opened;
    },

    end,

    /** Completes the events of a thread that has ended already: the process that ended it may have died before that. */
    conclude: async (thread: ThreadOfLog, signal: AbortSignal): Promise<void> => {
      const { projectId, threadId, epoch, status, recording } = thread;
      const last = await store.last(projectId, threadId);
      if (last !== null && last.epoch > epoch) return;
      if (last?.status === status) await expireEarlier(projectId, threadId, last._id);
      else await end(new ThreadLog({ projectId, threadId, epoch, last, recording }, hooks), status, signal);
    },

    /** The run no longer belongs to this instance, or has ended. */
    close: (opened: ThreadLog): void => {
      if (logs.get(opened.start.threadId) === opened) logs.delete(opened.start.threadId);
      opened.lose();
    },

    /** The thread's events, if its run is executed here. */
    find: (threadId: string): ThreadLog | undefined => logs.get(threadId),

    /** Stores the waiting events, once. */
    stop: async (): Promise<void> => {
      flush();
      await writing;
      clearTimeout(timer);
      for (const each of logs.values()) each.lose();
      logs.clear();
    },
  };
}
