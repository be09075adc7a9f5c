import type { Clock, Logger } from "@muster/service";
import { createDiskStorage } from "./disk-storage.ts";
import { createFileAddresses } from "./file-addresses.ts";
import type { FilesSettings } from "./settings.ts";

/** The uploaded files of an installation. */
export type Files = ReturnType<typeof createFiles>;

const sweepEveryMs = 60 * 60_000;
const dayMs = 24 * 60 * 60_000;

export function createFiles({ directory, keys, keepDays }: FilesSettings, clock: Pick<Clock, "now">) {
  const storage = createDiskStorage(directory);
  const sweep = async (log: Logger) => {
    try {
      await storage.removeBefore(clock.now() - keepDays * dayMs);
    } catch (error) {
      log.warn({ err: error }, "old files could not be removed; the next attempt is in an hour");
    }
  };
  return {
    addresses: createFileAddresses({ keys, clock }),
    storage,
    /** Removes old files now and every hour. Returns the function that ends it. */
    startSweep: (log: Logger) => {
      if (keepDays === 0) return () => undefined;
      void sweep(log);
      const timer = setInterval(() => void sweep(log), sweepEveryMs).unref();
      return () => clearInterval(timer);
    },
  };
}
