import type { Clock } from "@muster/service";
import type { Timings } from "../config.ts";
import { whyLost } from "./checkpoints.ts";
import type { Execution } from "./execution.ts";
import type { Persistence } from "./persistence.ts";

/** An execution, as far as its lease is concerned. */
export interface LeaseHolder extends Pick<Execution, "held" | "leaseUntilMs" | "log" | "stop"> {
  readonly persistence: {
    readonly store: Pick<Persistence["store"], "find" | "renew">;
    readonly expiry: Pick<Persistence["expiry"], "held">;
  };
}

interface LeaseKeeperOptions {
  executions: { all(): LeaseHolder[] };
  clock: Clock;
  timings: Timings;
}

export type LeaseKeeper = ReturnType<typeof createLeaseKeeper>;

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

  const renew = async (execution: LeaseHolder): Promise<void> => {
    renewing.add(execution);
    const nowMs = clock.now();
    const untilMs = nowMs + timings.leaseMs;
    try {
      const { held, persistence } = execution;
      const lease = await persistence.store.renew(held, new Date(untilMs), persistence.expiry.held(nowMs));
      if (lease === null) execution.stop(await whyLost(persistence, held, clock.now()));
      else if (lease.cancelRequested) execution.stop("cancelled");
      execution.leaseUntilMs = untilMs;
      roundsWithout.delete(execution);
    } catch (error) {
      execution.log.warn({ err: error }, "a lease could not be renewed");
    } finally {
      renewing.delete(execution);
    }
  };

  /**
   * Once its lease has expired, another instance may take the session. The clock alone does not decide: if this process
   * was suspended, the lease is its own until another has taken it, and the next renewal shows that. So it counts
   * the rounds, which pass only while this process runs.
   */
  const stopWithoutStore = (execution: LeaseHolder): void => {
    const rounds = (roundsWithout.get(execution) ?? 0) + 1;
    roundsWithout.set(execution, rounds);
    if (rounds > maxRoundsWithout && clock.now() >= execution.leaseUntilMs) execution.stop("store-down");
  };

  /** Leases that were taken or renewed recently can wait for the next round. */
  const isDue = ({ leaseUntilMs }: LeaseHolder): boolean =>
    leaseUntilMs - clock.now() < timings.leaseMs - timings.renewEveryMs / 2;

  const round = (): void => {
    const all = executions.all();
    if (all.length === 0) stop();
    for (const execution of all) {
      if (!isDue(execution)) continue;
      stopWithoutStore(execution);
      if (!renewing.has(execution)) void renew(execution);
    }
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
    renewAll: async (): Promise<void> => {
      await Promise.all(executions.all().map(renew));
    },
    stop,
  };
}
