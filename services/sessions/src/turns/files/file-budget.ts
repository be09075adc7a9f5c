import { FairQueue } from "@muster/service";

/** The wait for room was too long. */
export class NoRoomError extends Error {
  constructor() {
    super("Too many files are being sent to models at the moment; try again.");
    this.name = "NoRoomError";
  }
}

/** Room that is in use until it is given back. */
export interface Room {
  /** Can be called twice. */
  free(): void;
}

/**
 * Bounds the bytes of files in memory, over all turns of this process. Projects that wait take turns, and one has at
 * most three quarters of the room. A turn asks once for all files of a call and occupies nothing while it waits, so no
 * two turns wait for each other.
 */
export class FileBudget {
  readonly #maxBytes: number;
  readonly #maxWaitMs: number;
  /** The calls that wait for room, and those that have some. */
  readonly queue: FairQueue;

  constructor({ maxBytes, maxWaitMs }: { maxBytes: number; maxWaitMs: number }) {
    this.#maxBytes = maxBytes;
    this.#maxWaitMs = maxWaitMs;
    this.queue = new FairQueue({ running: maxBytes, runningPerOwner: Math.floor((maxBytes * 3) / 4) });
  }

  get usedBytes(): number {
    return this.queue.used;
  }

  /** Waits for room. Throws NoRoomError, and the reason of the signal. */
  async take(projectId: string, bytes: number, signal: AbortSignal): Promise<Room> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new NoRoomError()), this.#maxWaitMs);
    try {
      return await this.#hold(projectId, bytes, AbortSignal.any([signal, late.signal]));
    } finally {
      clearTimeout(timer);
      // Node keeps a combined signal with a listener in memory until it aborts.
      late.abort();
    }
  }

  /** Room for something of less importance, such as a cache: from the first half, and only if no call waits. */
  async tryTake(projectId: string, bytes: number): Promise<Room | undefined> {
    const hasRoom = this.queue.waiting === 0 && this.queue.used + bytes <= this.#maxBytes / 2;
    // Not in the share for the project's calls, because these could wait for the files that their own turns keep.
    return hasRoom ? await this.#hold(`kept ${projectId}`, bytes) : undefined;
  }

  #hold(owner: string, size: number, signal?: AbortSignal): Promise<Room> {
    return new Promise((resolve, reject) => {
      const use = () => new Promise<void>((free) => resolve({ free }));
      this.queue.run(owner, use, { size, ...(signal && { signal }) }).catch(reject);
    });
  }
}
