import { create } from "@bufbuild/protobuf";
import { RunScheduleResponseSchema } from "@muster/proto/schedules";
import { completeRun, newRun } from "../../schedules/complete-run.ts";
import { showScheduleRun } from "../../views/show-schedule.ts";
import type { Handler } from "../handler.ts";
import { managedSchedule } from "./managed-schedule.ts";

export const runSchedule: Handler<"runSchedule"> = async (context, request, call) => {
  const schedule = await managedSchedule(context, request, call);
  const scheduledAt = new Date(context.clock.now());
  const run = newRun(context, schedule, { scheduledAt, isManual: true });
  await context.scheduleRuns.insert(run);
  const completed = await completeRun(context, run, schedule);
  return create(RunScheduleResponseSchema, { run: showScheduleRun(completed) });
};
