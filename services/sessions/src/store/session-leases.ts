import type { Metrics } from "@muster/metrics";
import {
  change,
  countTakeOver,
  deletion,
  givenUp,
  isStoreUnavailable,
  notHeld,
  shareCommands,
  type Transition,
} from "@muster/store";
import type { Filter, UpdateFilter } from "mongodb";
import { type Held, holderFilter, isActive, keyFilter, type SessionKey } from "./moves.ts";
import type { Lease, SessionCollection, SessionDocument } from "./session-document.ts";

/** A lease that is not taken yet. */
export type NewLease = Omit<Lease, "cancelRequested" | "adoptions">;

export type AdoptedLease = Required<Pick<Lease, "runId" | "holder" | "until" | "executionId" | "run">>;

/** The fields that a lock changes. */
type Undoable = Pick<SessionDocument, "epoch" | "lease" | "expiresAt" | "workforce">;

export type LockOutcome =
  /** The session before the lock; its epoch is one less than the holder's. */
  { locked: true; before: SessionDocument; held: Held } | { locked: false };

export type Adopted = Extract<LockOutcome, { locked: true }>;

export interface Renewal {
  held: Held;
  until: Date;
  /** When the session expires if nothing else is written. Null: never. */
  expiresAt: Date | null;
}

interface RenewedSession extends Pick<SessionDocument, "_id" | "projectId" | "epoch"> {
  lease: Pick<Lease, "runId" | "cancelRequested">;
}

export interface LeaseOptions {
  /** The only process that can exist: leases of others belong to dead ones. */
  onlyHolder?: string | undefined;
  /** Counts the leases that are taken from processes that have died. */
  metrics?: Metrics | undefined;
}

/** A lock of one session. */
interface Locking {
  key: SessionKey;
  runId: string;
  filter: Filter<SessionDocument>;
  update: UpdateFilter<SessionDocument>;
}

/** So many sessions are read and locked with two commands. For fewer, one for each is as good. */
const leastShared = 3;
const mostShared = 16;

/** A late renewal must not keep others from adopting a turn that was handed over. */
const notHandedOver = { "lease.handedOver": { $exists: false } };

