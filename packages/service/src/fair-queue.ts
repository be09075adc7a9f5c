export interface FairQueueLimits {
  /** How many tasks run at once. If tasks have sizes, the largest sum of these, in their unit. */
  running: number;
  /** The share of one owner, in the unit of `running`. A larger task runs as the owner's only one. Default: `running`. */
  runningPerOwner?: number;
  /** How many tasks wait. If they have weights, the largest sum of these. Default: any number. */
  waiting?: number;
  /** The limit of one owner, in the unit of `waiting`. Default: any number. */
  waitingPerOwner?: number;
}

export interface FairTaskOptions {
  /** Who it is for, of those who share the owner's turns: they take turns as well. */
  member?: string;
  /** How much of the limits it takes while it runs, an integer. Default 1. */
  size?: number;
  /** How much of the limits it takes while it waits. Default 1. */
  weight?: number;
  /** Takes the task out of the queue. A task that runs watches the signal itself. */
  signal?: AbortSignal;
}

/** The tasks that wait, of one owner or in all, have reached their limit. */
export class QueueFullError extends Error {}

interface Waiting {
  readonly size: number;
  readonly weight: number;
  readonly sinceMs: number;
  start(): void;
}

/** The tasks of one owner that wait, by member, in the order of their turns. */
type Line = Map<string, Set<Waiting>>;

/**
 * Runs a bounded number of tasks at once. Owners that wait take turns, usually projects: none waits for longer than one task of
 * each other owner takes, however many they have. A task that does not fit yet keeps its turn, so that smaller ones never
 * overtake it for long.
 */
export class FairQueue {
  readonly #limits: Required<FairQueueLimits>;
  readonly #now: () => number;
  /** The lines of the owners for which tasks wait, in the order of their turns. */
  readonly #lines = new Map<string, Line>();
  /** The sum of the sizes of the tasks that run, by owner. */
  readonly #used = new Map<string, number>();
  #usedInAll = 0;
  #running = 0;
  #waiting = 0;
  /** The sum of the weights of the tasks that wait, by owner. */
  readonly #weights = new Map<string, number>();
  #weight = 0;

  /** `now`: monotonic milliseconds. */
  constructor(limits: FairQueueLimits, now = () => performance.now()) {
    const { running, waiting = Infinity, waitingPerOwner = Infinity } = limits;
    const runningPerOwner = Math.min(limits.runningPerOwner ?? running, running);
    this.#limits = { running, runningPerOwner, waiting, waitingPerOwner };
    this.#now = now;
  }

  /** The sum of the sizes of the tasks that run. */
  get used(): number {
    return this.#usedInAll;
  }

  /** How many tasks run. */
  get running(): number {
    return this.#running;
  }

  /** How many tasks wait. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How long the task has been waiting that has been waiting longest; 0 if none waits. */
  get oldestMs(): number {
    const now = this.#now();
    let oldest = now;
    for (const line of this.#lines.values())
      for (const [first] of line.values()) oldest = Math.min(oldest, first?.sinceMs ?? now);
    return now - oldest;
  }

  /**
   * The result of the task, which gets the milliseconds that it has waited. Rejects with a QueueFullError if too many wait,
   * and with the signal's reason if it aborts before the task starts.
   */
  async run<T>(
    owner: string,
    task: (waitedMs: number) => Promise<T>,
    { member = "", size = 1, weight = 1, signal }: FairTaskOptions = {},
  ): Promise<T> {
    const counted = Math.min(size, this.#limits.running);
    const waitedMs = await this.#turn(owner, member, { size: counted, weight }, signal);
    try {
      signal?.throwIfAborted();
      return await task(waitedMs);
    } finally {
      this.#take(owner, -counted);
      this.#running -= 1;
      this.#startNext();
    }
  }

  #turn(
    owner: string,
    member: string,
    counts: Pick<Waiting, "size" | "weight">,
    signal?: AbortSignal,
  ): Promise<number> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const sinceMs = this.#now();
      let isWaiting = true;
      const start = () => {
        isWaiting = false;
        signal?.removeEventListener("abort", abort);
        resolve(this.#now() - sinceMs);
      };
      const waiting: Waiting = { ...counts, sinceMs, start };
      const leave = (reason: unknown) => {
        signal?.removeEventListener("abort", abort);
        this.#remove(owner, member, waiting);
        reject(reason);
        // It may have been too large for the free capacity.
        this.#startNext();
      };
      const abort = () => leave(signal?.reason);
      signal?.addEventListener("abort", abort);
      this.#add(owner, member, waiting);
      this.#startNext();
      if (isWaiting && this.#isOver(owner)) leave(new QueueFullError("too many tasks wait"));
    });
  }

