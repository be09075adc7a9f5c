import type { MatchKeysAndValues } from "mongodb";
import { type Held, holderFilter } from "./moves.ts";
import { type SessionCollection, setAsHolder } from "./session-collection.ts";
import type { SessionDocument, SessionState } from "./session-document.ts";

/** The writes of a session's holder to its turn. All resolve with false if the caller no longer holds the session. */
export function turnWrites(sessions: SessionCollection) {
  const write = async (
    held: Held,
    set: MatchKeysAndValues<SessionDocument>,
    unset: { "lease.beginning"?: ""; "lease.adoptions"?: "" } = {},
  ): Promise<boolean> => {
    const update = { $set: set, $unset: { conversation: "", ...unset } } as const;
    const { matchedCount } = await sessions.updateOne(holderFilter(held), update);
    return matchedCount === 1;
  };

  return {
    /**
     * Stores the turn of a holder that stops, for others to adopt at once. `last`: the number of its last event. `hasProgress`
     * as for `save`. Resolves with false if the caller no longer holds the session.
     */
    handOver: (
      held: Held,
      state: SessionState,
      now: Date,
      { last, hasProgress }: { last: number; hasProgress: boolean },
    ): Promise<boolean> =>
      write(
        held,
        { ...state, updatedAt: now, "lease.until": new Date(0), "lease.handedOver": last },
        { "lease.beginning": "", ...(hasProgress && { "lease.adoptions": "" }) },
      ),

    /** `hasProgress`: a step was completed since the turn began or was adopted. False: the session is no longer held. */
    save: (held: Held, state: SessionState, now: Date, hasProgress = false): Promise<boolean> =>
      write(
        held,
        { ...state, updatedAt: now },
        { "lease.beginning": "", ...(hasProgress && { "lease.adoptions": "" }) },
      ),

    /** Stores the last state of an execution and frees the session. False: it is no longer held. */
    settle: (held: Held, state: SessionState, expiresAt: Date | null, now: Date): Promise<boolean> =>
      write(held, { ...state, updatedAt: now, expiresAt, lease: null }),

    /** Frees a session without storing a new state. */
    release: (
      held: Held,
      expiresAt: Date | null,
      usage: Pick<SessionState, "usage"> = {},
    ): Promise<boolean> => setAsHolder(sessions, held, { lease: null, expiresAt, ...usage }),
  };
}
