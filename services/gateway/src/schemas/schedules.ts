import { flag, integer, list, nullable, object, oneOf, optional, Type, text } from "@muster/wire/schema";
import {
  body,
  managed,
  nextCursor,
  pageQuery,
  revision,
  segmentOf,
  slug,
  slugShown,
  timeOf,
} from "./common.ts";
import { createScheduleExample, updateScheduleExample } from "./examples.ts";
import { runConfig, storedRunConfig } from "./workforce.ts";

const id = segmentOf("The id of the workforce agent.");
export const schedulesParams = Type.Object({ id });
export const scheduleParams = Type.Object({ id, scheduleId: segmentOf("The id of the schedule.") });

const name = text("The name of the schedule.", { minLength: 1, maxLength: 100 });
const cron = text(
  "Five fields: minute, hour, day of the month, month, day of the week. Send either this or `at`.",
  { minLength: 1, maxLength: 200, examples: ["0 9 * * 1-5"] },
);
const at = text("Runs once: a time of the zone, or one with its offset from UTC.", {
  minLength: 1,
  maxLength: 40,
  examples: ["2026-12-01T09:00"],
});
const timezone = text("An IANA name, such as `Europe/Berlin`.", { minLength: 1, maxLength: 64 });
const message = text("The message of each thread.", { minLength: 1, maxLength: 100_000 });
const overlap = oneOf(
  "If the thread of the previous run has not ended: `skip` starts none, `queue` starts one that waits. Default: `skip`.",
  ["skip", "queue"],
);
const misfire = oneOf(
  "Times at which no process was running: `skip` runs none of them, `once` the last one. Default: `skip`.",
  ["skip", "once"],
);
const misfireWindowMs = integer("How late `once` runs a time. Default: a day.", {
  minimum: 60_000,
  maximum: 31 * 24 * 3_600_000,
});
const jitterMs = integer("A fixed delay of each run, of up to this many milliseconds. Default: 0.", {
  minimum: 0,
  maximum: 60_000,
});
const enabled = flag("False if a user has paused it.");

const settings = {
  cron: optional(cron),
  at: optional(at),
  config: optional(runConfig),
  overlap: optional(overlap),
  misfire: optional(misfire),
  jitterMs: optional(jitterMs),
  enabled: optional(enabled),
  managed: optional(managed),
};

export const createScheduleBody = body(
  "CreateScheduleRequest",
  "The times and the message.",
  createScheduleExample,
  {
    ...{ name, timezone, message, ...settings },
    misfireWindowMs: optional(misfireWindowMs),
    slug: optional({
      ...slug,
      description: "Unique among the agent's schedules. Default: derived from the name.",
    }),
  },
);

export const updateScheduleBody = body(
  "UpdateScheduleRequest",
  "Absent members stay unchanged. `cron` replaces `at`, and vice versa.",
  updateScheduleExample,
  {
    ...{ name: optional(name), timezone: optional(timezone), message: optional(message), ...settings },
    misfireWindowMs: optional(nullable("How late `once` runs a time; null for a day.", misfireWindowMs)),
  },
);

export const scheduleRunReply = object("ScheduleRun", "The outcome of a time of the schedule.", {
  id: text("The id of the run."),
  scheduledAt: timeOf("The time, without the jitter."),
  until: nullable("The last time that this entry is about; null if it is the only one.", timeOf("A time.")),
  manual: flag("True if a user has asked for it."),
  status: text("`pending`, `fired` or `skipped`."),
  reason: nullable(
    "Why it was skipped: `missed`, `overlap`, `agent_paused`, `agent_deleted`, `refused` or `unavailable`; more can be added. Null unless skipped.",
  ),
  problem: nullable(
    "A sentence that says why the time was skipped, or why its thread has failed; null without a problem.",
  ),
  threadId: nullable("The thread that was started; null unless fired."),
  outcome: nullable(
    "`succeeded` or `failed`: five failures in a row pause the schedule; null if it is neither, or its thread has not ended.",
  ),
  createdAt: timeOf("When it was noted."),
});

export const scheduleReply = object("Schedule", "When a workforce agent gets a message.", {
  id: text("The id of the schedule."),
  projectId: text("The project that it belongs to."),
  agentId: text("The workforce agent."),
  ...{
    name,
    slug: { ...slugShown, description: "Its name among the agent's schedules, which never changes." },
  },
  cron: nullable("Five fields; null if it runs once.", cron),
  at: nullable("When it runs; null if it runs again and again.", at),
  ...{ timezone, message, config: storedRunConfig, overlap, misfire },
  misfireWindowMs: nullable("How late `once` runs a time; null: a day.", misfireWindowMs),
  ...{ jitterMs, enabled },
  pausedReason: nullable("Why the platform has paused it; null if it has not."),
  nextRuns: list("The next five at most; none if it is paused or has ended.", timeOf("A time.")),
  lastRun: nullable("The latest run; null if there was none.", scheduleRunReply),
  ...{ revision, managed },
  createdAt: timeOf("When it was created."),
  updatedAt: timeOf("When a user last changed it."),
});

export const scheduleListReply = object("ScheduleList", "The schedules of the agent.", {
  schedules: list("Newest first.", scheduleReply),
});

export const deleteScheduleReply = object("DeletedSchedule", "It starts no more threads.", {
  id: text("The id of the schedule."),
  deleted: flag("True."),
});

export const scheduleRunListQuery = Type.Object(pageQuery("runs", 50));

export const scheduleRunListReply = object("ScheduleRunList", "A page of the ledger.", {
  runs: list("Newest first.", scheduleRunReply),
  nextCursor,
});
