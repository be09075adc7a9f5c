import { create } from "@bufbuild/protobuf";
import { sameFields } from "@muster/events/audit";
import { type ScheduleSettings, UpdateScheduleResponseSchema } from "@muster/proto/schedules";
import { checkedConfig } from "../../dispatch/start-thread.ts";
import { isChanged, readSchedule } from "../../input/read-schedule.ts";
import { nextRun } from "../../schedules/times/next-run.ts";
import { timesOf } from "../../schedules/times/times-of.ts";
import { showSchedule } from "../../views/show-schedule.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";
import { managedSchedule } from "./managed-schedule.ts";

export const updateSchedule: Handler<"updateSchedule"> = async (context, request, call) => {
  const schedule = await managedSchedule(context, request, call);
  const now = new Date(context.clock.now());
  const changes: Partial<ScheduleSettings> = request.settings ?? {};
  const { cron, at, misfireWindowMs, ...earlier } = schedule;
  const settings = readSchedule(changes, now, { earlier: { ...earlier, cron, at, misfireWindowMs } });
  if (changes.config)
    await checkedConfig(context, await managedAgent(context, request.agentId, call), settings.config);
  const { enabled, jitterMs } = settings;
  const isResumed = changes.enabled === true && (!schedule.enabled || schedule.pausedReason !== undefined);
  const pausedReason = changes.enabled === true ? undefined : schedule.pausedReason;
  const runs = enabled && pausedReason === undefined;
  // A time that is due already stays so, unless the times are others.
  const after =
    isChanged(changes) || isResumed || schedule.nextAt === undefined ? now : before(schedule.nextAt);
  const next = runs ? nextRun({ _id: schedule._id, jitterMs }, timesOf(settings), after) : undefined;
  const countsFrom = isResumed ? now : schedule.countsFrom;
  const managed = request.managed ?? schedule.managed;
  const all = { ...settings, managed, pausedReason, countsFrom };
  const { countsFrom: _countsFrom, ...wanted } = all;
  const entry = context.auditEntry(call, "schedule.update", {
    ...{ projectId: schedule.projectId, target: schedule._id },
    ...{ before: sameFields(schedule, wanted), after: wanted },
  });
  const changed = await context.schedules.update(schedule, all, next, now, entry);
  // Another change, or a run, came first.
  if (changed === null) return updateSchedule(context, request, call);
  return create(UpdateScheduleResponseSchema, { schedule: await showSchedule(context, changed) });
};

function before(time: Date): Date {
  return new Date(time.getTime() - 1);
}
