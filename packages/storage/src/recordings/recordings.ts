import type { Clock } from "@muster/service";
import { createRecordingAddresses, type RecordingAddresses } from "./addresses.ts";
import { createDiskStorage } from "./disk-storage.ts";
import type { RecordingSettings } from "./settings.ts";
import type { RecordingStorage } from "./storage.ts";

/** The rendered recordings of an installation. */
export interface Recordings {
  addresses: RecordingAddresses;
  storage: RecordingStorage;
  /** How long a video is kept after it was rendered; 0 keeps all. */
  retentionDays: number;
}

export function createRecordings(settings: RecordingSettings, clock: Pick<Clock, "now">): Recordings {
  const { directory, keys, retentionDays } = settings;
  return {
    addresses: createRecordingAddresses({ keys, clock }),
    storage: createDiskStorage(directory),
    retentionDays,
  };
}
