import type { Clock, Logger } from "@muster/service";
import { createEventLogs, eventsId } from "@muster/store/event-log";
import type { StoredWait } from "../store/thread-document.ts";
import { isFinal, type LeftStatus, type ThreadStatus } from "../store/thread-transitions.ts";
import type { ThreadEventStore } from "./thread-event-store.ts";
import type { ThreadEvents } from "./thread-events.ts";
import { ThreadLog, type ThreadOfLog } from "./thread-log.ts";

export type ThreadLogTimings = typeof defaultThreadLogTimings;

export const defaultThreadLogTimings = {
  /** How long events gather while someone on this instance reads them. */
  gatherWatchedMs: 50,
  /** How long events gather otherwise. */
  gatherMs: 400,
  /** How long the store keeps events if the run does not end. */
  keepRunningMs: 24 * 3_600_000,
  /** How long events can be read after the run has ended. */
  keepEndedMs: 15 * 60_000,
};

interface ThreadLogsOptions {
  store: ThreadEventStore;
  clock: Clock;
  log: Logger;
  newWriter(): string;
  timings: ThreadLogTimings;
}

interface OpenedThread extends ThreadOfLog {
  /** The thread's status. */
  status: ThreadStatus;
  /** The open decisions that it waits for. */
  waitingFor?: StoredWait | undefined;
}

export type ThreadLogs = ReturnType<typeof createThreadLogs>;

/** The events of all runs of this instance. */
export function createThreadLogs({ store, clock, log, newWriter, timings }: ThreadLogsOptions) {
  const logs = createEventLogs<ThreadEvents, ThreadLog>({
    insert: store.insert,
    log,
    waitMs: ({ isWatched }) => (isWatched ? timings.gatherWatchedMs : timings.gatherMs),
    gatherMs: 0,
  });
  const nowMs = () => clock.now();
  const expiresAt = () => new Date(clock.now() + timings.keepRunningMs);

  /** The last document stays: the numbers of a later run follow it. */
  const expireEarlier = (projectId: string, threadId: string, lastId: string): Promise<void> =>
    store.keepUntil(projectId, threadId, new Date(clock.now() + timings.keepEndedMs), lastId);

  /** Without a status that says more, nothing follows. */
  const begin = async (
    thread: OpenedThread,
    signal: AbortSignal,
    isEnd: boolean,
  ): Promise<ThreadLog | undefined> => {
    const { projectId, threadId, epoch, status, waitingFor } = thread;
    for (;;) {
      const end = await store.last(projectId, threadId);
      if (end !== null && end.epoch > epoch) return undefined;
      if (end !== null) await store.keepUntil(projectId, threadId, expiresAt());
      const writer = newWriter();
      const opened = logs.open((onDue) => new ThreadLog({ thread, end, writer, nowMs, expiresAt, onDue }));
      opened.status(status, isEnd, waitingFor);
      try {
        await opened.flushed(signal);
      } catch (error) {
        logs.lose(opened);
        throw error;
      }
      // An event of the previous holder, or of a reader, came first.
      if (!opened.isLost) return opened;
    }
  };

  return {
    timings,

    /**
     * Continues the events of a thread for a holder of its agent's slot. The first event is the thread's status: it is stored,
     * so no earlier holder can write. Undefined: a later holder already writes.
     */
    open: (thread: OpenedThread, signal: AbortSignal) => begin(thread, signal, false),

    /** Ends the events of a run, also of one that waits, with the thread's status. Nothing follows until an agent takes it. */
    end: async (
      opened: ThreadLog,
      status: LeftStatus,
      signal: AbortSignal,
      waitingFor?: StoredWait,
    ): Promise<void> => {
      const { projectId, threadId } = opened.thread;
      opened.status(status, true, waitingFor);
      await opened.flushed(signal);
      if (!opened.isLost && isFinal(status))
        await expireEarlier(projectId, threadId, eventsId(threadId, opened.last));
    },

    /** Completes the events of a thread that has ended already: the process that ended it may have died before that. */
    conclude: async (thread: OpenedThread, signal: AbortSignal): Promise<void> => {
      const { projectId, threadId, epoch, status } = thread;
      const last = await store.last(projectId, threadId);
      if (last !== null && last.epoch > epoch) return;
      if (last?.status === status) {
        if (isFinal(status)) await expireEarlier(projectId, threadId, last._id);
        return;
      }
      const opened = await begin(thread, signal, true);
      if (opened === undefined) return;
      if (isFinal(status)) await expireEarlier(projectId, threadId, eventsId(threadId, opened.last));
      logs.lose(opened);
    },

    /** The run no longer belongs to this instance, or has ended. */
    close: logs.lose,

    /** The thread's events, if its run is executed here. */
    find: logs.find,

    /** Stores the waiting events, once. */
    stop: logs.close,
  };
}
