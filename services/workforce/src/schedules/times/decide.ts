import type { ScheduleDocument } from "../../store/schedule-document.ts";
import type { Times } from "./times-of.ts";

/** A time that is late by no more than this runs as usual. */
const graceMs = 60_000;
/** How late `misfire: once` runs a time, if the schedule does not say. */
export const defaultWindowMs = 24 * 3_600_000;

/** Whether a time runs. `until`: the times up to this one share the decision. */
export type Decision = { status: "pending" } | { status: "skipped"; until: Date };

/** Whether the time of a schedule still runs. `at`: the earliest time for which this is not decided. */
export function decide(
  { misfire, misfireWindowMs = defaultWindowMs }: Pick<ScheduleDocument, "misfire" | "misfireWindowMs">,
  times: Times,
  at: Date,
  now: Date,
): Decision {
  const lateMs = now.getTime() - at.getTime();
  if (lateMs <= graceMs) return { status: "pending" };
  const skipped = (until: Date | undefined): Decision => ({ status: "skipped", until: until ?? at });
  if (misfire === "skip") return skipped(times.latest(new Date(now.getTime() - graceMs - 1)));
  const last = times.latest(now) ?? at;
  if (now.getTime() - last.getTime() > misfireWindowMs) return skipped(last);
  return last > at ? skipped(times.latest(new Date(last.getTime() - 1))) : { status: "pending" };
}
