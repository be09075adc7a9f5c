import type { Db } from "mongodb";
import { sessionChanges } from "./session-changes.ts";
import type { SessionDocument } from "./session-document.ts";
import { collectionName } from "./session-indexes.ts";
import { sessionLeases } from "./session-leases.ts";
import { sessionLists } from "./session-lists.ts";
import { sessionReads } from "./session-reads.ts";
import { leaseRenewals } from "./session-renewals.ts";
import { sessionSweeps } from "./session-sweeps.ts";
import { turnWrites } from "./session-turns.ts";
import { trusted } from "./state-text.ts";

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
