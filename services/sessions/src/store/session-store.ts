import type { Db } from "mongodb";
import { sessionChanges } from "./session-changes.ts";
import type { SessionDocument } from "./session-document.ts";
import { collectionName } from "./session-indexes.ts";
import { type LeaseOptions, sessionLeases } from "./session-leases.ts";
import { sessionLists } from "./session-lists.ts";
import { sessionReads } from "./session-reads.ts";
import { sessionSweeps } from "./session-sweeps.ts";
import { trusted } from "./state-text.ts";
import { turnWrites } from "./turn-writes.ts";

export type SessionStore = ReturnType<typeof createSessionStore>;

/** The only place that writes sessions. Every method is one command; each write is harmless if repeated. */
export function createSessionStore(db: Db, options: LeaseOptions = {}, collection = collectionName) {
  const sessions = db.collection<SessionDocument>(collection, trusted);
  return {
    ...sessionReads(sessions),
    ...sessionLists(sessions),
    ...sessionLeases(sessions, options),
    ...turnWrites(sessions),
    ...sessionChanges(sessions),
    ...sessionSweeps(sessions),
  };
}
