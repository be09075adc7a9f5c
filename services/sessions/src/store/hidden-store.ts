import type { CollectionIndexes } from "@muster/store";
import type { Db } from "mongodb";
import { createSessionStore, type SessionStore } from "./session-store.ts";

const collection = "workforce_sessions";

/** They never expire and are in no list, so only the sweep of what was cleared needs an index. */
export const hiddenIndexes: CollectionIndexes = {
  collection,
  indexes: [
    { name: "sweep_due", key: { sweepAt: 1 }, partialFilterExpression: { sweepAt: { $exists: true } } },
  ],
};

/**
 * The sessions of workforce threads: stored and moved like all others, in a collection of their own. No call of anyone but
 * the workforce service reads it, so their existence cannot leak, and however many there are, lists and sweeps of other
 * sessions cost the same.
 */
export function createHiddenStore(db: Db, onlyHolder?: string): SessionStore {
  return {
    ...createSessionStore(db, onlyHolder, collection),
    findTimedOut: async () => [],
    // No earlier release knew these sessions.
    findPartlyStripped: async () => [],
  };
}
