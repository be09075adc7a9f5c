import type { Notice } from "@muster/events";
import type { AuditEntry } from "@muster/events/audit";
import { change, deletion, sharedInserts, type Transition, unlessDuplicate, updateOf } from "@muster/store";
import type { Filter } from "mongodb";
import { type Held, holderFilter, isActive, keyFilter, type SessionKey } from "./moves.ts";
import {
  type ConversationFields,
  isLargeWrite,
  type SessionCollection,
  type SessionDocument,
} from "./session-document.ts";
import type { NewLease } from "./session-leases.ts";

/** Expires a session. `activity`: absent if it has not been active. */
function expire(sweepAt: Date, activity: Partial<Pick<SessionDocument, "updatedAt">> = {}) {
  return {
    set: {
      ...{ status: "expired", input: null, head: [], tail: null, memory: null, expiresAt: null },
      ...{ title: null, messageCount: 0, summaryAt: null, lease: null, execution: null, sweepAt },
      ...activity,
    },
    unset: ["conversation", "pendingEvents", "earlierEvents", "lastEntry"],
    inc: { epoch: 1 },
  } as const satisfies Transition<SessionDocument>;
}

/** Changes of sessions as a whole, by any caller that may. */
export function sessionChanges(sessions: SessionCollection) {
  const insertShared = sharedInserts(sessions, isLargeWrite);

  return {
    /** False: the session exists. */
    insert: (session: SessionDocument): Promise<boolean> => unlessDuplicate(sessions.insertOne(session)),

    /** Inserts a session whose first turn has begun, with its lease taken. Null: the session exists. */
    insertHeld: async (session: SessionDocument, lease: NewLease): Promise<Held | null> => {
      const { _id: sessionId, projectId, epoch: before } = session;
      const epoch = before + 1;
      const held = { projectId, sessionId, epoch, runId: lease.runId };
      const opened = { ...session, epoch, lease: { ...lease, cancelRequested: false } };
      if (await insertShared(opened)) return held;
      // The first attempt of this very command may have arrived.
      return (await sessions.countDocuments(holderFilter(held), { limit: 1 })) === 1 ? held : null;
    },

    /** Replaces the metadata. False: it is no longer `before`, or the session is not active. */
    describe: (
      key: SessionKey,
      before: readonly string[] | undefined,
      metadata: string[],
      now: Date,
    ): Promise<boolean> => {
      const guard = { ...isActive(now), metadata: before === undefined ? { $exists: false } : [...before] };
      const [set, unset] = metadata.length === 0 ? [{}, ["metadata" as const]] : [{ metadata }, []];
      return change(sessions, keyFilter(key), { guard, set: { ...set, updatedAt: now }, unset });
    },

    /** Expires an active session. Returns its holder; null if it was not active. */
    clear: (
      key: SessionKey,
      now: Date,
      sweepAt: Date,
      entry?: AuditEntry,
    ): Promise<Pick<SessionDocument, "_id" | "epoch" | "lease" | "execution"> | null> =>
      sessions.findOneAndUpdate(
        { ...keyFilter(key), status: "active" },
        updateOf<SessionDocument>({
          ...expire(sweepAt, { updatedAt: now }),
          ...(entry && { push: { audit: entry } }),
        }),
        {
          returnDocument: "before",
          projection: { epoch: 1, lease: 1, "execution.id": 1, "execution.state": 1 },
          ...deletion,
        },
      ),

    /**
     * Removes the state of a session that timed out, or that an earlier release has expired without removing all of it. It has
     * not been active: its place in lists stays the same.
     */
    strip: (key: SessionKey, now: Date, sweepAt: Date, notice?: Notice): Promise<boolean> => {
      const timedOut: Filter<SessionDocument> = { status: "active", expiresAt: { $lte: now } };
      const guard = { $or: [timedOut, { status: "expired" as const, tail: { $type: "string" as const } }] };
      const push = notice && { push: { outbox: notice } };
      return change(sessions, keyFilter(key), { guard, ...expire(sweepAt), ...push }, deletion);
    },

    /** Makes an expired session active. False: it was not expired, or has another epoch. */
    restore: (
      key: SessionKey,
      epoch: number,
      state: ConversationFields & Pick<SessionDocument, "input" | "expiresAt">,
      now: Date,
    ): Promise<boolean> =>
      change(sessions, keyFilter(key), {
        guard: { $or: [{ status: "expired" }, { expiresAt: { $lte: now } }], epoch },
        set: {
          ...state,
          status: "active",
          updatedAt: now,
          lease: null,
          execution: null,
          firstRun: epoch + 1,
        },
        unset: ["conversation", "pendingEvents", "earlierEvents", "lastEntry"],
        inc: { epoch: 1 },
      }),
  };
}
