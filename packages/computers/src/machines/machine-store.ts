import { type AuditEntry, auditIndex } from "@muster/events/audit";
import {
  type CollectionIndexes,
  change,
  deletion,
  givenUp,
  type Lease,
  unlessDuplicate,
} from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { CallId, MachineDocument, MachineKey, MachineReport } from "./machine-document.ts";

const collectionName = "machines";
/** A run has one call at a time: more are of agents that share the computer. */
const maxAbandoned = 100;

export const machineIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [{ name: "by_project", key: { projectId: 1, _id: -1 } }, auditIndex],
};

/** Those that are not deleted. */
const live = { tombstone: { $exists: false } } as const;

/** The fields of a computer that nothing has connected yet. */
export type NewMachine = Omit<MachineDocument, "epoch" | "lease" | "report" | "connectedAt" | "lastSeenAt">;

export type MachineStore = ReturnType<typeof createMachineStore>;

/** The only place that writes machines. Each write is one command on one document, and harmless if repeated. */
export function createMachineStore(db: Db) {
  const machines: Collection<MachineDocument> = db.collection(collectionName);
  return {
    /** Nothing happens if it exists. */
    create: async (machine: NewMachine): Promise<void> => {
      const unconnected = { epoch: 0, lease: null, report: null, connectedAt: null, lastSeenAt: null };
      await unlessDuplicate(machines.insertOne({ ...machine, ...unconnected }));
    },

    /** Null for one of another project, too. */
    find: (key: MachineKey): Promise<MachineDocument | null> => machines.findOne(idFilter(key)),

    /** Newest first. `before`: the last one of the previous page. */
    list: (projectId: string, limit: number, before?: string): Promise<MachineDocument[]> =>
      machines
        .find({ projectId, ...live, ...(before !== undefined && { _id: { $lt: before } }) })
        .sort({ projectId: 1, _id: -1 })
        .limit(limit)
        .toArray(),

    /**
     * The newest connection has the computer: each older one loses it. Null: the computer does not exist, or its process has
     * begun a later connection.
     */
    connect: (
      key: MachineKey,
      lease: Lease,
      { report, peer }: Required<Pick<MachineDocument, "peer">> & { report: MachineReport },
      at: Date,
    ): Promise<MachineDocument | null> => {
      const { processId, connection } = peer;
      const isLatest = {
        $or: [{ "peer.processId": { $ne: processId } }, { "peer.connection": { $lte: connection } }],
      };
      return machines.findOneAndUpdate(
        { ...idFilter(key), ...isLatest },
        { $set: { lease, report, peer, connectedAt: at, lastSeenAt: at }, $inc: { epoch: 1 } },
        { returnDocument: "after" },
      );
    },

    /** On the connection `epoch` the computer does not remember the one before. False: a newer one has the computer. */
    noteForgotten: (key: MachineKey, epoch: number): Promise<boolean> =>
      change(machines, idFilter(key), { guard: { epoch }, set: { forgotAt: epoch } }),

    /** False: a newer connection has the computer, or it does not exist any longer. */
    renew: (key: MachineKey, epoch: number, until: Date, at: Date): Promise<boolean> =>
      change(machines, idFilter(key), { guard: { epoch }, set: { "lease.until": until, lastSeenAt: at } }),

    /** The connection has ended. `until`: for how long its process still waits for the next one; absent: not at all. */
    disconnect: async (key: MachineKey, epoch: number, at: Date, until = givenUp): Promise<void> => {
      await change(machines, idFilter(key), {
        guard: { epoch },
        set: { "lease.until": until, lastSeenAt: at, connectedAt: null },
      });
    },

    /** Its calls have no readers any longer: they must not continue. */
    abandon: async (key: MachineKey, calls: readonly CallId[]): Promise<void> => {
      const abandoned = { $each: [...calls], $slice: -maxAbandoned };
      await machines.updateOne(idFilter(key), { $push: { abandoned } });
    },

    /** Nothing is left of the call. */
    forget: async (key: MachineKey, call: CallId): Promise<void> => {
      await change(machines, idFilter(key), { pull: { abandoned: call } });
    },

    /** False: it does not exist. */
    markDeleting: (key: MachineKey): Promise<boolean> =>
      change(machines, idFilter(key), { set: { deleting: true } }, deletion),

    unmarkDeleting: async (key: MachineKey): Promise<void> => {
      await change(machines, idFilter(key), { unset: ["deleting"] }, deletion);
    },

    /** It is gone for all readers. The rest of it carries the entry, until the audit log has it. */
    bury: async (key: MachineKey, entry: AuditEntry): Promise<void> => {
      const facts = { tombstone: true, name: "", report: null } as const;
      await machines.updateOne(idFilter(key), { $set: facts, $push: { audit: entry } }, deletion);
    },

    delete: async (key: MachineKey): Promise<void> => {
      await machines.deleteOne(idFilter(key), deletion);
    },
  };
}

function idFilter({ computerId: _id, projectId }: MachineKey): Filter<MachineDocument> {
  return { _id, projectId, ...live };
}
