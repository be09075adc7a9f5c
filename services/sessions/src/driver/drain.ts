import type { Timings } from "../config.ts";
import type { Executions } from "./executions.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";

/** If writing the last state takes longer, the store is down. */
const settleMs = 3_000;

interface Draining {
  executions: Executions;
  leases: LeaseKeeper;
  timings: Timings;
}

/**
 * Lets executions end by themselves for a while, then stops them and stores their state. Those that another process can
 * continue stop where they are.
 */
export async function drain({ executions, leases, timings }: Draining): Promise<void> {
  if (!(await idleWithin(executions, timings.drainMs))) {
    const stopped = executions.all();
    for (const execution of stopped) {
      execution.stop(execution.persistence.handOver === undefined ? "stopping" : "lost");
    }
    await idleWithin(executions, settleMs);
    await Promise.allSettled(stopped.map(({ held, persistence }) => persistence.handOver?.(held)));
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
