import type { Logger } from "@muster/service";
import type { Timings } from "../config.ts";
import type { ThreadKey } from "../store/thread-document.ts";
import type { ThreadState, ThreadStore } from "../store/thread-store.ts";
import type { WakeUps } from "../store/wake-ups.ts";

/** Whether a caller can stop waiting. `first`: the thread when the caller arrived. Null: it does not exist. */
export type IsEnough = (first: ThreadState | null, now: ThreadState | null) => boolean;

interface Watched {
  key: ThreadKey;
  waiters: Set<(state: ThreadState | null) => void>;
  stopListening: () => void;
  /** Set while the thread is being read; true: it has changed meanwhile. */
  reading?: { again: boolean };
}

interface WatchOptions {
  threads: Pick<ThreadStore, "findState" | "findStates">;
  wakeUps: Pick<WakeUps, "onThread">;
  timings: Pick<Timings, "readEveryMs">;
  log: Logger;
}

/**
 * Callers that wait for threads, however many: an event about a thread reads it once for all of its callers, and now and then
 * one query reads all threads that are waited for.
 */
export function createThreadWatch({ threads, wakeUps, timings, log }: WatchOptions) {
  const watched = new Map<string, Watched>();
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const tell = (entry: Watched, state: ThreadState | null) => {
    for (const waiter of [...entry.waiters]) waiter(state);
  };

  const look = async (entry: Watched): Promise<void> => {
    if (entry.reading !== undefined) {
      entry.reading.again = true;
      return;
    }
    const reading = { again: true };
    entry.reading = reading;
    try {
      while (reading.again && entry.waiters.size > 0) {
        reading.again = false;
        tell(entry, await threads.findState(entry.key));
      }
    } catch (error) {
      log.warn({ err: error, threadId: entry.key.threadId }, "a thread could not be read for its callers");
    } finally {
      delete entry.reading;
    }
  };

  const lookAtAll = async (): Promise<void> => {
    const entries = [...watched.values()];
    const states = await threads.findStates(entries.map(({ key }) => key));
    for (const entry of entries) tell(entry, states.get(entry.key.threadId) ?? null);
  };

  const poll = () => {
    timer = setTimeout(() => {
      lookAtAll()
        .catch((error: unknown) => log.warn({ err: error }, "threads could not be read for their callers"))
        .finally(() => {
          timer = undefined;
          if (watched.size > 0) poll();
        });
    }, timings.readEveryMs);
    timer.unref();
  };

  const entryOf = (key: ThreadKey): Watched => {
    const known = watched.get(key.threadId);
    if (known !== undefined) return known;
    const entry: Watched = {
      key,
      waiters: new Set(),
      stopListening: wakeUps.onThread(key.threadId, () => void look(entry)),
    };
    watched.set(key.threadId, entry);
    if (timer === undefined) poll();
    return entry;
  };

  const leave = (entry: Watched, waiter: (state: ThreadState | null) => void) => {
    entry.waiters.delete(waiter);
    if (entry.waiters.size > 0) return;
    entry.stopListening();
    if (watched.get(entry.key.threadId) === entry) watched.delete(entry.key.threadId);
  };

  return {
    /** The newest state seen: once it is enough, after the time, or when the signal is aborted. Reads the thread at least once. */
    wait: async (key: ThreadKey, isEnough: IsEnough, timeoutMs: number, signal: AbortSignal) => {
      const entry = entryOf(key);
      const done = Promise.withResolvers<void>();
      let first: ThreadState | null | undefined;
      let newest: ThreadState | null | undefined;
      const waiter = (state: ThreadState | null) => {
        // Reads can overtake each other.
        if (state === null || !newest || state.rev >= newest.rev) newest = state;
        if (first !== undefined && isEnough(first, newest ?? null)) done.resolve();
      };
      const end = () => done.resolve();
      entry.waiters.add(waiter);
      const timeout = setTimeout(end, timeoutMs);
      const leaving = [signal, stopping.signal];
      for (const each of leaving) each.addEventListener("abort", end, { once: true });
      try {
        // The thread is watched already, so that no change is missed.
        first = await threads.findState(key);
        waiter(first);
        if (leaving.some(({ aborted }) => aborted)) end();
        await done.promise;
        return newest ?? null;
      } finally {
        clearTimeout(timeout);
        for (const each of leaving) each.removeEventListener("abort", end);
        leave(entry, waiter);
      }
    },
    /** All callers stop waiting. */
    stop: () => {
      clearTimeout(timer);
      stopping.abort();
    },
  };
}
