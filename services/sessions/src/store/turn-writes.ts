import { givenUp, sharedChanges, type Transition } from "@muster/store";
import { type Held, holderFilter } from "./moves.ts";
import {
  isLargeWrite,
  type SessionCollection,
  type SessionDocument,
  type SessionState,
} from "./session-document.ts";

/**
 * The writes of a session's holder to its turn, which share commands with those of other sessions. All resolve with false
 * if the caller no longer holds the session.
 */
export function turnWrites(sessions: SessionCollection) {
  const shared = sharedChanges(sessions, ({ transition: { set } }) => isLargeWrite(set));
  const write = (held: Held, set: SessionState & Turned, unset: readonly `lease.${string}`[] = []) =>
    shared({ key: holderFilter(held), transition: { set, unset: ["conversation", ...unset] } });

  /** A write that frees the session cannot be repeated: its first attempt is known by the events that it has stored. */
  const isSettled = async (
    { projectId, sessionId: _id }: Held,
    { pendingEvents }: SessionState,
  ): Promise<boolean> => {
    if (pendingEvents === undefined) return false;
    const { executionId, run, first, count, isLast } = pendingEvents;
    const events = { executionId, run, first, count, isLast };
    const names = Object.entries(events).map(([name, value]) => [`pendingEvents.${name}`, value]);
    return (
      (await sessions.countDocuments({ _id, projectId, ...Object.fromEntries(names) }, { limit: 1 })) === 1
    );
  };

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
    settle: async (held: Held, state: SessionState, expiresAt: Date | null, now: Date): Promise<boolean> => {
      const isWritten = await write(held, { ...state, updatedAt: now, expiresAt, lease: null });
      return isWritten || isSettled(held, state);
    },
  };
}

type Turned = NonNullable<Transition<SessionDocument>["set"]>;

function written(hasProgress: boolean) {
  return ["lease.beginning", ...(hasProgress ? ["lease.adoptions" as const] : [])] as const;
}
