import { appendFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";

const reserveName = "store.reserve";
const logName = "store.sqlite-wal";
const stepBytes = 1024 * 1024;

/** How many commits may pass before the reserve is compared with the log again. */
const checkEvery = 8;

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
  #isReleased = false;
  #commits = 0;

  constructor(directory: string) {
    this.#path = join(directory, reserveName);
    this.#logPath = join(directory, logName);
    this.#isReleased = !this.#fill();
  }

  get isReleased(): boolean {
    return this.#isReleased;
  }

  /** Whether the disk has room for more than deletes. Tries to restore a released reserve. */
  hasRoom(): boolean {
    if (this.#isReleased) this.#isReleased = !this.#fill();
    return !this.#isReleased;
  }

  /** Lets the reserve grow with the log. Call it after every commit. */
  grow(): void {
    if (++this.#commits % checkEvery === 0) this.#isReleased = !this.#fill();
  }

  /** Makes the reserve available for deletes. Returns false if it was released before. */
  release(): boolean {
    if (this.#isReleased) return false;
    this.#isReleased = true;
    rmSync(this.#path, { force: true });
    return true;
  }

  #fill(): boolean {
    const wanted = stepBytes * (1 + Math.ceil(sizeOf(this.#logPath) / stepBytes));
    const missing = wanted - sizeOf(this.#path);
    if (missing <= 0) return true;
    try {
      appendFileSync(this.#path, Buffer.alloc(missing), { mode: 0o600 });
      return true;
    } catch {
      rmSync(this.#path, { force: true });
      return false;
    }
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
