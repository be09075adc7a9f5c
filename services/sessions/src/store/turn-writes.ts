import { change, givenUp, type Transition } from "@muster/store";
import { type Held, holderFilter } from "./moves.ts";
import type { SessionCollection, SessionDocument, SessionState } from "./session-document.ts";

/** The writes of a session's holder to its turn. All resolve with false if the caller no longer holds the session. */
export function turnWrites(sessions: SessionCollection) {
  const write = (
    held: Held,
    set: Transition<SessionDocument>["set"],
    unset: readonly `lease.${string}`[] = [],
  ) => change(sessions, holderFilter(held), { ...(set && { set }), unset: ["conversation", ...unset] });

  return {
    /**
     * Stores the turn of a holder that stops, for others to adopt at once. `last`: the number of its last event. `hasProgress`
     * as for `save`.
     */
    handOver: (
      held: Held,
      state: SessionState,
      now: Date,
      { last, hasProgress }: { last: number; hasProgress: boolean },
    ): Promise<boolean> =>
      write(
        held,
        { ...state, updatedAt: now, "lease.until": givenUp, "lease.handedOver": last },
        written(hasProgress),
      ),

    /** `hasProgress`: a step was completed since the turn began or was adopted. */
    save: (held: Held, state: SessionState, now: Date, hasProgress = false): Promise<boolean> =>
      write(held, { ...state, updatedAt: now }, written(hasProgress)),

    /** Stores the last state of an execution and frees the session. */
    settle: (held: Held, state: SessionState, expiresAt: Date | null, now: Date): Promise<boolean> =>
      write(held, { ...state, updatedAt: now, expiresAt, lease: null }),
  };
}

function written(hasProgress: boolean) {
  return ["lease.beginning", ...(hasProgress ? ["lease.adoptions" as const] : [])] as const;
}
