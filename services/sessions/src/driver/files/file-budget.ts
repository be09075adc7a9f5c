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

interface Waiting {
  bytes: number;
  take(room: Room): void;
}

/**
 * Bounds the bytes of files in memory, over all turns of this process. Who asks first is served first. A turn asks once for
 * all files of a call and holds nothing while it waits, so no two turns wait for each other.
 */
export class FileBudget {
  readonly #maxBytes: number;
  readonly #maxWaitMs: number;
  readonly #waiting: Waiting[] = [];
  #used = 0;

  constructor({ maxBytes, maxWaitMs }: { maxBytes: number; maxWaitMs: number }) {
    this.#maxBytes = maxBytes;
    this.#maxWaitMs = maxWaitMs;
  }

  get usedBytes(): number {
    return this.#used;
  }

  /** How many calls wait for room. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Waits for room. Throws NoRoomError, and the reason of the signal. */
  async take(bytes: number, signal: AbortSignal): Promise<Room> {
    signal.throwIfAborted();
    const needed = Math.min(bytes, this.#maxBytes);
    if (this.#waiting.length === 0 && this.#fits(needed)) return this.#give(needed);
    const { promise, resolve, reject } = Promise.withResolvers<Room>();
    const waiting = { bytes: needed, take: resolve };
    this.#waiting.push(waiting);
    const leave = (reason: unknown) => {
      const index = this.#waiting.indexOf(waiting);
      if (index < 0) return;
      this.#waiting.splice(index, 1);
      reject(reason);
      this.#serve();
    };
    const aborted = () => leave(signal.reason);
    const timer = setTimeout(() => leave(new NoRoomError()), this.#maxWaitMs);
    signal.addEventListener("abort", aborted, { once: true });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", aborted);
    }
  }

  /** Room for something of less importance, such as a cache: from the first half, and only if nobody waits. */
  tryTake(bytes: number): Room | undefined {
    const hasRoom = this.#waiting.length === 0 && this.#used + bytes <= this.#maxBytes / 2;
    return hasRoom ? this.#give(bytes) : undefined;
  }

  #fits(bytes: number): boolean {
    return this.#used + bytes <= this.#maxBytes;
  }

  #give(bytes: number): Room {
    this.#used += bytes;
    let isFree = false;
    return {
      free: () => {
        if (isFree) return;
        isFree = true;
        this.#used -= bytes;
        this.#serve();
      },
    };
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      next.take(this.#give(next.bytes));
    }
  }
}
