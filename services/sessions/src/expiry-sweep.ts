import type { Clock, Logger } from "@muster/service";
import type { Timings } from "./config.ts";
import type { SessionStore } from "./store/session-store.ts";

const batchSize = 100;

interface SweepOptions {
  store: SessionStore;
  clock: Clock;
  log: Logger;
  timings: Timings;
}

/** Removes the state of expired sessions. It only frees space: readers decide expiry by the time. */
export function createExpirySweep({ store, clock, log, timings }: SweepOptions) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  const sweep = async (): Promise<void> => {
    while (true) {
      const now = new Date(clock.now());
      const keys = await store.findTimedOut(now, batchSize);
      for (const key of keys) await store.strip(key, now);
      if (keys.length < batchSize) return;
    }
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
