import type { AuditEntry } from "@muster/events/audit";
import {
  type CollectionIndexes,
  deletion,
  givenUp,
  isDuplicateKey,
  type Lease,
  notHeld,
  unlessDuplicate,
} from "@muster/store";
import { eventsId, idsOf } from "@muster/store/event-log";
import { chainHash, chainStart } from "@muster/wire/audit";
import type { Collection, Db, Filter } from "mongodb";

/** An entry of a project's chain. */
export interface ChainedEntry extends AuditEntry {
  /** The project and the number. The first writer of an id has the number. */
  _id: string;
  /** From 1, without gaps. */
  number: number;
  /** See `chainHash`. */
  hash: string;
}

/** The last entry that was removed because of its age. */
export type Anchor = Pick<ChainedEntry, "number" | "hash">;

interface ChainDocument {
  /** The project's id. */
  _id: string;
  /** Absent: nothing was removed. */
  anchor?: Anchor;
}

interface LeaseDocument {
  _id: "lease";
  lease: Lease | null;
}

const newest = { id: -1 } as const;

/** A page in the order of ids costs the same at any length of the log, with each filter, and with that of an actor's action. */
export const auditIndexes: CollectionIndexes[] = [
  {
    collection: "audit_entries",
    indexes: [
      // An entry that arrives again cannot get a second number.
      { name: "by_id", key: { projectId: 1, ...newest }, unique: true },
      { name: "by_actor", key: { projectId: 1, "actor.id": 1, ...newest } },
      { name: "by_action", key: { projectId: 1, action: 1, ...newest } },
      { name: "by_actor_and_action", key: { projectId: 1, "actor.id": 1, action: 1, ...newest } },
      { name: "by_target", key: { projectId: 1, target: 1, ...newest } },
    ],
  },
  { collection: "audit_chains", indexes: [] },
  { collection: "audit_lease", indexes: [] },
];

export interface AuditFilter {
  projectId: string;
  actor?: string;
  action?: string;
  target?: string;
  /** Ids of entries from that time on, and before that time. */
  fromId?: string;
  beforeId?: string;
}

const pruneBatch = 1_000;

export type AuditStore = ReturnType<typeof createAuditStore>;

/** The audit log. Its entries never change. */
export function createAuditStore(db: Db) {
  const entries: Collection<ChainedEntry> = db.collection("audit_entries");
  const chains: Collection<ChainDocument> = db.collection("audit_chains");
  const leases: Collection<LeaseDocument> = db.collection("audit_lease");
  /** The document of the lease exists. */
  let hasLease = false;

  const anchorOf = async (projectId: string): Promise<Anchor | undefined> =>
    (await chains.findOne({ _id: projectId }))?.anchor;

  const chain = (projectId: string, after: number, limit: number): Promise<ChainedEntry[]> => {
    const ids = { ...idsOf(projectId), $gte: eventsId(projectId, after + 1) };
    return entries.find({ _id: ids, projectId }).sort({ _id: 1 }).limit(limit).toArray();
  };

  const headOf = async (projectId: string): Promise<Anchor> => {
    const last = await entries
      .find({ _id: idsOf(projectId), projectId })
      .sort({ _id: -1 })
      .limit(1)
      .toArray();
    return last[0] ?? (await anchorOf(projectId)) ?? { number: 0, hash: chainStart };
  };

  /** False: another process has appended at the same time. */
  const tryAppend = async (projectId: string, added: readonly AuditEntry[]): Promise<boolean> => {
    let { number, hash } = await headOf(projectId);
    const ids = added.map(({ id }) => id);
    const known = await entries
      .find({ projectId, id: { $in: ids } })
      .project<{ id: string }>({ id: 1 })
      .toArray();
    const have = new Set(known.map(({ id }) => id));
    const chained = added
      .filter(({ id }) => !have.has(id))
      .map((entry): ChainedEntry => {
        number += 1;
        hash = chainHash(hash, { ...entry, number, at: entry.at.toISOString() });
        return { _id: eventsId(projectId, number), ...entry, number, hash };
      });
    if (chained.length === 0) return true;
    await chains.updateOne({ _id: projectId }, { $setOnInsert: { _id: projectId } }, { upsert: true });
    try {
      // In order: if the process dies, or another one was faster, the entries up to there are a chain.
      await entries.insertMany(chained, { ordered: true });
      return true;
    } catch (error) {
      if (isDuplicateKey(error)) return false;
      throw error;
    }
  };

  return {
    /** Appends entries that the log does not have yet. Harmless if repeated, also by two processes at once. */
    append: async (projectId: string, added: readonly AuditEntry[]): Promise<void> => {
      while (!(await tryAppend(projectId, added)));
    },

    /** A page, newest first. */
    list: (filter: AuditFilter, limit: number): Promise<ChainedEntry[]> =>
      entries.find(auditFilterOf(filter)).sort(newest).limit(limit).toArray(),

    /** A page in the order of the chain: the entries with numbers above `after`. */
    chain,

    anchorOf,

    /** Removes entries from the start of the chain up to the first one that is not older. The last removed entry stays known. */
    prune: async (projectId: string, olderThan: Date): Promise<void> => {
      for (;;) {
        const anchor = await anchorOf(projectId);
        const oldest = await chain(projectId, anchor?.number ?? 0, pruneBatch);
        const kept = oldest.findIndex(({ at }) => at >= olderThan);
        const last = oldest.at(kept === -1 ? oldest.length - 1 : kept - 1);
        const next = kept === 0 ? anchor : (last ?? anchor);
        if (next === undefined) return;
        const { number, hash } = next;
        if (number !== anchor?.number)
          await chains.updateOne({ _id: projectId }, { $set: { anchor: { number, hash } } }, deletion);
        const upTo = { ...idsOf(projectId), $lt: eventsId(projectId, number + 1) };
        await entries.deleteMany({ _id: upTo, projectId }, deletion);
        if (kept !== -1 || oldest.length < pruneBatch) return;
      }
    },

    /** The projects that have a chain. */
    projects: () => chains.find().map(({ _id }) => _id),

    /** Takes or renews the right to append. False: another instance has it. */
    take: async (lease: Lease, now: Date, onlyHolder?: string): Promise<boolean> => {
      if (!hasLease) await unlessDuplicate(leases.insertOne({ _id: "lease", lease: null }));
      hasLease = true;
      const filter: Filter<LeaseDocument> = {
        $or: [{ "lease.holder": lease.holder }, notHeld(now, onlyHolder)],
      };
      return (await leases.updateOne({ _id: "lease", ...filter }, { $set: { lease } })).matchedCount === 1;
    },

    /** Allows another instance to take it at once. */
    release: async (holder: string): Promise<void> => {
      const mine = { _id: "lease" as const, "lease.holder": holder };
      await leases.updateOne(mine, { $set: { "lease.until": givenUp } });
    },
  };
}

/** The condition of a page. */
export function auditFilterOf({
  projectId,
  actor,
  action,
  target,
  fromId,
  beforeId,
}: AuditFilter): Filter<ChainedEntry> {
  const id = { ...(fromId && { $gte: fromId }), ...(beforeId && { $lt: beforeId }) };
  const filter: Record<string, unknown> = {
    projectId,
    ...(actor && { "actor.id": actor }),
    ...(action && { action }),
    ...(target && { target }),
    ...((fromId ?? beforeId) && { id }),
  };
  return filter;
}
