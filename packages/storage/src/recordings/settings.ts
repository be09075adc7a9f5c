import { type Environment, readEnvironment } from "@muster/service";
import { type FilesSettings, readFilesSettings } from "../files/index.ts";

/** Recordings lie beside the uploaded files, and their addresses are signed with the same keys. */
export interface RecordingSettings extends Pick<FilesSettings, "directory" | "keys"> {
  /** How long a video is kept after it was rendered; 0 keeps all. */
  retentionDays: number;
}

export const defaultRetentionDays = 30;

/** The sentence that a user reads where nothing is configured. */
export const recordingsUnset =
  "This installation stores no recordings. Its operator must set FILES_DIRECTORY and MUSTER_SECRETS_KEY.";

const maxDays = 36_500;

/** `RECORDING_RETENTION_DAYS`. Throws ConfigError if it is invalid. */
export function readRetentionDays(env: Environment): number {
  return readEnvironment(env).integer("RECORDING_RETENTION_DAYS", defaultRetentionDays, {
    min: 0,
    max: maxDays,
  });
}

/** Undefined without `FILES_DIRECTORY`. Throws ConfigError that names an invalid or missing variable. */
export function readRecordingSettings(env: Environment): RecordingSettings | undefined {
  const retentionDays = readRetentionDays(env);
  const files = readFilesSettings(env);
  return files && { directory: files.directory, keys: files.keys, retentionDays };
}
