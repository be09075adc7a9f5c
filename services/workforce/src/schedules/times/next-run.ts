import { hash } from "node:crypto";
import type { ScheduleDocument } from "../../store/schedule-document.ts";
import type { NextRun } from "../../store/schedule-store.ts";
import type { Times } from "./times-of.ts";

type Jittered = Pick<ScheduleDocument, "_id" | "jitterMs">;

/** How much later than its times a schedule runs, always the same. */
export function offsetMs({ _id, jitterMs }: Jittered): number {
  return jitterMs === 0 ? 0 : Number.parseInt(hash("sha256", _id).slice(0, 8), 16) % (jitterMs + 1);
}

/** The first time after this one. */
export function nextRun(schedule: Jittered, times: Times, after: Date): NextRun {
  const nextAt = times.next(after);
  return nextAt && { nextAt, dueAt: new Date(nextAt.getTime() + offsetMs(schedule)) };
}
