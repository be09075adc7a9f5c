import { type CollectionIndexes, change } from "@muster/store";
import type { Db } from "mongodb";
import { type Held, holderFilter, keyFilter, type SessionKey } from "./moves.ts";
import type { RunCall, SessionCollection } from "./session-document.ts";
import type { LeaseOptions, LockOutcome, NewLease } from "./session-leases.ts";
import { createSessionStore } from "./session-store.ts";

const collectionName = "workforce_sessions";

/** They never expire and are in no list, so only the sweep of cleared ones needs an index. */
export const hiddenIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "sweep_due", key: { sweepAt: 1 }, partialFilterExpression: { sweepAt: { $exists: true } } },
  ],
};

/** A call that is to begin, of a driver. */
export interface NewCall extends RunCall {
  driverEpoch: number;
}

export type HiddenStore = ReturnType<typeof createHiddenStore>;

/**
 * The sessions of workforce threads: stored and moved like all others, in a collection of their own. No call of anyone but
 * the workforce service reads it, so their existence cannot leak, and however many there are, lists and sweeps of other
 * sessions cost the same.
 */
export function createHiddenStore(db: Db, options: LeaseOptions = {}) {
  const store = createSessionStore(db, options, collectionName);
  const sessions: SessionCollection = db.collection(collectionName);

  return {
    ...store,
    findTimedOut: async () => [],
    // No earlier release knew these sessions.
    findPartlyStripped: async () => [],

    /**
     * Locks the session as `lock` does and stores the call with its driver, in one write. Refused if the session has
     * changed since it was read: its epoch is not one less than the call's run, or a later driver has been seen.
     */
    lockFor: (
      key: SessionKey,
      { driverEpoch, ...call }: NewCall,
      isContinuation: boolean,
      lease: NewLease,
      now: Date,
      liveRuns: readonly string[],
    ): Promise<LockOutcome> =>
      store.lock(key, lease, null, now, liveRuns, {
        guard: {
          epoch: call.run - 1,
          "workforce.driverEpoch": { $lte: driverEpoch },
          ...(isContinuation && { "execution.id": call.executionId }),
        },
        set: { "workforce.call": call, "workforce.driverEpoch": driverEpoch },
      }),

    /** Notes a later driver and asks the execution of an earlier one to stop. False: one of the two has moved. */
    endEarlier: (held: Held, driverEpoch: number): Promise<boolean> =>
      change(sessions, holderFilter(held), {
        guard: { "workforce.driverEpoch": { $lt: driverEpoch } },
        set: { "workforce.driverEpoch": driverEpoch, "lease.cancelRequested": true },
      }),

    /** Notes a driver that attaches to its call. False: that is no longer the latest call, or a later driver has been seen. */
    noteDriver: (
      key: SessionKey,
      { requestId, driverEpoch }: Pick<NewCall, "requestId" | "driverEpoch">,
    ): Promise<boolean> =>
      change(sessions, keyFilter(key), {
        guard: { "workforce.call.requestId": requestId, "workforce.driverEpoch": { $lte: driverEpoch } },
        set: { "workforce.driverEpoch": driverEpoch },
      }),
  };
}