/** Who holds a session: takes, keeps and returns leases. */
export function sessionLeases(sessions: SessionCollection, { onlyHolder, metrics }: LeaseOptions) {
  /** Changes the lease as its holder, also on a full disk. False: the caller no longer holds it. */
  const asHolder = (held: Held, set: Transition<SessionDocument>["set"]): Promise<boolean> =>
    change(sessions, holderFilter(held), { ...(set && { set }) }, deletion);

  const taken = (key: SessionKey, runId: string, before: SessionDocument): Adopted => {
    countTakeOver(metrics, "session", before.lease);
    return { locked: true, before, held: { ...key, epoch: before.epoch + 1, runId } };
  };

  const lockOne = async ({ key, runId, filter, update }: Locking): Promise<LockOutcome> => {
    const before = await sessions.findOneAndUpdate(filter, update, { returnDocument: "before" });
    return before === null ? { locked: false } : taken(key, runId, before);
  };

  /**
   * Reads several free sessions, then locks them. A free session has the content that was read for as long as it is free and
   * has the same epoch. The others are locked one by one.
   */
  const lockAll = async (locks: readonly Locking[]): Promise<Array<LockOutcome | undefined>> => {
    if (locks.length < leastShared) return [];
    const places = {
      _id: { $in: locks.map(({ key }) => key.sessionId) },
      projectId: { $in: [...new Set(locks.map(({ key }) => key.projectId))] },
    };
    const found = await sessions.find({ ...places, lease: null }).toArray();
    const free = new Map(found.map((session) => [`${session.projectId} ${session._id}`, session]));
    const beforeOf = ({ key }: Locking) => free.get(`${key.projectId} ${key.sessionId}`);
    const statements = locks.flatMap((each) => {
      const epoch = beforeOf(each)?.epoch;
      if (epoch === undefined) return [];
      return { updateOne: { filter: { $and: [each.filter, { lease: null, epoch }] }, update: each.update } };
    });
    if (statements.length === 0) return [];
    const isTaken = await takenOf(locks, places, statements);
    return locks.map((each) => {
      const before = beforeOf(each);
      return before && isTaken(each) ? taken(each.key, each.runId, before) : undefined;
    });
  };

  /** Which of the locks were taken. The store reports only how many, so unless all were it is asked again. */
  const takenOf = async (
    locks: readonly Locking[],
    places: Filter<SessionDocument>,
    statements: Parameters<SessionCollection["bulkWrite"]>[0],
  ): Promise<(lock: Locking) => boolean> => {
    const count = await sessions.bulkWrite(statements, { ordered: false }).then(
      ({ matchedCount }) => matchedCount,
      (error: unknown) => {
        if (isStoreUnavailable(error)) throw error;
        return 0;
      },
    );
    if (count === statements.length) return () => true;
    const runIds = locks.map(({ runId }) => runId);
    const held = sessions
      .find({ ...places, "lease.runId": { $in: runIds } })
      .project<RenewedSession>({ "lease.runId": 1 });
    const ours = new Set((await held.toArray()).map(({ lease }) => lease.runId));
    return ({ runId }) => ours.has(runId);
  };

  const lockShared = shareCommands({ one: lockOne, many: lockAll, max: mostShared });

  return {
    /**
     * Takes the lease and reads the session, in one command unless many do so at once. `liveRuns`: runs of this process,
     * whose leases are valid even if it was suspended and could not renew them in time. `also`: the rest of the condition
     * and of the change.
     */
    lock: (
      key: SessionKey,
      lease: NewLease,
      expiresAt: Date | null,
      now: Date,
      liveRuns: readonly string[] = [],
      also: Pick<Transition<SessionDocument>, "guard" | "set"> = {},
    ): Promise<LockOutcome> => {
      const filter = { ...keyFilter(key), ...isActive(now), ...notHeld(now, onlyHolder), ...also.guard };
      return lockShared({
        key,
        runId: lease.runId,
        filter: liveRuns.length === 0 ? filter : { ...filter, "lease.runId": { $nin: liveRuns } },
        update: {
          $set: { lease: { ...lease, cancelRequested: false }, expiresAt, ...also.set },
          $inc: { epoch: 1 },
        },
      });
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
        { ...holderFilter(from), ...isActive(now), ...notHeld(now, onlyHolder) },
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
      return before === null ? undefined : taken(from, runId, before);
    },

    /** Renews leases, and reads by the ids of their runs those that are still held. */
    renew: async (
      renewals: readonly Renewal[],
    ): Promise<ReadonlyMap<string, Pick<Lease, "cancelRequested">>> => {
      await sessions.bulkWrite(
        renewals.map(({ held, until, expiresAt }) => ({
          updateOne: {
            filter: { ...holderFilter(held), ...notHandedOver },
            update: { $set: { "lease.until": until, expiresAt } },
          },
        })),
        { ordered: false },
      );
      const byRun = new Map(renewals.map(({ held }) => [held.runId, held]));
      const found = await sessions
        .find<RenewedSession>(
          {
            _id: { $in: renewals.map(({ held }) => held.sessionId) },
            projectId: { $in: [...new Set(renewals.map(({ held }) => held.projectId))] },
            "lease.runId": { $in: [...byRun.keys()] },
            ...notHandedOver,
          },
          { projection: { projectId: 1, epoch: 1, "lease.runId": 1, "lease.cancelRequested": 1 } },
        )
        .toArray();
      return new Map(
        found.flatMap(({ _id, projectId, epoch, lease }) => {
          const held = byRun.get(lease.runId);
          const isSame = held?.sessionId === _id && held.projectId === projectId && held.epoch === epoch;
          return isSame ? [[lease.runId, lease] as const] : [];
        }),
      );
    },

    /** Gives an adopted turn back, for others to adopt. `before`: the lease that was adopted; nothing was written since. */
    abandon: (held: Held, { adoptions = 0, handedOver }: Pick<Lease, "adoptions" | "handedOver">) =>
      asHolder(held, {
        "lease.until": givenUp,
        "lease.adoptions": adoptions,
        ...(handedOver !== undefined && { "lease.handedOver": handedOver }),
      }),

    /** Frees a session without storing a new state. */
    release: (held: Held, expiresAt: Date | null, usage: Pick<SessionDocument, "usage"> = {}) =>
      asHolder(held, { lease: null, expiresAt, ...usage }),

    /**
     * Undoes a lock whose request was refused, and which has written nothing. The lease of a dead holder returns, because
     * its turn can still be adopted.
     */
    undoLock: (held: Held, { epoch, lease, expiresAt, workforce }: Undoable): Promise<boolean> =>
      asHolder(held, {
        lease,
        expiresAt,
        ...(lease !== null && { epoch }),
        ...(workforce !== undefined && { "workforce.call": workforce.call }),
      }),

    /** Asks the holder to stop. False: that execution has ended. */
    requestCancel: (held: Held): Promise<boolean> => asHolder(held, { "lease.cancelRequested": true }),
  };
}
