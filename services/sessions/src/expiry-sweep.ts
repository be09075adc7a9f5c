import type { Clock, Logger } from "@muster/service";
import type { Timings } from "./config.ts";
import { sweepAfter, sweepChunks } from "./history/sweep.ts";
import type { ChunkStore } from "./store/chunk-store.ts";
import type { SessionStore } from "./store/session-store.ts";

const batchSize = 100;

interface SweepOptions {
  store: SessionStore;
  chunks: ChunkStore;
  clock: Clock;
  log: Logger;
  timings: Timings;
}

/**
 * Removes the state of expired sessions, and archived messages that no session names any more. It only frees space:
 * readers decide expiry by the time.
 */
export function createExpirySweep({ store, chunks, clock, log, timings }: SweepOptions) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const stripExpired = async (): Promise<void> => {
    while (true) {
      const nowMs = clock.now();
      const keys = await store.findTimedOut(new Date(nowMs), batchSize);
      for (const key of keys) await store.strip(key, new Date(nowMs), sweepAfter(nowMs));
      if (keys.length < batchSize) return;
    }
  };

  const deleteChunks = async (): Promise<void> => {
    while (true) {
      const nowMs = clock.now();
      const sessions = await store.findSweepable(new Date(nowMs), batchSize);
      for (const session of sessions) await sweepChunks({ chunks, store }, session, nowMs);
      if (sessions.length < batchSize) return;
    }
  };

  const sweep = async (): Promise<void> => {
    await stripExpired();
    await deleteChunks();
  };

  const run = (): Promise<void> => {
    running ??= sweep()
      .catch((error: unknown) => log.warn({ err: error }, "expired sessions could not be swept"))
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  return {
    start: (): void => {
      timer = setInterval(run, timings.sweepEveryMs).unref();
    },
    /** Resolves when one whole sweep has ended. */
    run,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      await running;
    },
  };
}
