import type { WorkforceContext } from "../context.ts";
import { createDueWork } from "../due-work.ts";
import type { ScheduleDocument, ScheduleRunDocument } from "../store/schedule-document.ts";
import { adoptRun } from "./complete-run.ts";
import { fireDue } from "./fire-due.ts";

/** Most of a dispatch is waiting for the store, which commits many together. */
const limits = { running: 128, runningPerOwner: 64 };

/** Starts the threads of schedules when they are due, and completes runs that were left by instances that died. */
export function createScheduler(context: WorkforceContext) {
  const { schedules, scheduleRuns, onlyHolder } = context;
  return createDueWork<ScheduleDocument | ScheduleRunDocument, "times" | "left">(context, {
    lanes: ["times", "left"],
    find: (lane, now, except, limit) =>
      lane === "times"
        ? schedules.findDue(now, except, limit)
        : scheduleRuns.findDue(now, except, limit, onlyHolder),
    work: (due, signal) => ("scheduleId" in due ? adoptRun(context, due) : fireDue(context, due, signal)),
    limits,
    name: "a schedule",
  });
}
