import type { ScheduleSettings as Requested } from "@muster/proto/schedules";
import { Issues } from "@muster/rpc";
import { readCron } from "../schedules/times/read-cron.ts";
import { instantOf, isTimezone, type TimeSettings } from "../schedules/times/times-of.ts";
import { misfireRules, overlapRules, type ScheduleDocument } from "../store/schedule-document.ts";
import { oneOf, readRunConfig } from "./run-config.ts";
import { checkSlug } from "./slug.ts";
import { checkMessage, checkName } from "./texts.ts";

const maxJitterMs = 60_000;
const windowMs = { min: 60_000, max: 31 * 24 * 3_600_000 };

/** The part that users decide. */
export type Settings = Pick<
  ScheduleDocument,
  "name" | "timezone" | "message" | "config" | "overlap" | "misfire" | "jitterMs" | "enabled"
> & { [Key in "cron" | "at" | "misfireWindowMs"]: ScheduleDocument[Key] | undefined };

const defaults: Settings = {
  ...{ name: "", timezone: "", message: "", config: {}, cron: undefined, at: undefined },
  ...{ overlap: "skip", misfire: "skip", misfireWindowMs: undefined, jitterMs: 0, enabled: true },
};

/**
 * The settings of a schedule after a request; `earlier`: before it, absent for a new one. Throws INVALID_REQUEST with all
 * issues.
 */
export function readSchedule(
  request: Partial<Requested> = {},
  now: Date,
  { slug, earlier = defaults }: { slug?: string | undefined; earlier?: Settings } = {},
): Settings {
  const issues = new Issues();
  checkSlug(issues, slug);
  const { name = earlier.name, message = earlier.message, timezone = earlier.timezone } = request;
  const { jitterMs = earlier.jitterMs, enabled = earlier.enabled } = request;
  checkName(issues, "name", name);
  checkMessage(issues, "message", message);
  if (jitterMs > maxJitterMs) issues.add("jitterMs", `must be 0 to ${maxJitterMs}`);
  const { overlap: byOverlap = earlier.overlap, misfire: byMisfire = earlier.misfire } = request;
  const misfire = oneOf(issues, "misfire", byMisfire, misfireRules);
  const settings = {
    ...{ name, message, timezone, jitterMs, enabled, misfire },
    ...readTimes(issues, { timezone, ...timesIn(request, earlier) }, isChanged(request) ? now : undefined),
    overlap: oneOf(issues, "overlap", byOverlap, overlapRules),
    misfireWindowMs: readWindow(issues, request.misfireWindowMs, { ...earlier, misfire }),
    config: request.config ? readRunConfig(issues, "config", request.config) : earlier.config,
  };
  issues.refuse();
  return settings;
}

/** Whether a request changes when a schedule runs. */
export function isChanged({ cron, at, timezone }: Partial<Requested>): boolean {
  return cron !== undefined || at !== undefined || timezone !== undefined;
}

function timesIn({ cron, at }: Partial<Requested>, earlier: Settings) {
  return cron === undefined && at === undefined ? { cron: earlier.cron, at: earlier.at } : { cron, at };
}

/** `after`: a single time has to be later. Absent: it can have passed. */
function readTimes(issues: Issues, { cron, at, timezone }: TimeSettings, after: Date | undefined) {
  if (!isTimezone(timezone)) {
    issues.add("timezone", "must be the IANA name of a time zone, such as Europe/Berlin or UTC");
    return { cron, at };
  }
  if ((cron === undefined) === (at === undefined)) issues.add("cron", "must be set, or at, but not both");
  if (cron !== undefined) {
    const read = readCron(cron);
    if ("problem" in read)
      issues.add("cron", `cannot be used, at character ${read.position}: ${read.problem}`);
  }
  if (at !== undefined) {
    const instant = instantOf(at, timezone);
    const form = "2026-12-01T09:00, or with an offset such as 2026-12-01T09:00:00Z";
    if (instant === undefined) issues.add("at", `must be a date and time that exist, such as ${form}`);
    else if (after !== undefined && instant <= after) issues.add("at", "must be in the future");
  }
  return { cron, at };
}

/** 0: none. */
function readWindow(
  issues: Issues,
  requested: bigint | undefined,
  { misfire, misfireWindowMs: earlier }: Settings,
): number | undefined {
  const window = requested === undefined ? earlier : Number(requested) || undefined;
  if (window === undefined) return undefined;
  if (misfire !== "once") {
    if (requested !== undefined) issues.add("misfireWindowMs", "is only for misfire: once");
    return undefined;
  }
  const { min, max } = windowMs;
  if (window < min || window > max) issues.add("misfireWindowMs", `must be ${min} to ${max}`);
  return window;
}
