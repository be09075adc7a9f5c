import { deletion, isDuplicateKey } from "@muster/store";
import { type Held, holderFilter, moves, openFilter, type SessionKey } from "./moves.ts";
import type { SessionCollection } from "./session-collection.ts";
import type { ConversationFields, SessionDocument } from "./session-document.ts";
import type { NewLease } from "./session-leases.ts";
import { strip } from "./session-sweeps.ts";

/** Changes of sessions as a whole, by any caller that may. */
export function sessionChanges(sessions: SessionCollection) {
  return {
    insert: async (session: SessionDocument): Promise<void> => {
      await sessions.insertOne(session);
    },

    /** Inserts a session whose first turn has begun, with its lease taken. Null: the session exists. */
    insertHeld: async (session: SessionDocument, lease: NewLease): Promise<Held | null> => {
      const { _id: sessionId, projectId, epoch: before } = session;
      const epoch = before + 1;
      const held = { projectId, sessionId, epoch, runId: lease.runId };
      try {
        await sessions.insertOne({ ...session, epoch, lease: { ...lease, cancelRequested: false } });
        return held;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        // The first attempt of this very command may have arrived.
        return (await sessions.countDocuments(holderFilter(held), { limit: 1 })) === 1 ? held : null;
      }
    },

    /** Replaces the metadata. False: it is no longer `before`, or the session is not active. */
    describe: async (
      key: SessionKey,
      before: readonly string[] | undefined,
      metadata: string[],
      now: Date,
    ): Promise<boolean> => {
      const unchanged = { metadata: before === undefined ? { $exists: false } : [...before] };
      const { matchedCount } = await sessions.updateOne(
        { $and: [openFilter(key, moves.describe, now), unchanged] },
        metadata.length === 0
          ? { $unset: { metadata: "" }, $set: { updatedAt: now } }
          : { $set: { metadata, updatedAt: now } },
      );
      return matchedCount === 1;
    },

    /** Expires an active session. Returns its holder; null if it was not active. */
    clear: (
      key: SessionKey,
      now: Date,
      sweepAt: Date,
    ): Promise<Pick<SessionDocument, "_id" | "epoch" | "lease"> | null> =>
      sessions.findOneAndUpdate(openFilter(key, moves.clear, now), strip(sweepAt, { updatedAt: now }), {
        returnDocument: "before",
        projection: { epoch: 1, lease: 1 },
        ...deletion,
      }),

    /** Makes an expired session active. False: it was not expired, or has another epoch. */
    restore: async (
      key: SessionKey,
      epoch: number,
      state: ConversationFields & Pick<SessionDocument, "input" | "expiresAt">,
      now: Date,
    ): Promise<boolean> => {
      const { matchedCount } = await sessions.updateOne(
        { ...openFilter(key, moves.restore, now), epoch },
        {
          $set: {
            ...state,
            ...{ status: "active", updatedAt: now, lease: null, execution: null, firstRun: epoch + 1 },
          },
          $unset: { conversation: "", pendingEvents: "" },
          $inc: { epoch: 1 },
        },
      );
      return matchedCount === 1;
    },
  };
}
