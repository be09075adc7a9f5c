import type { Clock } from "@muster/service";
import { isStoreFull } from "@muster/store";
import type { Timings } from "../../config.ts";
import type { Lease } from "../../store/session-document.ts";
import { whyLost } from "./checkpoints.ts";
import type { Execution } from "./execution.ts";
import type { Persistence } from "./once-there-is-space.ts";

export type Executions = ReturnType<typeof createExecutions>;

/** The executions of this instance, and the requests that wait for one of them to free its session. */
export function createExecutions() {
  const running = new Map<string, Execution>();
  const runs = new Map<string, string[]>();
  const waiting = new Map<string, Set<() => void>>();
  const idle = new Set<() => void>();

  const remove = ({ held }: Execution): void => {
    running.delete(held.runId);
    const others = runs.get(held.sessionId)?.filter((runId) => runId !== held.runId) ?? [];
    if (others.length > 0) runs.set(held.sessionId, others);
    else runs.delete(held.sessionId);
    for (const wake of waiting.get(held.sessionId) ?? []) wake();
    if (running.size > 0) return;
    for (const resolve of idle) resolve();
    idle.clear();
  };

  return {
    /** Registers an execution until it has freed its session. */
    add: (execution: Execution): void => {
      const { runId, sessionId } = execution.held;
      running.set(runId, execution);
      runs.set(sessionId, [...(runs.get(sessionId) ?? []), runId]);
      void execution.freed.then(() => remove(execution));
    },

    find: (runId: string): Execution | undefined => running.get(runId),

    /** The runs of a session on this instance; several if it was cleared and the first has not noticed yet. */
    runsOf: (sessionId: string): string[] => [...(runs.get(sessionId) ?? [])],

    get size(): number {
      return running.size;
    },

    all: (): Execution[] => [...running.values()],

    /** Resolves when the session is freed on this instance, the time is up or the signal is aborted. */
    waitForRelease: (sessionId: string, timeoutMs: number, signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => {
        const waiters = waiting.get(sessionId) ?? new Set();
        waiting.set(sessionId, waiters);
        const done = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", done);
          waiters.delete(done);
          if (waiters.size === 0) waiting.delete(sessionId);
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        signal.addEventListener("abort", done);
        waiters.add(done);
        if (signal.aborted) done();
      }),

    /** Resolves when no execution is running. */
    whenIdle: (): Promise<void> =>
      new Promise((resolve) => {
        if (running.size === 0) resolve();
        else idle.add(resolve);
      }),
  };
}

/** If writing the last state takes longer, the store is down. */
export const settleMs = 3_000;

interface Draining {
  executions: Executions;
  leases: LeaseKeeper;
  timings: Timings;
}

/**
 * Allows executions to end by themselves for a while, then stores their state and stops them. Those that another
 * process can continue stay open for it.
 */
export async function drain({ executions, leases, timings }: Draining): Promise<void> {
  if (!(await idleWithin(executions, timings.drainMs))) {
    for (const execution of executions.all()) void execution.leave();
    await idleWithin(executions, settleMs);
  }
  leases.stop();
}

