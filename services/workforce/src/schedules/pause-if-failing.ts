import type { WorkforceContext } from "../context.ts";
import { keyOfSchedule, type ScheduleDocument } from "../store/schedule-document.ts";

/** That many runs in a row that fail pause a schedule. */
const maxFailures = 5;

/** Pauses a schedule whose last runs have all failed. Harmless if repeated, because the ledger decides. */
export async function pauseIfFailing(
  { schedules, scheduleRuns }: Pick<WorkforceContext, "schedules" | "scheduleRuns">,
  schedule: ScheduleDocument,
): Promise<void> {
  const runs = await scheduleRuns.lastJudged(keyOfSchedule(schedule), maxFailures);
  const failed = runs.filter(
    ({ outcome, createdAt }) => outcome === "failed" && createdAt >= schedule.countsFrom,
  );
  if (failed.length < maxFailures) return;
  const problem = failed[0]?.problem ?? "";
  await schedules.pause(schedule, `Its last ${maxFailures} runs have failed. ${problem}`.trim());
}
