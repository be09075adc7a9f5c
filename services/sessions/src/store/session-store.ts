import type { Db } from "mongodb";
import type { SessionDocument } from "./session-document.ts";
import { sessionChanges } from "./sessions/changes.ts";
import { collectionName } from "./sessions/indexes.ts";
import { sessionLeases } from "./sessions/leases.ts";
import { sessionLists } from "./sessions/lists.ts";
import { sessionReads } from "./sessions/reads.ts";
import { leaseRenewals } from "./sessions/renewals.ts";
import { sessionSweeps } from "./sessions/sweeps.ts";
import { turnWrites } from "./sessions/turns.ts";
import { trusted } from "./trusted.ts";

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * The only place that writes sessions. Every method is one command; each write is harmless if repeated.
 * `onlyHolder` is set if no other instance can exist: leases of other holders then belong to dead ones.
 */
export function createSessionStore(db: Db, onlyHolder?: string, collection = collectionName) {
  const sessions = db.collection<SessionDocument>(collection, trusted);
  return {
    ...sessionReads(sessions),
    ...sessionLists(sessions),
    ...sessionLeases(sessions, onlyHolder),
    ...leaseRenewals(sessions),
    ...turnWrites(sessions),
    ...sessionChanges(sessions),
    ...sessionSweeps(sessions),
  };
}