  #isOver(owner: string): boolean {
    const { waiting, waitingPerOwner } = this.#limits;
    return this.#weight > waiting || (this.#weights.get(owner) ?? 0) > waitingPerOwner;
  }

  /** Starts what fits. An owner that has had its turn goes to the end, where the loop finds it again. */
  #startNext(): void {
    const { running, runningPerOwner } = this.#limits;
    for (const [owner, line] of this.#lines) {
      const [[member, [next] = []] = []] = line;
      if (member === undefined || next === undefined) continue;
      const used = this.#used.get(owner) ?? 0;
      if (used > 0 && used + next.size > runningPerOwner) continue;
      if (this.#usedInAll + next.size > running) return;
      this.#take(owner, next.size);
      this.#running += 1;
      this.#remove(owner, member, next);
      toEnd(line, member);
      toEnd(this.#lines, owner);
      next.start();
    }
  }

  #add(owner: string, member: string, waiting: Waiting): void {
    const line: Line = this.#lines.get(owner) ?? new Map();
    this.#lines.set(owner, line.set(member, (line.get(member) ?? new Set()).add(waiting)));
    this.#waiting += 1;
    this.#weight += count(this.#weights, owner, waiting.weight);
  }

  #remove(owner: string, member: string, waiting: Waiting): void {
    const line = this.#lines.get(owner);
    const ofMember = line?.get(member);
    ofMember?.delete(waiting);
    this.#waiting -= 1;
    this.#weight += count(this.#weights, owner, -waiting.weight);
    if (ofMember?.size === 0) line?.delete(member);
    if (line?.size === 0) this.#lines.delete(owner);
  }

  #take(owner: string, size: number): void {
    this.#usedInAll += count(this.#used, owner, size);
  }
}

/** Returns the amount that was added. */
function count(sums: Map<string, number>, owner: string, by: number): number {
  const sum = (sums.get(owner) ?? 0) + by;
  if (sum === 0) sums.delete(owner);
  else sums.set(owner, sum);
  return by;
}

function toEnd<Value>(turns: Map<string, Value>, name: string): void {
  const value = turns.get(name);
  if (value === undefined) return;
  turns.delete(name);
  turns.set(name, value);
}

/**
 * Bounds what owners, usually projects, have together of something that is refused rather than waited for. How much one
 * may have follows what is left: with the default greed alone three quarters, and less the more others have. So
 * something is left for a newcomer, however greedy the others are, and an owner that has nothing gets whatever fits.
 */
export class FairBudget {
  readonly #limit: number;
  readonly #greed: number;
  readonly #used = new Map<string, number>();
  #usedInAll = 0;

  /** `greed`: an owner may have this many times what is left free. */
  constructor(limit: number, greed = 3) {
    this.#limit = limit;
    this.#greed = greed;
  }

  /** The total of all owners. */
  get used(): number {
    return this.#usedInAll;
  }

  /** False if the owner must not have so much more now. Otherwise `give` it back. */
  take(owner: string, size: number): boolean {
    const before = this.#used.get(owner) ?? 0;
    const free = this.#limit - this.#usedInAll - size;
    if (free < 0 || (before > 0 && before + size > this.#greed * free)) return false;
    this.#change(owner, size);
    return true;
  }

  give(owner: string, size: number): void {
    this.#change(owner, -size);
  }

  #change(owner: string, by: number): void {
    this.#usedInAll += by;
    const used = (this.#used.get(owner) ?? 0) + by;
    if (used === 0) this.#used.delete(owner);
    else this.#used.set(owner, used);
  }
}
