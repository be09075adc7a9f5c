import { type CollectionIndexes, isDuplicateKey } from "@muster/store";
import type { Collection, Db, Filter, MatchKeysAndValues, UpdateFilter } from "mongodb";
import type { PendingEvents } from "./events-document.ts";
import { type Held, holderFilter, moves, openFilter, type SessionKey } from "./moves.ts";
import type {
  ConversationFields,
  Lease,
  SessionDocument,
  SessionState,
  TurnOfSession,
} from "./session-document.ts";

const collectionName = "sessions";

export const sessionIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "active_by_expiry", key: { expiresAt: 1 }, partialFilterExpression: { status: "active" } },
    {
      name: "expired_with_state",
      key: { updatedAt: 1 },
      partialFilterExpression: { status: "expired", tail: { $type: "string" } },
    },
    // For lists. The keys of `metadata` and the agent come before the time, so that no list reads other sessions' documents.
    { name: "by_activity", key: { projectId: 1, updatedAt: -1, _id: -1 } },
    { name: "by_agent_activity", key: { projectId: 1, agentId: 1, updatedAt: -1, _id: -1 } },
    {
      name: "by_metadata_activity",
      key: { projectId: 1, metadata: 1, updatedAt: -1, _id: -1 },
      partialFilterExpression: { metadata: { $exists: true } },
    },
    { name: "sweep_due", key: { sweepAt: 1 }, partialFilterExpression: { sweepAt: { $exists: true } } },
  ],
};

/** Only this service writes these texts, and checking 10 MiB of them on every read takes longer than decoding them. */
export const trusted = { enableUtf8Validation: false };

/** The remaining fields of an expired session. */
const stripped = {
  status: "expired",
  input: null,
  head: [],
  tail: null,
  memory: null,
  expiresAt: null,
  title: null,
  messageCount: 0,
  lease: null,
  execution: null,
} as const satisfies Partial<SessionDocument>;

/** A lease that is not taken yet. */
export type NewLease = Omit<Lease, "cancelRequested" | "adoptions">;

export type AdoptedLease = Required<Pick<Lease, "runId" | "holder" | "until" | "executionId" | "run">>;

export interface Renewal {
  held: Held;
  until: Date;
  /** When the session expires if nothing else is written. Null: never. */
  expiresAt: Date | null;
}

interface RenewedSession extends Pick<SessionDocument, "_id" | "projectId" | "epoch"> {
  lease: Pick<Lease, "runId" | "cancelRequested">;
}

/** What the write of a lock also does, and its condition. */
export interface WithLock {
  onlyIf: Filter<SessionDocument>;
  set: MatchKeysAndValues<SessionDocument>;
}

/** What a lock changes. */
type Undoable = Pick<SessionDocument, "epoch" | "lease" | "expiresAt" | "workforce">;

export type LockOutcome =
  /** The session before the lock; its epoch is one less than the holder's. */
  { locked: true; before: SessionDocument; held: Held } | { locked: false };

export type SessionStore = ReturnType<typeof createSessionStore>;

/**
 * The only place that writes sessions. Every method is one command; each write is harmless if repeated.
 * `onlyHolder` is set if no other instance can exist: leases of other holders then belong to dead ones.
 */
