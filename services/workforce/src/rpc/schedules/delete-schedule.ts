import { keyOfSchedule } from "../../store/schedule-document.ts";
import type { Handler } from "../handler.ts";
import { managedSchedule } from "./managed-schedule.ts";

/** The ledger is deleted last; the rest that a process leaves if it dies expires. */
export const deleteSchedule: Handler<"deleteSchedule"> = async (context, request, call) => {
  const key = keyOfSchedule(await managedSchedule(context, request, call));
  const change = { projectId: key.projectId, target: key.scheduleId };
  const entry = context.auditEntry(call, "schedule.delete", change);
  // Another change came first: it decides what the caller gets.
  if (!(await context.schedules.bury(key, entry, request.expectedRevisions)))
    return deleteSchedule(context, request, call);
  await context.scheduleRuns.deleteAll(key);
  return {};
};
