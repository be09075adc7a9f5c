import {
  ConfigError,
  type Environment,
  readEnvironment,
  readSecretsKeys,
  type Secret,
} from "@muster/service";
import { defaultFileRules, type FileRules } from "./limits.ts";

export interface FilesSettings {
  /** Where files lie. All gateways and workforce processes of an installation share it. */
  directory: string;
  /** At least one; see `readSecretsKeys`. */
  keys: readonly Secret[];
  /** How long an uploaded file is kept; 0: forever. */
  keepDays: number;
}

export const defaultKeepDays = 30;

/** The sentence that a user reads where nothing is configured. */
export const filesUnset =
  "This installation stores no files. Its operator must set FILES_DIRECTORY and MUSTER_SECRETS_KEY.";

const maxDays = 36_500;

/** Throws ConfigError that names an invalid variable. */
export function readStorageSettings(
  env: Environment,
): Pick<FilesSettings, "keepDays"> & { directory: string | undefined } {
  const read = readEnvironment(env);
  return {
    directory: read.string("FILES_DIRECTORY"),
    keepDays: read.integer("FILES_KEEP_DAYS", defaultKeepDays, { min: 0, max: maxDays }),
  };
}

/**
 * Undefined without `FILES_DIRECTORY`. Throws ConfigError that names an invalid variable, or `MUSTER_SECRETS_KEY` if only that is
 * missing: a set folder means that files are wanted.
 */
export function readFilesSettings(env: Environment): FilesSettings | undefined {
  const { directory, keepDays } = readStorageSettings(env);
  const keys = readSecretsKeys(env);
  if (directory === undefined) return undefined;
  requireKeys(keys);
  return { directory, keys, keepDays };
}

/** At most a gigabyte: an upload that takes longer than two minutes is cut. */
const largestBytes = 1_000_000_000;
const mediaType = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,62}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,62}$/;

/** `FILES_MEDIA_TYPES` adds to the usual types. Throws ConfigError that names an invalid variable. */
export function readFileRules(env: Environment): FileRules {
  const read = readEnvironment(env);
  const added = (read.string("FILES_MEDIA_TYPES") ?? "").split(",").map((type) => type.trim());
  for (const type of added) {
    if (type === "" || mediaType.test(type)) continue;
    const problem = `must be media types such as text/csv, separated by commas, in lower case and without parameters, not ${JSON.stringify(type)}`;
    throw new ConfigError("FILES_MEDIA_TYPES", problem);
  }
  const bounds = { min: 1, max: largestBytes };
  return {
    mediaTypes: [...new Set([...defaultFileRules.mediaTypes, ...added.filter((type) => type !== "")])],
    maxBytes: read.integer("FILES_MAX_BYTES", defaultFileRules.maxBytes, bounds),
  };
}

/** Throws ConfigError if there is no key with which the addresses of files can be signed. */
export function requireKeys(keys: readonly Secret[]): void {
  if (keys.length > 0) return;
  throw new ConfigError(
    "MUSTER_SECRETS_KEY",
    "must be set if FILES_DIRECTORY is, since it signs the addresses of files (for example $(openssl rand -hex 32))",
    "0".repeat(64),
  );
}
