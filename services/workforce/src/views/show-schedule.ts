import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { ScheduleRunSchema, ScheduleSchema } from "@muster/proto/schedules";
import { revisionOf } from "@muster/store";
import type { WorkforceContext } from "../context.ts";
import { slugOf } from "../input/slug.ts";
import { nextRun } from "../schedules/times/next-run.ts";
import { timesOf } from "../schedules/times/times-of.ts";
import {
  keyOfSchedule,
  type ScheduleDocument,
  type ScheduleRunDocument,
} from "../store/schedule-document.ts";
import { showConfig } from "./agent-view.ts";

/** The upcoming runs that are shown. */
const maxNextRuns = 5;

export async function showSchedule(
  { scheduleRuns }: Pick<WorkforceContext, "scheduleRuns">,
  schedule: ScheduleDocument,
) {
  const { _id: id, projectId, agentId, managed = false, createdAt, updatedAt } = schedule;
  const { name, cron, at, timezone, message, config, overlap, misfire, misfireWindowMs } = schedule;
  const { jitterMs, enabled, pausedReason } = schedule;
  const [last] = await scheduleRuns.list(keyOfSchedule(schedule), 1);
  return create(ScheduleSchema, {
    ...{ id, projectId, agentId, managed, slug: slugOf(schedule), revision: revisionOf(schedule) },
    settings: {
      ...{ name, timezone, message, overlap, misfire, jitterMs, enabled },
      ...(cron !== undefined && { cron }),
      ...(at !== undefined && { at }),
      config: showConfig(config),
      ...(misfireWindowMs !== undefined && { misfireWindowMs: BigInt(misfireWindowMs) }),
    },
    ...(pausedReason !== undefined && { pausedReason }),
    nextRuns: nextRuns(schedule).map(timestampFromDate),
    ...(last && { lastRun: showScheduleRun(last) }),
    ...{ createdAt: timestampFromDate(createdAt), updatedAt: timestampFromDate(updatedAt) },
  });
}

function nextRuns(schedule: ScheduleDocument): Date[] {
  const runs: Date[] = [];
  const times = timesOf(schedule);
  let { nextAt, dueAt } = schedule;
  while (nextAt !== undefined && dueAt !== undefined && runs.length < maxNextRuns) {
    runs.push(dueAt);
    ({ nextAt, dueAt } = { nextAt: undefined, dueAt: undefined, ...nextRun(schedule, times, nextAt) });
  }
  return runs;
}

export function showScheduleRun(run: ScheduleRunDocument) {
  const { _id: id, scheduledAt, until, isManual = false, status, createdAt } = run;
  const { reason, problem, threadId, outcome } = run;
  return create(ScheduleRunSchema, {
    ...{ id, scheduledAt: timestampFromDate(scheduledAt), manual: isManual, status },
    ...(until && { until: timestampFromDate(until) }),
    ...(reason !== undefined && { reason }),
    ...(problem !== undefined && { problem }),
    ...(threadId !== undefined && { threadId }),
    ...(outcome !== undefined && { outcome }),
    createdAt: timestampFromDate(createdAt),
  });
}
