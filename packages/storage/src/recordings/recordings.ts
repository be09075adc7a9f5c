import type { Clock } from "@muster/service";
import { createRecordingAddresses } from "./addresses.ts";
import { createDiskStorage } from "./disk-storage.ts";
import type { RecordingSettings } from "./settings.ts";

/** The rendered recordings of an installation. */
export type Recordings = ReturnType<typeof createRecordings>;

export function createRecordings(settings: RecordingSettings, clock: Pick<Clock, "now">) {
  const { directory, keys, retentionDays } = settings;
  return {
    addresses: createRecordingAddresses({ keys, clock }),
    storage: createDiskStorage(directory),
    /** How long a video is kept after it was rendered; 0 keeps all. */
    retentionDays,
  };
}
