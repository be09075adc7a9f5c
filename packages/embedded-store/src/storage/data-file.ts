import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { makeDirectory } from "./make-directory.ts";

/** A data directory and the name of the setting that chose it, for messages. */
export interface DataDirectory {
  readonly path: string;
  readonly setting: string;
}

export function describePlace({ path, setting }: DataDirectory): string {
  return `${path} (set by ${setting})`;
}

/** The directory cannot be opened: another server uses it, its format is unknown, or its data file is damaged. */
export class DirectoryError extends Error {
  constructor(directory: DataDirectory, problem: string) {
    super(`the store cannot use ${describePlace(directory)}: ${problem}`);
    this.name = "DirectoryError";
  }
}

export const dataName = "store.sqlite";
/** The problem of a data file without SQLite's header or with contradictory contents. */
export const notADatabase = `its file ${dataName} is not a database, or is damaged; restore it from a backup, or choose another folder`;
const markerName = "store.created";
const uncheckedName = "store.unchecked";

/**
 * Returns the data file's path, creating it if missing, readable by its owner only even in a shared directory.
 * Throws DirectoryError if the directory had a data file that is now missing, empty or cut off: SQLite would start
 * with an empty store, and delete the log that may still contain the data.
 */
export function makeDataFile(place: DataDirectory): string {
  const directory = place.path;
  const path = join(directory, dataName);
  const size = existsSync(path) ? statSync(path).size : 0;
  if (size === 0 && existsSync(join(directory, markerName))) {
    throw new DirectoryError(
      place,
      `its data file ${dataName} is missing or empty; restore it from a backup or, to start with an empty store, delete ${markerName}`,
    );
  }
  const expected = sizeInHeader(path, size);
  if (expected < 0) throw new DirectoryError(place, notADatabase);
  // With a log, a file that is too short is normal: opening completes an interrupted write.
  if (size < expected && !hasLog(path)) {
    const problem = `its data file ${dataName} is cut off (${size} bytes instead of ${expected}); restore it from a backup`;
    throw new DirectoryError(place, problem);
  }
  if (existsSync(path)) return path;
  const made = makeDirectory(directory);
  // SQLite creates its other files with the same mode.
  closeSync(openSync(path, "a", 0o600));
  syncParents(directory, dirname(made ?? directory));
  return path;
}

/** Notes that the directory has a data file with contents. */
export function markCreated(directory: string): void {
  const path = join(directory, markerName);
  if (existsSync(path)) return;
  const text = `This directory contains the data of an embedded store. Without ${dataName}, the store does not start.\n`;
  writeFileSync(path, text, { mode: 0o600, flush: true });
  sync(directory);
}

/** Whether the last server was killed, or an earlier one and its data has not been checked completely since. */
export function isUnchecked(directory: string): boolean {
  return hasLog(join(directory, dataName)) || existsSync(join(directory, uncheckedName));
}

/** Remembers that the data must be checked, until `markChecked`, even if the check is interrupted. */
export function markUnchecked(directory: string): void {
  try {
    writeFileSync(join(directory, uncheckedName), "", { mode: 0o600 });
  } catch {
    // A full disk must not prevent a start; then only an interrupted check is not repeated.
  }
}

export function markChecked(directory: string): void {
  rmSync(join(directory, uncheckedName), { force: true });
}

/** Whether a data file has a log with contents: a store that is stopped removes it, a killed one leaves it. */
function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

const pageSizeAt = 16;
const pageCountAt = 28;
const headerBytes = 32;

const magic = Buffer.from("SQLite format 3\0");

/** The size that the file's header states; 0 without a header, -1 if it is not SQLite's. */
function sizeInHeader(path: string, size: number): number {
  if (size < headerBytes) return 0;
  const header = Buffer.alloc(headerBytes);
  const descriptor = openSync(path, "r");
  try {
    readSync(descriptor, header, 0, headerBytes, 0);
  } finally {
    closeSync(descriptor);
  }
  const pageSize = header.readUInt16BE(pageSizeAt);
  if (!header.subarray(0, magic.length).equals(magic)) return -1;
  // 1 represents 65,536, which does not fit.
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(pageCountAt);
}

// SQLite syncs the directory of its files but not that directory's own entry: a power failure soon
// after the first start could then lose everything.
function syncParents(directory: string, last: string): void {
  if (process.platform === "win32") return;
  for (let parent = dirname(directory); ; parent = dirname(parent)) {
    sync(parent);
    if (parent === last || parent === dirname(parent)) return;
  }
}

function sync(directory: string): void {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(directory, "r");
    fsyncSync(descriptor);
  } catch (error) {
    // An unreadable directory, or a file system without fsync on directories, must not prevent a start.
    if (!isRefusal(error)) throw error;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function isRefusal(error: unknown): boolean {
  const codes: unknown[] = ["EACCES", "EPERM", "EINVAL", "ENOTSUP"];
  return error instanceof Error && "code" in error && codes.includes(error.code);
}
