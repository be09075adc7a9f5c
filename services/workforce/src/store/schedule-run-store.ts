import { type CollectionIndexes, deletion, type Lease, notHeld, unlessDuplicate } from "@muster/store";
import type { Collection, Db, Filter } from "mongodb";
import type { AgentKey } from "./agent-document.ts";
import type { ScheduleKey, ScheduleRunDocument } from "./schedule-document.ts";

export const scheduleRunIndexes: CollectionIndexes = {
  collection: "schedule_runs",
  indexes: [
    { name: "occurrence", key: { scheduleId: 1, occurrence: 1 }, unique: true },
    { name: "by_schedule", key: { projectId: 1, scheduleId: 1, _id: -1 } },
    {
      name: "by_outcome",
      key: { scheduleId: 1, _id: -1 },
      partialFilterExpression: { outcome: { $exists: true } },
    },
    { name: "by_agent", key: { projectId: 1, agentId: 1 } },
    { name: "due", key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    { name: "expiry", key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
};

/** How the start of a thread has ended. */
export type Settlement =
  | Pick<Required<ScheduleRunDocument>, "threadId">
  | (Pick<Required<ScheduleRunDocument>, "reason" | "problem"> & Pick<ScheduleRunDocument, "outcome">);

export type ScheduleRunStore = ReturnType<typeof createScheduleRunStore>;

/** The only place that writes the ledgers of schedules. Each write is harmless if it is repeated. */
export function createScheduleRunStore(db: Db) {
  const runs: Collection<ScheduleRunDocument> = db.collection(scheduleRunIndexes.collection);
  const inOrder = { returnDocument: "after" } as const;
  const of = ({ projectId, scheduleId }: Omit<ScheduleKey, "agentId">): Filter<ScheduleRunDocument> => ({
    projectId,
    scheduleId,
  });

  return {
    /** The entry of this time, and whether it is this one. Null: another one was there, and is gone. */
    insert: async (run: ScheduleRunDocument) => {
      if (await unlessDuplicate(runs.insertOne({ ...run }))) return { run, isNew: true };
      const found = await runs.findOne({ ...of(run), occurrence: run.occurrence });
      return found && { run: found, isNew: false };
    },
    /** Newest first. `before`: only older ones. */
    list: (key: Omit<ScheduleKey, "agentId">, limit: number, before?: string) =>
      runs
        .find({ ...of(key), ...(before !== undefined && { _id: { $lt: before } }) })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    /** The latest one before this that started a thread, or will. */
    before: ({ _id, ...run }: ScheduleRunDocument) =>
      runs.findOne(
        { ...of(run), _id: { $lt: _id }, status: { $in: ["fired", "pending"] } },
        { sort: { _id: -1 } },
      ),
    /** Finds runs of any project that have work left and that no instance has. */
    findDue: (
      now: Date,
      except: { ids: readonly string[]; projectIds: readonly string[] },
      limit: number,
      onlyHolder?: string,
    ) =>
      runs
        .find({
          ...{ dueAt: { $lte: now }, _id: { $nin: [...except.ids] }, ...notHeld(now, onlyHolder) },
          ...(except.projectIds.length > 0 && { projectId: { $nin: [...except.projectIds] } }),
        })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** Null: another instance has it, or nothing is to be done. */
    take: ({ _id, projectId }: ScheduleRunDocument, lease: Lease, now: Date, onlyHolder?: string) =>
      runs.findOneAndUpdate(
        { _id, projectId, dueAt: { $lte: now }, ...notHeld(now, onlyHolder) },
        { $set: { lease } },
        inOrder,
      ),
    /** It is tried again then, by any instance. */
    putOff: async ({ _id, projectId, lease }: ScheduleRunDocument, dueAt: Date) => {
      await runs.updateOne(
        { _id, projectId, status: "pending", "lease.holder": lease?.holder ?? "" },
        { $set: { dueAt, lease: null } },
      );
    },
    /**
     * A thread counts, whichever instance has started it; a refusal only if no other instance has the run, and it stays due if
     * it is a failure. Null: another one has it, or it is settled.
     */
    settle: ({ _id, projectId, lease }: ScheduleRunDocument, settlement: Settlement) => {
      const common = { ...settlement, lease: null };
      if ("threadId" in settlement)
        return runs.findOneAndUpdate(
          { _id, projectId },
          { $set: { ...common, status: "fired" }, $unset: { reason: "", dueAt: "" } },
          inOrder,
        );
      return runs.findOneAndUpdate(
        { _id, projectId, status: "pending", "lease.holder": lease?.holder ?? "" },
        {
          $set: { ...common, status: "skipped" },
          ...(settlement.outcome === undefined && { $unset: { dueAt: "" } }),
        },
        inOrder,
      );
    },
    /** Nothing is left to do. */
    close: async ({ _id, projectId }: ScheduleRunDocument) => {
      await runs.updateOne(
        { _id, projectId, status: { $ne: "pending" } },
        { $unset: { dueAt: "" }, $set: { lease: null } },
      );
    },
    /** The thread of a time has ended. The first end counts. */
    judge: async (
      key: Omit<ScheduleKey, "agentId">,
      occurrence: string,
      {
        threadId,
        outcome,
        problem,
      }: Pick<Required<ScheduleRunDocument>, "threadId" | "outcome"> & Pick<ScheduleRunDocument, "problem">,
    ) => {
      await runs.updateOne(
        { ...of(key), occurrence, outcome: { $exists: false } },
        { $set: { status: "fired", threadId, outcome, ...(problem && { problem }) }, $unset: { reason: "" } },
      );
    },
    /** The last ones that have succeeded or failed, newest first. */
    lastJudged: (key: Omit<ScheduleKey, "agentId">, limit: number) =>
      runs
        .find({ ...of(key), outcome: { $exists: true } })
        .sort({ _id: -1 })
        .limit(limit)
        .toArray(),
    deleteAll: async (key: Omit<ScheduleKey, "agentId">) => {
      await runs.deleteMany(of(key), deletion);
    },
    deleteOf: async ({ projectId, agentId }: AgentKey) => {
      await runs.deleteMany({ projectId, agentId }, deletion);
    },
  };
}
