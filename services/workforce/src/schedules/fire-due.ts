import type { WorkforceContext } from "../context.ts";
import type { ScheduleDocument, ScheduleRunDocument } from "../store/schedule-document.ts";
import { completeRun, newRun } from "./complete-run.ts";
import { decide } from "./times/decide.ts";
import { nextRun, offsetMs } from "./times/next-run.ts";
import { timesOf } from "./times/times-of.ts";

/**
 * Gives each time of a schedule that is due an entry in its ledger, and starts the threads of those that run. The entry is
 * stored first, so it decides for all instances, whenever they look; then the schedule moves on, and the run is completed. A
 * run whose instance died in between is found by itself.
 */
export async function fireDue(
  context: WorkforceContext,
  found: ScheduleDocument,
  signal: AbortSignal,
): Promise<void> {
  const { clock, schedules, scheduleRuns } = context;
  const times = timesOf(found);
  let schedule: ScheduleDocument | null = found;
  while (schedule !== null && !signal.aborted) {
    const now = new Date(clock.now());
    const { nextAt, dueAt }: ScheduleDocument = schedule;
    if (nextAt === undefined || dueAt === undefined || dueAt > now) return;
    const decision = decide(schedule, times, nextAt, new Date(now.getTime() - offsetMs(schedule)));
    const occurrence = nextAt.toISOString();
    const planned = newRun(context, schedule, {
      occurrence,
      scheduledAt: nextAt,
      ...fieldsOf(decision, nextAt),
    });
    const stored = await scheduleRuns.insert(planned);
    if (stored === null) return;
    const last = stored.run.until ?? stored.run.scheduledAt;
    const moved = await schedules.advance(schedule, nextRun(schedule, times, last));
    if (stored.isNew && stored.run.status === "pending") await completeRun(context, stored.run, schedule);
    schedule = moved;
  }
}

function fieldsOf(decision: ReturnType<typeof decide>, at: Date): Partial<ScheduleRunDocument> {
  if (decision.status === "pending") return {};
  const { until } = decision;
  const problem = "No process was running at that time.";
  return { status: "skipped", reason: "missed", problem, ...(until > at && { until }) };
}
