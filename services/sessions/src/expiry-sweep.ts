import type { Notice, Notices } from "@muster/events";
import type { Clock, Logger } from "@muster/service";
import type { FileStorage } from "@muster/storage/files";
import type { Timings } from "./config.ts";
import { sweepAfter, sweepChunks } from "./conversations/history/sweep.ts";
import type { ChunkStore } from "./store/chunk-store.ts";
import type { LogStore } from "./store/log-store.ts";
import type { SessionStore } from "./store/session-store.ts";

const batchSize = 100;

/** A sweep ends after so many failures: then the store itself fails. */
const maxFailures = 1000;

interface SweepOptions {
  store: Pick<SessionStore, "findTimedOut" | "findPartlyStripped" | "strip" | "findSweepable" | "endSweep">;
  chunks: Pick<ChunkStore, "deleteUnnamed">;
  logs: { store: Pick<LogStore, "delete"> };
  fileDelivery: { sources: { files: { storage: Pick<FileStorage, "removeOwner"> } | undefined } };
  clock: Clock;
  log: Logger;
  timings: Pick<Timings, "sweepEveryMs">;
}

/**
 * Removes the state of expired sessions, and archived messages that no session names, and logs. It only frees space:
 * readers decide expiry by the time. `notices`: those of sessions that have timed out. Absent: webhooks learn nothing of them.
 */
export function createExpirySweep(options: SweepOptions, notices?: Notices) {
  const { store, chunks, logs, fileDelivery, clock, log, timings } = options;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;

  /** Handles all documents that `find` returns, in batches. One that fails is skipped until the next sweep. */
  const each = async <Item>(
    find: (nowMs: number, except: readonly string[]) => Promise<Item[]>,
    idOf: (item: Item) => string,
    handle: (item: Item, nowMs: number) => Promise<unknown>,
  ): Promise<void> => {
    const failed: string[] = [];
    while (failed.length < maxFailures) {
      const nowMs = clock.now();
      const items = await find(nowMs, failed);
      for (const item of items) {
        await handle(item, nowMs).catch((error: unknown) => {
          failed.push(idOf(item));
          log.warn({ err: error, sessionId: idOf(item) }, "an expired session could not be swept");
        });
      }
      if (items.length < batchSize) return;
    }
  };

  const stripExpired = async (): Promise<void> => {
    const strip = (find: typeof store.findTimedOut, noticeOf: () => Notice | undefined) =>
      each(
        (nowMs, except) => find(new Date(nowMs), batchSize, except),
        ({ sessionId }) => sessionId,
        async (key, nowMs) => {
          const notice = noticeOf();
          await store.strip(key, new Date(nowMs), sweepAfter(nowMs), notice);
          if (notice) notices?.wake(key.projectId);
        },
      );
    await strip(store.findTimedOut, () =>
      notices?.create({ type: "session.expired", data: { status: "expired" } }),
    );
    await strip(store.findPartlyStripped, () => undefined);
  };

  const deleteChunks = (): Promise<void> =>
    each(
      (nowMs, except) => store.findSweepable(new Date(nowMs), batchSize, except),
      ({ _id }) => _id,
      async (session, nowMs) => {
        const { _id: sessionId, projectId, status } = session;
        // The log and the files of a session that was restored meanwhile stay.
        if (status === "expired") {
          await logs.store.delete({ sessionId, projectId });
          await fileDelivery.sources.files?.storage.removeOwner({ projectId, ownerId: sessionId });
        }
        await sweepChunks({ chunks, store }, session, nowMs);
      },
    );

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
