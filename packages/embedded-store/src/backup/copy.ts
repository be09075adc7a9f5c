import { closeSync, existsSync, fdatasync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Database } from "../storage/database.ts";

/** The pages of one step. Other commands wait for a step, about a millisecond. */
const stepPages = 64;

/** The steps after which the copy so far is forced to the disk: 16 MiB. */
const flushSteps = 64;

/** A problem that the user can solve. */
export class BackupError extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = "BackupError";
  }
}

/**
 * Copies an open store into a new file, with everything committed before the call, while it is in use. The file
 * appears only when it is complete. Rejects with BackupError.
 */
export async function copyTo(database: Database, file: string, isStopped: () => boolean): Promise<void> {
  const partial = `${file}.partial`;
  refuseExisting(file);
  try {
    // Readable by its owner only: the file contains everything that the store does.
    closeSync(openSync(partial, "wx", 0o600));
  } catch (error) {
    throw new BackupError(`cannot write ${partial}: ${reasonOf(error)}`);
  }
  try {
    const flusher = new Flusher(partial);
    try {
      await database.backUp(partial, stepPages, () => {
        if (isStopped()) throw new BackupError("the backup was interrupted");
        flusher.noteStep();
      });
    } finally {
      await flusher.close();
    }
    finish(partial);
    refuseExisting(file);
    renameSync(partial, file);
    sync(dirname(file));
  } catch (error) {
    for (const path of [partial, `${partial}-journal`]) rmSync(path, { force: true });
    throw error instanceof BackupError ? error : new BackupError(`cannot write ${file}: ${reasonOf(error)}`);
  }
}

/** Forces a growing file to the disk, because all clients would wait if its last step had to do so. */
class Flusher {
  readonly #descriptor: number;
  #steps = 0;
  #flushing: Promise<void> | undefined;

  constructor(path: string) {
    this.#descriptor = openSync(path, "r+");
  }

  noteStep(): void {
    if (++this.#steps % flushSteps !== 0) return;
    this.#flushing ??= flush(this.#descriptor).finally(() => {
      this.#flushing = undefined;
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    closeSync(this.#descriptor);
  }
}

// The last step and `sync` report a failure.
function flush(descriptor: number): Promise<void> {
  return new Promise((resolve) => fdatasync(descriptor, () => resolve()));
}

function refuseExisting(file: string): void {
  if (existsSync(file)) throw new BackupError(`cannot write ${file}: it exists already; choose another name`);
}

// One file that can be moved: without a log, which opening it would otherwise create beside it.
function finish(path: string): void {
  const copy = new DatabaseSync(path);
  try {
    copy.exec("PRAGMA journal_mode=DELETE");
  } finally {
    copy.close();
  }
  sync(path);
}

/** Forces a file or the entries of a directory to the disk. */
export function sync(path: string): void {
  if (process.platform === "win32") return;
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = "code" in error ? error.code : undefined;
  if (code === "EEXIST")
    return "it exists already; another backup runs, or one was interrupted: then delete it";
  if (code === "ENOENT") return "its folder does not exist";
  if (code === "EACCES" || code === "EPERM") return "no permission";
  return error.message;
}
