import { type AuditEntry, auditIndex } from "@muster/events/audit";
import type { Metrics } from "@muster/metrics";
import type { ApprovalRules, LimitChanges } from "@muster/rpc";
import {
  atRevision,
  type CollectionIndexes,
  change,
  countTakeOver,
  deletion,
  givenUp,
  type Lease,
  nextRevision,
  notHeld,
  unlessDuplicate,
} from "@muster/store";
import type { Collection, Db, Filter, UpdateFilter } from "mongodb";
import type { AgentDocument, AgentKey, CurrentRun, DefinedFields } from "./agent-document.ts";
import type { StoredRunConfig } from "./run-config.ts";

const collectionName = "agents";

export const agentIndexes: CollectionIndexes = {
  collection: collectionName,
  indexes: [
    { name: "by_project", key: { projectId: 1, _id: -1 } },
    {
      name: "slug",
      key: { projectId: 1, slug: 1 },
      unique: true,
      partialFilterExpression: { slug: { $exists: true } },
    },
    {
      name: "on_shared_computer",
      key: { projectId: 1, "computer.id": 1 },
      partialFilterExpression: { "computer.id": { $exists: true } },
    },
    auditIndex,
    { name: "being_removed", key: { removing: 1, _id: 1 }, partialFilterExpression: { removing: true } },
    { name: "with_work", key: { work: 1, _id: 1 }, partialFilterExpression: { work: true } },
  ],
};

/** The most threads that may wait for an agent. */
export const maxQueue = 1_000;

const inOrder = { returnDocument: "after" } as const;

/** The fields that an administrator may change. Absent fields stay unchanged. */
export interface AgentChanges extends Partial<DefinedFields> {
  name?: string;
  paused?: boolean;
  managed?: boolean;
  /** Replaces all of them. */
  settings?: StoredRunConfig;
  capabilities?: Record<string, boolean>;
  limits?: LimitChanges;
  /** Replaces all of them. */
  approvals?: ApprovalRules;
}

export interface EnqueueOptions {
  /** Refuse unless nothing waits and nothing runs. `ended`: the run that occupies the agent on paper, but has ended. */
  ifIdle?: { ended?: CurrentRun };
}

/** Counts are for dashboards: beyond this, a larger number says nothing more. */
const maxCounted = 10_000;

export type AgentStore = ReturnType<typeof createAgentStore>;

/**
 * The only place that writes agents. Each write is one command on one document, and harmless if repeated. `metrics`: count
 * the runs that are taken from processes that have died.
 */
