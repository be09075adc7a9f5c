import type { CollectionIndexes } from "@muster/store";
import type { Db } from "mongodb";
import { keyFilter } from "./moves.ts";
import type { SessionDocument } from "./session-document.ts";
import { createSessionStore, type SessionStore } from "./session-store.ts";

const collection = "worker_executions";

/** The store itself removes what has expired: nothing is left to be read of it. */
export const workerIndexes: CollectionIndexes = {
  collection,
  indexes: [{ name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 }],
};

/**
 * A worker execution is stored as a session is that has one turn, and moved by the same rules, under the id of the
 * execution. The collection of its own keeps the two apart: no RPC on sessions reaches an execution by its id, nor
 * the other way round.
 */
export type WorkerStore = Pick<
  SessionStore,
  "insert" | "find" | "lock" | "renew" | "save" | "settle" | "release"
>;

export function createWorkerStore(db: Db, onlyHolder?: string): WorkerStore {
  const executions = db.collection<SessionDocument>(collection);
  return {
    ...createSessionStore(db, onlyHolder, collection),
    /** That of another agent is not found. */
    find: (key) => executions.findOne(keyFilter(key)),
  };
}
