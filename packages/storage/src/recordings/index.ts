export { addressLifetimeMs, createRecordingAddresses, type RecordingAddresses } from "./addresses.ts";
export { createDiskStorage, recordingsIn } from "./disk-storage.ts";
export { createRecordings, type Recordings } from "./recordings.ts";
export {
  defaultRetentionDays,
  type RecordingSettings,
  readRecordingSettings,
  readRetentionDays,
  recordingsUnset,
} from "./settings.ts";
export {
  type ByteRange,
  isRecordingId,
  type OpenedFile,
  type RecordingFile,
  type RecordingKey,
  type RecordingName,
  type RecordingStorage,
  type RenderedPaths,
  recordingFiles,
  type StoredAttempt,
} from "./storage.ts";