export function createSessionStore(db: Db, onlyHolder?: string, collection = collectionName) {
  const sessions: Collection<SessionDocument> = db.collection(collection, trusted);

  const keysOf = (filter: Filter<SessionDocument>, limit: number): Promise<SessionKey[]> =>
    sessions
      .find(filter)
      .project<{ _id: string; projectId: string }>({ projectId: 1 })
      .limit(limit)
      .map(({ _id, projectId }) => ({ sessionId: _id, projectId }))
      .toArray();

  const asHolder = async (held: Held, set: MatchKeysAndValues<SessionDocument>): Promise<boolean> => {
    const { matchedCount } = await sessions.updateOne(holderFilter(held), { $set: set });
    return matchedCount === 1;
  };

  const write = async (
    held: Held,
    set: MatchKeysAndValues<SessionDocument>,
    unset: { "lease.beginning"?: ""; "lease.adoptions"?: "" } = {},
  ): Promise<boolean> => {
    const update = { $set: set, $unset: { conversation: "", ...unset } } as const;
    const { matchedCount } = await sessions.updateOne(holderFilter(held), update);
    return matchedCount === 1;
  };

  const listQuery = ({ projectId, agentId, entry }: ListScope, after: Place | undefined, limit: number) =>
    sessions
      .find({
        projectId,
        ...(entry === undefined ? agentId !== undefined && { agentId } : { metadata: entry }),
        ...(after && {
          updatedAt: { $lte: after.updatedAt },
          $or: [{ updatedAt: { $lt: after.updatedAt } }, { _id: { $lt: after._id } }],
        }),
      })
      .project<ListedSession>(listedFields)
      .sort({ updatedAt: -1, _id: -1 })
      .limit(limit);

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

    find: ({ projectId, sessionId }: SessionKey): Promise<SessionDocument | null> =>
      sessions.findOne({ _id: sessionId, projectId }),

    /** Without the conversation and the texts of its turn. */
    findTurn: ({ projectId, sessionId }: SessionKey): Promise<TurnOfSession | null> =>
      sessions.findOne<TurnOfSession>({ _id: sessionId, projectId }, { projection: turnFields }),

    /** Of the turn that was stored last. */
    findPendingEvents: async ({ projectId, sessionId }: SessionKey): Promise<PendingEvents | undefined> => {
      const projection = { _id: 0, pendingEvents: 1 } as const;
      const found = await sessions.findOne<Pick<SessionDocument, "pendingEvents">>(
        { _id: sessionId, projectId },
        { projection },
      );
      return found?.pendingEvents;
    },

    /** Only the session's agent, without the conversation. */
    findAgent: ({ projectId, sessionId }: SessionKey): Promise<Pick<SessionDocument, "agentId"> | null> =>
      sessions.findOne<Pick<SessionDocument, "agentId">>(
        { _id: sessionId, projectId },
        { projection: { agentId: 1 } },
      ),

    /** What a change of the metadata needs, without the conversation. */
    findMetadata: ({ projectId, sessionId }: SessionKey): Promise<DescribedSession | null> =>
      sessions.findOne<DescribedSession>({ _id: sessionId, projectId }, { projection: describedFields }),

    /** The next sessions of a list, in its order. One command, which reads no other sessions than it returns. */
    list: (scope: ListScope, after: Place | undefined, limit: number): Promise<ListedSession[]> =>
      listQuery(scope, after, limit).toArray(),

    listQuery,

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
        { returnDocument: "before" },
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
    ): Promise<Extract<LockOutcome, { locked: true }> | undefined> => {
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
      asHolder(held, {
        "lease.until": new Date(0),
        "lease.adoptions": adoptions,
        ...(handedOver !== undefined && { "lease.handedOver": handedOver }),
      }),

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

    /**
     * Renews leases, and reads by the ids of their runs those that are still held. One that was handed over is not: a late
     * renewal must not keep others from adopting its turn.
     */
    renew: async (
      renewals: readonly Renewal[],
    ): Promise<ReadonlyMap<string, Pick<Lease, "cancelRequested">>> => {
      const notHandedOver = { "lease.handedOver": { $exists: false } };
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
          const isHeld = held?.sessionId === _id && held.projectId === projectId && held.epoch === epoch;
          return isHeld ? [[lease.runId, lease] as const] : [];
        }),
      );
    },

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
    ): Promise<boolean> => asHolder(held, { lease: null, expiresAt, ...usage }),

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

    /** Replaces the metadata. False: it is not `before` any more, or the session is not active. */
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

    /** Asks the holder to stop. False: that execution has ended. */
    requestCancel: async (held: Held): Promise<boolean> => {
      const { matchedCount } = await sessions.updateOne(holderFilter(held), {
        $set: { "lease.cancelRequested": true },
      });
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

    /** Sessions of all projects that have timed out, `except` those with these ids. */
    findTimedOut: (now: Date, limit: number, except: readonly string[]): Promise<SessionKey[]> =>
      keysOf({ status: "active", expiresAt: { $lte: now }, _id: { $nin: [...except] } }, limit),

    /** Sessions of all projects that an earlier release has expired, which does not know all fields of their state. */
    findPartlyStripped: (now: Date, limit: number, except: readonly string[]): Promise<SessionKey[]> =>
      keysOf(
        {
          status: "expired",
          tail: { $type: "string" },
          updatedAt: { $lte: now },
          _id: { $nin: [...except] },
        },
        limit,
      ),

    /** Removes the state of an expired session. It has not been active: its place in lists stays the same. */
    strip: async (key: SessionKey, now: Date, sweepAt: Date): Promise<boolean> => {
      const { matchedCount } = await sessions.updateOne(openFilter(key, moves.strip, now), strip(sweepAt));
      return matchedCount === 1;
    },

    /** Sessions of all projects with chunks that may be deleted now, `except` those with these ids. */
    findSweepable: (now: Date, limit: number, except: readonly string[]): Promise<Sweepable[]> =>
      sessions
        .find({ sweepAt: { $lte: now }, _id: { $nin: except } })
        .project<Sweepable>({ projectId: 1, status: 1, head: 1, sweepAt: 1 })
        .limit(limit)
        .toArray(),

    /** Has the session's chunks swept at this time, although nothing of the session has changed. */
    requestSweep: async ({ projectId, sessionId }: SessionKey, sweepAt: Date): Promise<void> => {
      await sessions.updateOne({ _id: sessionId, projectId }, { $set: { sweepAt } });
    },

    /** Notes that a sweep has ended. `nextAt`: some chunks must stay until then. A later request for a sweep remains. */
    endSweep: async ({ _id, projectId, sweepAt }: Sweepable, nextAt: Date | null): Promise<void> => {
      const update = nextAt === null ? { $unset: { sweepAt: "" } as const } : { $set: { sweepAt: nextAt } };
      await sessions.updateOne({ _id, projectId, sweepAt }, update);
    },
  };
}

