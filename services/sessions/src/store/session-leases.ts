import type { Filter, MatchKeysAndValues } from "mongodb";
import { type Held, holderFilter, moves, openFilter, type SessionKey } from "./moves.ts";
import { type SessionCollection, setAsHolder } from "./session-collection.ts";
import type { Lease, SessionDocument } from "./session-document.ts";

/** A lease that is not taken yet. */
export type NewLease = Omit<Lease, "cancelRequested" | "adoptions">;

export type AdoptedLease = Required<Pick<Lease, "runId" | "holder" | "until" | "executionId" | "run">>;

/** The other changes and the condition of the write of a lock. */
export interface WithLock {
  onlyIf: Filter<SessionDocument>;
  set: MatchKeysAndValues<SessionDocument>;
}

/** The fields that a lock changes. */
type Undoable = Pick<SessionDocument, "epoch" | "lease" | "expiresAt" | "workforce">;

/** Without the events of the last turn: a new turn does not read them, and they can be most of the document. */
export type LockedSession = Omit<SessionDocument, "pendingEvents">;

export type LockOutcome =
  /** The session before the lock; its epoch is one less than the holder's. */
  { locked: true; before: LockedSession; held: Held } | { locked: false };

export type Adopted = Extract<LockOutcome, { locked: true }> & { before: SessionDocument };

/** Who holds a session: takes leases and returns them. */
export function sessionLeases(sessions: SessionCollection, onlyHolder?: string) {
  return {
    /**
     * Takes the lease and reads the session in one command. `liveRuns`: runs of this process, whose leases are valid
     * even if it was suspended and could not renew them in time.
     */
    lock: async (
      key: SessionKey,
      lease: NewLease,
      expiresAt: Date | null,
      now: Date,
      liveRuns: readonly string[] = [],
      also: WithLock = { onlyIf: {}, set: {} },
    ): Promise<LockOutcome> => {
      const filter = { ...openFilter(key, moves.lock, now, onlyHolder), ...also.onlyIf };
      const before = await sessions.findOneAndUpdate(
        liveRuns.length === 0 ? filter : { ...filter, "lease.runId": { $nin: liveRuns } },
        { $set: { lease: { ...lease, cancelRequested: false }, expiresAt, ...also.set }, $inc: { epoch: 1 } },
        { returnDocument: "before", projection: { pendingEvents: 0 } },
      );
      if (before === null) return { locked: false };
      const held = { ...key, epoch: before.epoch + 1, runId: lease.runId };
      return { locked: true, before, held };
    },

    /**
     * Takes an expired lease over with its turn, and reads the session in one command. Undefined: the session has moved,
     * or is not abandoned.
     */
    adopt: async (
      { isHandedOver, ...from }: Held & { isHandedOver?: boolean },
      { runId, holder, until, executionId, run }: AdoptedLease,
      expiresAt: Date | null,
      now: Date,
    ): Promise<Adopted | undefined> => {
      const before = await sessions.findOneAndUpdate(
        { $and: [openFilter(from, moves.adopt, now, onlyHolder), holderFilter(from)] },
        {
          // The rest of the lease stays: its holder may have written until this moment.
          $set: {
            "lease.runId": runId,
            "lease.holder": holder,
            "lease.until": until,
            "lease.executionId": executionId,
            "lease.run": run,
            expiresAt,
          },
          $unset: { "lease.handedOver": "" },
          $inc: { epoch: 1, ...(!isHandedOver && { "lease.adoptions": 1 }) },
        },
        { returnDocument: "before" },
      );
      if (before === null) return undefined;
      return { locked: true, before, held: { ...from, epoch: before.epoch + 1, runId } };
    },

    /** Gives an adopted turn back, for others to adopt. `before`: the lease that was adopted; nothing was written since. */
    abandon: (held: Held, { adoptions = 0, handedOver }: Pick<Lease, "adoptions" | "handedOver">) =>
      setAsHolder(sessions, held, {
        "lease.until": new Date(0),
        "lease.adoptions": adoptions,
        ...(handedOver !== undefined && { "lease.handedOver": handedOver }),
      }),

    /**
     * Undoes a lock whose request was refused, and which has written nothing. The lease of a dead holder returns, because
     * its turn can still be adopted.
     */
    undoLock: (held: Held, { epoch, lease, expiresAt, workforce }: Undoable): Promise<boolean> =>
      setAsHolder(sessions, held, {
        lease,
        expiresAt,
        ...(lease !== null && { epoch }),
        ...(workforce !== undefined && { "workforce.call": workforce.call }),
      }),

    /** Asks the holder to stop. False: that execution has ended. */
    requestCancel: (held: Held): Promise<boolean> =>
      setAsHolder(sessions, held, { "lease.cancelRequested": true }),
  };
}
