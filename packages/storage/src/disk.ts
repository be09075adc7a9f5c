import { type FileHandle, open, readdir, stat } from "node:fs/promises";

/** For `catch`: undefined for a path that does not exist. Throws every other error. */
export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}

/** Whether an error says that a path does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** Opens a file for reading. Undefined if it does not exist. */
export function openIfExists(path: string): Promise<FileHandle | undefined> {
  return open(path, "r").catch(unlessMissing);
}

/**
 * Opens a file or folder, works with it and closes it; its writes survive a power failure. `flags`: as `open` of
 * `node:fs`.
 */
export async function withSynced(
  path: string,
  flags: string,
  work?: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, 0o600);
  try {
    await work?.(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The names of the folders in a folder; none if it does not exist. */
export async function folderNames(path: string): Promise<string[]> {
  const entries = (await readdir(path, { withFileTypes: true }).catch(unlessMissing)) ?? [];
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

/** Whether a path exists and was last written before a time, in milliseconds since 1970. */
export async function isOlder(path: string, timeMs: number): Promise<boolean> {
  const found = await stat(path).catch(unlessMissing);
  return found !== undefined && found.mtimeMs < timeMs;
}