const describedFields = { _id: 0, agentId: 1, status: 1, expiresAt: 1, metadata: 1 } as const;

export type DescribedSession = Pick<SessionDocument, "agentId" | "status" | "expiresAt" | "metadata">;

/** What `TurnOfSession` lacks. An exclusion, because the inclusion of parts of `execution` would drop one of null. */
const turnFields = {
  input: 0,
  head: 0,
  tail: 0,
  memory: 0,
  conversation: 0,
  metadata: 0,
  title: 0,
  usage: 0,
  "execution.frame": 0,
  "pendingEvents.events": 0,
} as const;

const listedFields = {
  projectId: 1,
  agentId: 1,
  status: 1,
  metadata: 1,
  title: 1,
  messageCount: 1,
  createdAt: 1,
  updatedAt: 1,
  expiresAt: 1,
} as const;

/** What lists need of a session. */
export type ListedSession = Pick<SessionDocument, "_id" | keyof typeof listedFields>;

/** The place of a session in lists: the latest change comes first. */
export type Place = Pick<SessionDocument, "_id" | "updatedAt">;

/** The sessions that one index finds: those with an entry of metadata, else those of an agent, else all of the project. */
export interface ListScope {
  projectId: string;
  agentId?: string | undefined;
  /** See `metadata.ts`. */
  entry?: string | undefined;
}

export interface Sweepable extends Pick<SessionDocument, "_id" | "projectId" | "status" | "head"> {
  sweepAt: Date;
}

function strip(
  sweepAt: Date,
  activity: Partial<Pick<SessionDocument, "updatedAt">> = {},
): UpdateFilter<SessionDocument> {
  return {
    $set: { ...stripped, ...activity, sweepAt },
    $unset: { conversation: "", pendingEvents: "" },
    $inc: { epoch: 1 },
  };
}