async function idleWithin(executions: Executions, timeoutMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  try {
    return await Promise.race([executions.whenIdle().then(() => true), promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** An execution, as far as its lease is concerned. */
export interface LeaseHolder extends Pick<Execution, "held" | "leaseUntilMs" | "hasEnded" | "log" | "stop"> {
  readonly persistence: {
    readonly store: Pick<Persistence["store"], "find" | "renew">;
    readonly expiry: Pick<Persistence["expiry"], "held">;
    readonly waitsForSpace?: true;
  };
}

interface LeaseKeeperOptions {
  executions: { all(): LeaseHolder[] };
  clock: Clock;
  timings: Timings;
}

export type LeaseKeeper = ReturnType<typeof createLeaseKeeper>;

/**
 * Leases that are renewed with one command, one command after the other: renewing all of them at once would delay the streams of
 * the instance.
 */
export const batchSize = 64;

/**
 * Renews the leases of all executions of this instance with one timer, which runs only while there are any. A
 * renewal also shows whether an execution was cancelled, cleared or taken over without an event having arrived.
 */
export function createLeaseKeeper(options: LeaseKeeperOptions) {
  const { executions, clock, timings } = options;
  const renewing = new Set<LeaseHolder>();
  const roundsWithout = new WeakMap<LeaseHolder, number>();
  const maxRoundsWithout = Math.floor(timings.leaseMs / timings.renewEveryMs);
  let timer: NodeJS.Timeout | undefined;
  /** Why leases cannot be renewed. */
  let stopCause: "store-down" | "storage-full" = "store-down";

  const renewAll = async (holders: readonly LeaseHolder[]): Promise<void> => {
    for (const holder of holders) renewing.add(holder);
    const byStore = Map.groupBy(holders, ({ persistence }) => persistence.store);
    await Promise.all([...byStore].map(([store, sharing]) => renewInTurns(store, sharing)));
  };

  const renewInTurns = async (store: LeaseStore, holders: readonly LeaseHolder[]): Promise<void> => {
    for (let start = 0; start < holders.length; start += batchSize) {
      const batch = holders.slice(start, start + batchSize);
      await renewBatch(store, batch);
      for (const holder of batch) renewing.delete(holder);
    }
  };

  const renewBatch = async (store: LeaseStore, batch: readonly LeaseHolder[]): Promise<void> => {
    const nowMs = clock.now();
    // Other instances read it, so it is a time of day. This one counts for itself: its clock may be corrected in between.
    const until = new Date(nowMs + timings.leaseMs);
    const leaseUntilMs = clock.monotonicMs() + timings.leaseMs;
    try {
      const leases = await store.renew(
        batch.map(({ held, persistence }) => ({ held, until, expiresAt: persistence.expiry.held(nowMs) })),
      );
      for (const holder of batch) {
        await heed(holder, leases.get(holder.held.runId));
        holder.leaseUntilMs = leaseUntilMs;
        roundsWithout.delete(holder);
      }
    } catch (error) {
      stopCause = isStoreFull(error) ? "storage-full" : "store-down";
      for (const { log } of batch) log.warn({ err: error }, "a lease could not be renewed");
    }
  };

  const heed = async (holder: LeaseHolder, lease: RenewedLease | undefined): Promise<void> => {
    // It frees its session itself, and finds out itself whether it still may.
    if (holder.hasEnded) return;
    if (lease === undefined) holder.stop(await whyLost(holder.persistence, holder.held, clock.now()));
    else if (lease.cancelRequested) holder.stop("cancelled");
  };

  /**
   * Once its lease has expired, another instance may take the session. The clock alone does not decide: if this process
   * was suspended, the lease is its own until another has taken it, and the next renewal shows that. So it counts
   * the rounds, which pass only while this process runs.
   */
  const stopWithoutStore = (execution: LeaseHolder): void => {
    const rounds = (roundsWithout.get(execution) ?? 0) + 1;
    roundsWithout.set(execution, rounds);
    if (stopCause === "storage-full" && execution.persistence.waitsForSpace) return;
    if (rounds > maxRoundsWithout && clock.monotonicMs() >= execution.leaseUntilMs) execution.stop(stopCause);
  };

  /** Leases that were taken or renewed recently can wait for the next round. */
  const isDue = ({ leaseUntilMs }: LeaseHolder): boolean =>
    leaseUntilMs - clock.monotonicMs() < timings.leaseMs - timings.renewEveryMs / 2;

  const round = (): void => {
    const all = executions.all();
    if (all.length === 0) stop();
    const due = all.filter(isDue);
    for (const execution of due) stopWithoutStore(execution);
    void renewAll(due.filter((execution) => !renewing.has(execution)));
  };

  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };

  return {
    /** Must be called when an execution has been added. */
    wake: (): void => {
      timer ??= setInterval(round, timings.renewEveryMs).unref();
    },
    /** Renews every lease now, because events may have been missed. */
    renewAll: (): Promise<void> => renewAll(executions.all()),
    stop,
  };
}

type LeaseStore = LeaseHolder["persistence"]["store"];
type RenewedLease = Pick<Lease, "cancelRequested">;
