import type { Timings } from "../../config.ts";
import type { Execution } from "./execution.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";

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