export function createAgentStore(db: Db, metrics?: Metrics) {
  const agents: Collection<AgentDocument> = db.collection(collectionName);

  const changed = (
    key: AgentKey,
    guard: Filter<AgentDocument>,
    { $inc, ...update }: UpdateFilter<AgentDocument>,
    options: Partial<typeof deletion> = {},
  ): Promise<AgentDocument | null> =>
    agents.findOneAndUpdate(
      { ...idFilter(key), ...guard },
      { ...update, $inc: { ...$inc, rev: 1 } },
      { ...inOrder, ...options },
    );

  return {
    /** False if another one with its slug exists. */
    insert: (agent: AgentDocument): Promise<boolean> => unlessDuplicate(agents.insertOne(agent)),

    /** Null for an agent of another project and a deleted one, too. */
    find: (key: AgentKey): Promise<AgentDocument | null> =>
      agents.findOne({ ...idFilter(key), deletedAt: { $exists: false } }),

    findBySlug: (projectId: string, slug: string): Promise<AgentDocument | null> =>
      agents.findOne({ projectId, slug }),

    /** Finds deleted ones, too. */
    findAny: (key: AgentKey): Promise<AgentDocument | null> => agents.findOne(idFilter(key)),

    /** Newest first. `before`: the last one of the previous page. */
    list: (projectId: string, limit: number, before?: string): Promise<AgentDocument[]> =>
      agents
        .find({
          projectId,
          deletedAt: { $exists: false },
          ...(before !== undefined && { _id: { $lt: before } }),
        })
        .sort({ projectId: 1, _id: -1 })
        .limit(limit)
        .toArray(),

    /** Those that share a computer, oldest first. A deleted one counts until nothing is left of it. */
    onComputer: (projectId: string, computerId: string): Promise<AgentDocument[]> =>
      agents.find({ projectId, "computer.id": computerId }).sort({ _id: 1 }).toArray(),

    /** The changed agent. Null if it no longer exists, or not at an expected revision. */
    update: (
      key: AgentKey,
      changes: AgentChanges,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ): Promise<AgentDocument | null> =>
      changed(
        key,
        { deletedAt: { $exists: false }, ...atRevision(expected) },
        { ...updateOf(changes), $inc: nextRevision, $push: { audit: entry } },
      ),

    /** From now on it takes no work, and no reader finds it. Null as for `update`. */
    markDeleted: (
      key: AgentKey,
      at: Date,
      entry: AuditEntry,
      expected: readonly number[] = [],
    ): Promise<AgentDocument | null> =>
      changed(
        key,
        { deletedAt: { $exists: false }, ...atRevision(expected) },
        {
          $set: { deletedAt: at, removing: true, queue: [], work: true },
          $unset: { slug: "" },
          $push: { audit: entry },
        },
        deletion,
      ),

    /** Deleted agents that still own something. */
    beingRemoved: (limit: number): Promise<AgentDocument[]> =>
      agents.find({ removing: true }).sort({ removing: 1, _id: 1 }).limit(limit).toArray(),

    /** Nothing is left of a deleted agent but its id. */
    strip: async (key: AgentKey): Promise<void> => {
      const empty = { name: "", input: "{}", settings: {}, capabilities: {}, declared: {}, base: {} };
      await changed(
        key,
        { deletedAt: { $exists: true }, current: null },
        { $set: empty, $unset: { removing: "", work: "", "computer.id": "" } },
        deletion,
      );
    },

    /**
     * Puts a thread at the end of the queue: its acceptance. The agent afterwards; null if it refuses (paused, deleted, full,
     * or not idle). A thread that waits already keeps its place.
     */
    enqueue: async (
      key: AgentKey,
      threadId: string,
      { ifIdle }: EnqueueOptions = {},
    ): Promise<AgentDocument | null> => {
      for (;;) {
        const added = await changed(
          key,
          {
            deletedAt: { $exists: false },
            paused: false,
            queue: { $ne: threadId },
            [`queue.${maxQueue - 1}`]: { $exists: false },
            ...(ifIdle && { "queue.0": { $exists: false }, ...free(ifIdle.ended) }),
          },
          { $push: { queue: threadId }, $set: { work: true } },
        );
        if (added !== null) return added;
        // Even then something is written: a process that was about to remove the thread has to check again.
        const kept = await changed(
          key,
          { queue: threadId, deletedAt: { $exists: false } },
          { $set: { work: true } },
        );
        if (kept !== null) return kept;
        const agent = await agents.findOne({ ...idFilter(key), deletedAt: { $exists: false } });
        // Otherwise the thread has just left the queue.
        if (agent === null || agent.paused || agent.queue.length >= maxQueue || ifIdle) return null;
      }
    },

    /**
     * Removes a thread from the queue, if nothing has changed since the agent was read: see `leaveQueue`, which is how to
     * call this.
     */
    dequeue: (key: AgentKey, threadId: string, rev: number): Promise<AgentDocument | null> =>
      changed(key, { queue: threadId, rev }, { $pull: { queue: threadId } }, deletion),

    /**
     * Puts a thread whose decisions have been made before all others. Null if the agent has changed since it was read, or
     * was deleted.
     */
    enqueueFirst: (
      key: AgentKey,
      threadId: string,
      { rev, queue }: Pick<AgentDocument, "rev" | "queue">,
    ): Promise<AgentDocument | null> =>
      changed(
        key,
        { rev, deletedAt: { $exists: false } },
        { $set: { queue: [threadId, ...queue.filter((id) => id !== threadId)], work: true } },
      ),

    /** Up to `limit` agents that may have something to run, by id. `after`: the last one of the previous call. */
    withWork: (limit: number, after = ""): Promise<AgentDocument[]> =>
      agents
        .find({ work: true, _id: { $gt: after } })
        .sort({ work: 1, _id: 1 })
        .limit(limit)
        .toArray(),

    /** How many agents have a thread that could run and does not, up to 10,000. */
    countWaiting: (): Promise<number> =>
      agents.countDocuments(
        { work: true, current: null, paused: false, "queue.0": { $exists: true } },
        { limit: maxCounted },
      ),

    /** There is nothing to run: readers of `withWork` need not check it again until a caller changes the agent. */
    rest: async ({
      _id,
      projectId,
      rev,
    }: Pick<AgentDocument, "_id" | "projectId" | "rev">): Promise<void> => {
      await agents.updateOne(
        { _id, projectId, rev, current: null, queue: { $size: 0 } },
        { $unset: { work: "" } },
      );
    },

    /** Takes the slot for the first thread of the queue. Null if another process was faster, or the agent is paused. */
    claim: (key: AgentKey, current: CurrentRun, lease: Lease): Promise<AgentDocument | null> =>
      changed(
        key,
        { current: null, paused: false, deletedAt: { $exists: false }, "queue.0": current.threadId },
        { $set: { current, lease }, $pull: { queue: current.threadId }, $inc: { epoch: 1 } },
      ),

    /** False: the slot was lost, and nothing more may be done in the run's name. */
    renew: (key: AgentKey, epoch: number, { holder, until }: Lease): Promise<boolean> =>
      change(agents, idFilter(key), {
        guard: { epoch, "lease.holder": holder },
        set: { "lease.until": until },
      }),

    /**
     * Takes the slot of a holder whose lease has run out. The thread's epoch has to be raised before anything is done in its
     * name. `onlyHolder`: any lease but this holder's counts, because no other instance can exist.
     */
    takeOver: async (
      key: AgentKey,
      seen: { epoch: number; lease?: Lease | null },
      lease: Lease,
      now: Date,
      onlyHolder?: string,
    ): Promise<AgentDocument | null> => {
      const guard = { epoch: seen.epoch, current: { $ne: null }, ...notHeld(now, onlyHolder) };
      const taken = await changed(key, guard, { $set: { lease }, $inc: { epoch: 1 } });
      if (taken !== null) countTakeOver(metrics, "run", seen.lease);
      return taken;
    },

    /** Allows another process to take the run over at once. Null if the slot was lost. */
    release: (key: AgentKey, epoch: number, holder: string): Promise<AgentDocument | null> =>
      changed(key, { epoch, "lease.holder": holder }, { $set: { "lease.until": givenUp, work: true } }),

    /** The same, with an epoch below which the computer accepts no run. */
    raiseEpoch: (
      key: AgentKey,
      epoch: number,
      holder: string,
      newest: number,
    ): Promise<AgentDocument | null> =>
      changed(
        key,
        { epoch, "lease.holder": holder },
        { $set: { epoch: Math.max(epoch, newest), "lease.until": givenUp, work: true } },
      ),

    /** Ends the run: the next thread may begin. Null if the slot was lost. */
    free: (key: AgentKey, epoch: number, runId: string): Promise<AgentDocument | null> =>
      changed(key, { epoch, "current.runId": runId }, { $set: { current: null, lease: null } }, deletion),
  };
}

function idFilter({ agentId: _id, projectId }: AgentKey): Filter<AgentDocument> {
  return { _id, projectId };
}

function free(ended: CurrentRun | undefined): Filter<AgentDocument> {
  return ended === undefined
    ? { current: null }
    : { $or: [{ current: null }, { "current.runId": ended.runId, "current.threadId": ended.threadId }] };
}

/** One field for each capability and limit: two administrators who change different ones do not undo each other. */
function updateOf({ capabilities = {}, limits = {}, ...fields }: AgentChanges): UpdateFilter<AgentDocument> {
  const set: Record<string, unknown> = { ...fields, work: true };
  const unset: Record<string, ""> = {};
  for (const [slug, isOn] of Object.entries(capabilities)) set[`capabilities.${slug}`] = isOn;
  for (const [limit, value] of Object.entries(limits)) {
    if (value === null) unset[`limits.${limit}`] = "";
    else if (value !== undefined) set[`limits.${limit}`] = value;
  }
  return { $set: set, ...(Object.keys(unset).length > 0 && { $unset: unset }) };
}
