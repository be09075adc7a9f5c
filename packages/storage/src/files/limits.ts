/** The limits that are the same in every installation. Sizes are in bytes. */
export const fileLimits = {
  files: 20,
  /** The files of one model call together, which the memory contains several times. */
  callBytes: 50 * 1000 * 1000,
  filenameLength: 255,
  uploadLifetimeMs: 15 * 60_000,
  downloadLifetimeMs: 24 * 60 * 60_000,
} as const;

/** Which files an installation accepts. */
export interface FileRules {
  /** The types of the files that clients upload, and of those that they name in turns. */
  readonly mediaTypes: readonly string[];
  /** The largest size of one file, uploaded or fetched. */
  readonly maxBytes: number;
}

export const defaultFileRules: FileRules = {
  mediaTypes: [
    "image/jpeg",
    "image/png",
    "image/gif",
    "image/webp",
    "application/pdf",
    "text/plain",
    "text/markdown",
    "application/json",
  ],
  maxBytes: 10 * 1000 * 1000,
};

const usualRequestBytes = 50 * 1000 * 1000;

/** How large the files of one request may be together, in bytes: any single one is allowed. */
export function requestBytesOf({ maxBytes }: FileRules): number {
  return Math.max(usualRequestBytes, maxBytes);
}
