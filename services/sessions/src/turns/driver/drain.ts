import type { Timings } from "../../config.ts";
import type { Executions } from "./executions.ts";
import type { LeaseKeeper } from "./lease-keeper.ts";

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
