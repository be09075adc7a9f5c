import type { WorkforceContext } from "../context.ts";
import { createDueWork } from "../due-work.ts";
import { carryOut } from "./carry-out.ts";

/** Carries out the stored deliveries of hooks. Those of a hook with thread keys are carried out in the order of their arrival. */
export function createHookWork(context: WorkforceContext) {
  const { hookDeliveries, hookArrivals, onlyHolder } = context;
  /** The last one of each such hook that this instance has begun. */
  const last = new Map<string, Promise<void>>();
  const work = createDueWork(context, {
    lanes: ["hooks"],
    find: (_lane, now, except, limit) => hookDeliveries.findDue(now, except, limit, onlyHolder),
    work: async (delivery, signal) => {
      const { hookId, isOrdered } = delivery;
      if (!isOrdered) return carryOut(context, delivery);
      const before = last.get(hookId);
      const own = (async () => {
        // Its failure is reported where it ran.
        await before?.catch(() => undefined);
        if (!signal.aborted) await carryOut(context, delivery);
      })();
      last.set(hookId, own);
      try {
        await own;
      } finally {
        if (last.get(hookId) === own) last.delete(hookId);
      }
    },
    memberOf: ({ hookId }) => hookId,
    // Senders are answered first: stored deliveries can wait.
    limits: { running: 8, runningPerOwner: 2 },
    name: "a delivery of a hook",
  });
  hookArrivals.onArrival = work.wake;
  return work;
}
