import { appendFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const reserveName = "store.reserve";
const logName = "store.sqlite-wal";
const stepBytes = 1024 * 1024;

/** How many commits may pass before the reserve is compared with the log again. */
const checkEvery = 8;

/** How often refused writes may try to restore the reserve: each attempt blocks all clients for milliseconds. */
const retryMs = 1000;

/** A write is refused because only deletes may use the rest of a full disk. It fails its whole command. */
export class NoRoomError extends Error {
  constructor() {
    super("the disk is full");
    this.name = "NoRoomError";
  }
}

/**
 * Disk space that is kept for deletes: SQLite logs them before it frees anything, so on a full disk they would fail
 * like every other write, and no client could make room. The reserve is at least as large as the log, so that the log
 * can always be moved into the data file and emptied.
 */
export class DiskReserve {
  readonly #path: string;
  readonly #logPath: string;
  readonly #log: (line: string) => void;
  #isDiskFull = false;
  #commits = 0;
  #triedAtMs = Number.NEGATIVE_INFINITY;
  #reported = "";

  constructor(directory: string, log: (line: string) => void) {
    this.#path = join(directory, reserveName);
    this.#logPath = join(directory, logName);
    this.#log = log;
  }

  /** The disk is full: only deletes may write. */
  get isDiskFull(): boolean {
    return this.#isDiskFull;
  }

  /** Whether the reserve must be compared with the log. Call it after every commit. */
  isCheckDue(): boolean {
    return ++this.#commits % checkEvery === 0;
  }

  /** Whether a refused write may try to restore the reserve. */
  isRetryDue(): boolean {
    return performance.now() - this.#triedAtMs >= retryMs;
  }

  /** A write failed. The reserve stays until a delete needs it: other programs can take released space. */
  noteDiskFull(): void {
    if (!this.#isDiskFull) this.#triedAtMs = Number.NEGATIVE_INFINITY;
    this.#isDiskFull = true;
  }

  /** Makes the reserve available for a delete, or for emptying the log. Call `fill` as soon as possible. */
  release(): void {
    this.noteDiskFull();
    this.#remove();
  }

  /** Makes the reserve larger than the log, or as large as possible if the disk is full. Returns false if it is. */
  fill(): boolean {
    this.#isDiskFull = false;
    try {
      const wanted = stepBytes * (1 + Math.ceil(sizeOf(this.#logPath) / stepBytes));
      const missing = wanted - sizeOf(this.#path);
      if (missing > 0) appendFileSync(this.#path, Buffer.alloc(missing), { mode: 0o600 });
    } catch (error) {
      // Other errors do not mean that writes would fail, so the store continues without a complete reserve.
      if (isFullDisk(error)) this.#isDiskFull = true;
      else this.#report(error);
    }
    this.#triedAtMs = performance.now();
    return !this.#isDiskFull;
  }

  #remove(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch (error) {
      this.#report(error);
    }
  }

  // Every check may fail in the same way.
  #report(error: unknown): void {
    const line = `could not keep disk space for deletes: ${String(error)}`;
    if (line !== this.#reported) this.#log(line);
    this.#reported = line;
  }
}

/** Whether the file system reports a full disk. */
function isFullDisk(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
