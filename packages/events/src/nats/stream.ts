import { DiscardPolicy, type JetStreamManager, NatsError, nanos, RetentionPolicy, StorageType } from "nats";
import type { Names } from "./names.ts";

const dayMs = 24 * 60 * 60 * 1000;

export const apiErrors = { consumerNotFound: 10014, streamNameInUse: 10058, streamNotFound: 10059 } as const;

/** True if JetStream refused a request for this reason. */
export function isApiError(error: unknown, code: number): boolean {
  return error instanceof NatsError && error.api_error?.err_code === code;
}

/**
 * Creates the stream if it does not exist. An existing one is left unchanged: operators set replicas and limits.
 * Events only wake; anything older than a week has long been found in the store.
 */
export async function ensureStream(jsm: JetStreamManager, names: Names): Promise<void> {
  try {
    await jsm.streams.info(names.stream);
    return;
  } catch (error) {
    if (!isApiError(error, apiErrors.streamNotFound)) throw error;
  }
  try {
    await jsm.streams.add({
      name: names.stream,
      subjects: [names.allSubjects],
      retention: RetentionPolicy.Limits,
      storage: StorageType.File,
      discard: DiscardPolicy.Old,
      max_age: nanos(7 * dayMs),
      max_bytes: 256 * 1024 * 1024,
      duplicate_window: nanos(2 * 60 * 1000),
    });
  } catch (error) {
    // Another instance, of another version with other limits, created it first.
    if (!isApiError(error, apiErrors.streamNameInUse)) throw error;
  }
}
