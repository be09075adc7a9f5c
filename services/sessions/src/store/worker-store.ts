import type { CollectionIndexes } from "@muster/store";
import type { Db } from "mongodb";
import { keyFilter } from "./moves.ts";
import type { SessionCollection } from "./session-document.ts";
import type { LeaseOptions } from "./session-leases.ts";
import { createSessionStore, type SessionStore } from "./session-store.ts";
import { trusted } from "./state-text.ts";

const collection = "worker_executions";

/** The store removes expired executions completely: they are not read again. */
export const workerIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/**
 * A worker execution is stored like a session with one turn and moved by the same rules, under the execution's id.
 * A separate collection keeps the two apart: no RPC on sessions reaches an execution by its id, or vice versa.
 */
export type WorkerStore = Pick<
  SessionStore,
  "insert" | "find" | "lock" | "renew" | "save" | "settle" | "release"
>;

export function createWorkerStore(db: Db, options: LeaseOptions = {}): WorkerStore {
  const executions: SessionCollection = db.collection(collection, trusted);
  return {
    ...createSessionStore(db, options, collection),
    /** Does not find executions of other agents. */
    find: (key) => executions.findOne(keyFilter(key)),
  };
}
