import type { NoticeFields } from "@muster/events";
import type { AuditFields } from "@muster/events/audit";
import type { Lease, Revised } from "@muster/store";
import type { StoredRunConfig } from "./run-config.ts";

export const overlapRules = ["skip", "queue"] as const;
export const misfireRules = ["skip", "once"] as const;

/** The times at which the platform sends an agent a message, each of which begins a thread. */
export interface ScheduleDocument extends NoticeFields, AuditFields, Revised {
  /** `sch_…` */
  _id: string;
  projectId: string;
  agentId: string;
  name: string;
  /** Unique among those of the agent. Always set. */
  slug?: string;
  /** `muster apply` manages it. Absent: it does not. */
  managed?: boolean;
  /** Five fields. Absent: it runs once, at `at`. */
  cron?: string;
  /** A local time of `timezone`, or one with an offset. Absent: it has `cron`. */
  at?: string;
  /** An IANA name. */
  timezone: string;
  message: string;
  config: StoredRunConfig;
  /** How a time is treated at which the thread of the one before has not ended. */
  overlap: (typeof overlapRules)[number];
  /** How times are treated at which no process was running: all are skipped, or the last one runs. */
  misfire: (typeof misfireRules)[number];
  /** How late `once` runs one. Absent: a day. */
  misfireWindowMs?: number;
  /** It runs that much later at most, always the same. */
  jitterMs: number;
  /** False: a user has paused it. */
  enabled: boolean;
  /** Why the platform has paused it. Absent: it has not. */
  pausedReason?: string;
  /** Failures of runs from before do not count. */
  countsFrom: Date;
  /** The earliest time that has no run yet. Absent: none follows, or it is paused. */
  nextAt?: Date;
  /** The same with the jitter. */
  dueAt?: Date;
  createdAt: Date;
  updatedAt: Date;
}

/** The reasons why a time did not run. */
export type SkipReason = "missed" | "overlap" | "agent_paused" | "agent_deleted" | "refused" | "unavailable";

/** The outcome of a time of a schedule: an entry of its ledger. */
export interface ScheduleRunDocument {
  /** `srn_…` */
  _id: string;
  projectId: string;
  agentId: string;
  scheduleId: string;
  /** Unique in the schedule: the time, or the id of a run that a user has asked for. */
  occurrence: string;
  /** The time, without the jitter. */
  scheduledAt: Date;
  /** The last time that the entry is about. Absent: the only one. */
  until?: Date;
  /** A user has asked for it. */
  isManual?: true;
  /** `fired`: a thread was started. `pending`: it is being started. */
  status: "pending" | "fired" | "skipped";
  reason?: SkipReason;
  /** A sentence: why it was skipped, or why its thread has failed. */
  problem?: string;
  threadId?: string;
  /** How it has ended, as far as it counts for a pause. Absent: it does not, or its thread has not ended. */
  outcome?: "succeeded" | "failed";
  /** When an instance has to check it, while something is left to do. */
  dueAt?: Date;
  /** The instance that starts the thread. */
  lease: Lease | null;
  createdAt: Date;
  /** When it is removed. */
  expiresAt: Date;
}

export interface ScheduleKey {
  projectId: string;
  agentId: string;
  scheduleId: string;
}

export function keyOfSchedule({
  projectId,
  agentId,
  _id: scheduleId,
}: Pick<ScheduleDocument, "projectId" | "agentId" | "_id">): ScheduleKey {
  return { projectId, agentId, scheduleId };
}
