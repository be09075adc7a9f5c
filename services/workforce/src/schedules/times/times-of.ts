import { Cron } from "croner";
import { readCron } from "./read-cron.ts";

/** When a schedule runs. */
export interface Times {
  /** The first time after this one. Undefined: there is none. */
  next(after: Date): Date | undefined;
  /** The last time that is not after this one. Undefined: there is none. */
  latest(until: Date): Date | undefined;
}

export interface TimeSettings {
  /** Five fields. */
  cron?: string | undefined;
  /** Once: a local time, or one with an offset from UTC. Exactly one of both is set. */
  at?: string | undefined;
  /** An IANA name. */
  timezone: string;
}

/** Throws for settings that were not checked. */
export function timesOf({ cron, at, timezone }: TimeSettings): Times {
  if (at !== undefined) return once(instantOf(at, timezone));
  const read = readCron(cron ?? "");
  if (!("pattern" in read)) throw new Error(`The expression cannot be used: ${read.problem}`);
  const job = repeated(read.pattern, timezone);
  return {
    next: (after) => job.nextRun(after) ?? undefined,
    // The library looks for times before this one.
    latest: (until) => job.previousRuns(1, new Date(until.getTime() + 1))[0],
  };
}

function once(at: Date | undefined): Times {
  return {
    next: (after) => (at !== undefined && at > after ? at : undefined),
    latest: (until) => (at !== undefined && at <= until ? at : undefined),
  };
}

/** A local time in the gap of a change of clocks runs at its end, and one that occurs twice the first time. */
function repeated(pattern: string, timezone: string): Cron {
  return new Cron(pattern, { timezone, mode: "5-part", fixedTimeRule: "no-wildcard", paused: true });
}

const form = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;
const dayMs = 24 * 3_600_000;

/** Undefined: it is not a time, or has seconds without an offset. */
export function instantOf(text: string, timezone: string): Date | undefined {
  const found = form.exec(text);
  if (found === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0] = found.slice(1, 6).map(Number);
  const utc = new Date(Date.UTC(year, month - 1, day, hour, minute));
  // The fields are those of a date that exists.
  if (utc.toISOString().slice(0, 16) !== text.slice(0, 16)) return undefined;
  if (found[6] !== undefined) return Number.isNaN(Date.parse(text)) ? undefined : new Date(text);
  if (!/^[^:]+:\d\d(:00(\.0+)?)?$/.test(text)) return undefined;
  // The same rules for changes of clocks as for repeated times.
  const pattern = [minute, hour, day, month, "*"].join(" ");
  const instant = repeated(pattern, timezone).nextRun(new Date(utc.getTime() - 2 * dayMs));
  return instant !== null && Math.abs(instant.getTime() - utc.getTime()) < 2 * dayMs ? instant : undefined;
}

/** Whether it is the name of a zone: offsets such as +02:00 have no changes of clocks. */
export function isTimezone(name: string): boolean {
  if (name.length > 64 || !/^[A-Za-z][\w+/-]*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
