import { type Environment, readEnvironment, readSecretsKeys, type Secret } from "@muster/service";

export interface FilesSettings {
  /** Where files lie. All gateways and workforce processes of an installation share it. */
  directory: string;
  /** At least one; see `readSecretsKeys`. */
  keys: readonly Secret[];
  /** How long an uploaded file is kept; 0 for ever. */
  keepDays: number;
}

export const defaultKeepDays = 30;

/** What a user learns where nothing is configured. */
export const filesUnset =
  "This installation stores no files. Its operator has to set FILES_DIRECTORY and MUSTER_SECRETS_KEY.";

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

/** Undefined without `FILES_DIRECTORY` or `MUSTER_SECRETS_KEY`. Throws ConfigError that names an invalid variable. */
export function readFilesSettings(env: Environment): FilesSettings | undefined {
  const { directory, keepDays } = readStorageSettings(env);
  const keys = readSecretsKeys(env);
  return directory === undefined || keys.length === 0 ? undefined : { directory, keys, keepDays };
}
