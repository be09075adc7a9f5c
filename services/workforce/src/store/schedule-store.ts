import { type Notices, noticeIndex } from "@muster/events";
import { type AuditEntry, auditIndex } from "@muster/events/audit";
import {
  atRevision,
  type CollectionIndexes,
  deletion,
  nextRevision,
  revisionOf,
  unlessDuplicate,
} from "@muster/store";
import type { Collection, Db, Filter, UpdateFilter } from "mongodb";
import type { AgentKey } from "./agent-document.ts";
import { keyOfSchedule, type ScheduleDocument, type ScheduleKey } from "./schedule-document.ts";

export const scheduleIndexes: CollectionIndexes = {
  collection: "schedules",
  indexes: [
    { name: "by_agent", key: { projectId: 1, agentId: 1, _id: -1 } },
    { name: "slug", key: { projectId: 1, agentId: 1, slug: 1 }, unique: true },
    { name: "due", key: { dueAt: 1 }, partialFilterExpression: { dueAt: { $exists: true } } },
    noticeIndex,
    auditIndex,
  ],
};

/** Counts are for dashboards: beyond this, a larger number says nothing more. */
const maxCounted = 10_000;

/** The next time, and when it is due. Undefined: there is none. */
export type NextRun = Pick<Required<ScheduleDocument>, "nextAt" | "dueAt"> | undefined;

/** The changes of a user: the whole settings. Undefined fields are removed. */
export type ScheduleSettings = Pick<
  ScheduleDocument,
  "name" | "timezone" | "message" | "config" | "overlap" | "misfire" | "jitterMs" | "enabled" | "countsFrom"
> & {
  [Key in "cron" | "at" | "misfireWindowMs" | "managed" | "pausedReason"]: ScheduleDocument[Key] | undefined;
};

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

/** The only place that writes schedules. Each write is harmless if it is repeated. */
export function createScheduleStore(db: Db, notices: Pick<Notices, "create" | "wake">) {
  const schedules: Collection<ScheduleDocument> = db.collection(scheduleIndexes.collection);
  const change = (
    key: ScheduleKey,
    guard: Filter<ScheduleDocument>,
    update: UpdateFilter<ScheduleDocument>,
  ): Promise<ScheduleDocument | null> =>
    schedules.findOneAndUpdate({ ...idFilter(key), ...guard }, update, { returnDocument: "after" });

  return {
    collection: schedules,
    /** False: its slug is taken. */
    insert: (schedule: ScheduleDocument) => unlessDuplicate(schedules.insertOne(schedule)),
    count: (filter: Pick<AgentKey, "projectId"> & Partial<AgentKey>, limit: number) =>
      schedules.countDocuments({ ...filter, ...live }, { limit }),
    /** Newest first. */
    list: ({ projectId, agentId }: AgentKey) =>
      schedules
        .find({ projectId, agentId, ...live })
        .sort({ _id: -1 })
        .toArray(),
    find: (key: ScheduleKey) => schedules.findOne(idFilter(key)),
    /** Null: it was changed since, or is gone. */
    update: (
      schedule: ScheduleDocument,
      settings: ScheduleSettings,
      next: NextRun,
      now: Date,
      entry: AuditEntry,
    ) => {
      const all = { ...settings, nextAt: next?.nextAt, dueAt: next?.dueAt };
      const set = Object.entries(all).filter(([, value]) => value !== undefined);
      const unset = Object.entries(all).filter(([, value]) => value === undefined);
      const { nextAt, pausedReason } = schedule;
      return change(
        keyOfSchedule(schedule),
        {
          ...atRevision([revisionOf(schedule)]),
          ...{ nextAt: nextAt ?? { $exists: false }, pausedReason: pausedReason ?? { $exists: false } },
        },
        {
          $set: { ...Object.fromEntries(set), updatedAt: now },
          ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map(([name]) => [name, ""])) }),
          $inc: { ...nextRevision },
          $push: { audit: entry },
        },
      );
    },
    /** The time that was next has a run. Null: another instance has noted it, or the schedule was changed. */
    advance: (schedule: ScheduleDocument, next: NextRun) => {
      const { nextAt } = schedule;
      if (nextAt === undefined) return Promise.resolve(null);
      return change(
        keyOfSchedule(schedule),
        { nextAt, ...atRevision([revisionOf(schedule)]) },
        next === undefined ? { $unset: { nextAt: "", dueAt: "" } } : { $set: next },
      );
    },
    /** It starts nothing until a user resumes it. Null: it was changed since, or is paused. */
    pause: async (schedule: ScheduleDocument, pausedReason: string) => {
      const { countsFrom, projectId } = schedule;
      const outbox = notices.create({ type: "schedule.paused", data: { pausedReason } });
      const paused = await change(
        keyOfSchedule(schedule),
        { countsFrom, enabled: true, pausedReason: { $exists: false } },
        { $set: { pausedReason }, $unset: { nextAt: "", dueAt: "" }, $push: { outbox } },
      );
      if (paused !== null) notices.wake(projectId);
      return paused;
    },
    /** Finds due schedules of any project, the longest due first. */
    findDue: (now: Date, except: { ids: readonly string[]; projectIds: readonly string[] }, limit: number) =>
      schedules
        .find({
          ...{ dueAt: { $lte: now }, _id: { $nin: [...except.ids] } },
          ...(except.projectIds.length > 0 && { projectId: { $nin: [...except.projectIds] } }),
        })
        .sort({ dueAt: 1 })
        .limit(limit)
        .toArray(),
    /** How many are due, up to 10,000. */
    countDue: (now: Date): Promise<number> =>
      schedules.countDocuments({ dueAt: { $lte: now } }, { limit: maxCounted }),
    /**
     * False: it has none of the expected revisions, or is gone. It is gone for all readers; the rest of it carries the entry,
     * until the audit log has it.
     */
    bury: async (key: ScheduleKey, entry: AuditEntry, expected: readonly number[] = []): Promise<boolean> => {
      const { matchedCount } = await schedules.updateOne(
        { ...idFilter(key), ...atRevision(expected) },
        {
          $set: { ...empty, slug: key.scheduleId },
          $unset: { nextAt: "", dueAt: "" },
          $push: { audit: entry },
        },
        deletion,
      );
      return matchedCount === 1;
    },
    /** Schedules that carry entries stay, without content, until the audit log has them. */
    deleteOf: async ({ projectId, agentId }: AgentKey) => {
      const ofAgent = { projectId, agentId };
      await schedules.updateMany(
        { ...ofAgent, ...live },
        { $set: empty, $unset: { nextAt: "", dueAt: "" } },
        deletion,
      );
      await schedules.deleteMany({ ...ofAgent, "audit.id": { $exists: false } }, deletion);
    },
  };
}

/** The condition that excludes deleted schedules. */
const live = { tombstone: { $exists: false } } as const;

const empty: Partial<ScheduleDocument> = { tombstone: true, enabled: false, name: "", message: "" };

function idFilter({ projectId, agentId, scheduleId }: ScheduleKey): Filter<ScheduleDocument> {
  return { _id: scheduleId, projectId, agentId, ...live };
}
