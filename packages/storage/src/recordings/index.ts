export { addressLifetimeMs, createRecordingAddresses, type RecordingAddresses } from "./addresses.ts";
export { createDiskStorage } from "./disk-storage.ts";
export { isRecordingId, type RecordingKey, type RecordingName } from "./recording-key.ts";
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
  type OpenedFile,
  type RecordingFile,
  type RecordingStorage,
  type RenderedPaths,
  recordingFiles,
  type StoredAttempt,
} from "./storage.ts";
