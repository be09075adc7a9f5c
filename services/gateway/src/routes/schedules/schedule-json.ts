import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Schedule, ScheduleRun, ScheduleSettingsSchema } from "@muster/proto/schedules";
import type { Static } from "@muster/wire/schema";
import { internalProblem } from "../../edge/errors/from-rpc.ts";
import { isoOf, optionalIsoOf } from "../../schemas/iso.ts";
import type { scheduleReply, scheduleRunReply, updateScheduleBody } from "../../schemas/schedules.ts";
import { runConfigJson, toRunConfig } from "../workforce/run-config.ts";

/** The RPC's message for the settings of a body. */
export function toSettings({
  config,
  misfireWindowMs,
  ...settings
}: Static<typeof updateScheduleBody>): MessageInitShape<typeof ScheduleSettingsSchema> {
  return {
    ...settings,
    ...(misfireWindowMs !== undefined && { misfireWindowMs: BigInt(misfireWindowMs ?? 0) }),
    ...(config && { config: toRunConfig(config, "config") }),
  };
}

/** The public fields of a schedule. */
export function scheduleJson(schedule: Schedule | undefined): Static<typeof scheduleReply> {
  const { settings } = schedule ?? {};
  if (!schedule || !settings) throw internalProblem(new Error("The response has no schedule"));
  const { id, projectId, agentId, slug, revision, managed, pausedReason, lastRun } = schedule;
  const { name = "", timezone = "", message = "", jitterMs = 0, enabled = false, config } = settings;
  return {
    ...{ id, projectId, agentId, name, slug, cron: settings.cron ?? null, at: settings.at ?? null },
    ...{ timezone, message, config: config ? runConfigJson(config) : {} },
    overlap: settings.overlap === "queue" ? "queue" : "skip",
    misfire: settings.misfire === "once" ? "once" : "skip",
    misfireWindowMs: settings.misfireWindowMs === undefined ? null : Number(settings.misfireWindowMs),
    ...{ jitterMs, enabled, pausedReason: pausedReason ?? null },
    nextRuns: schedule.nextRuns.map(isoOf),
    lastRun: lastRun ? scheduleRunJson(lastRun) : null,
    ...{ revision, managed, createdAt: isoOf(schedule.createdAt), updatedAt: isoOf(schedule.updatedAt) },
  };
}

/** The public fields of a run. */
export function scheduleRunJson(run: ScheduleRun | undefined): Static<typeof scheduleRunReply> {
  if (run === undefined) throw internalProblem(new Error("The response has no run"));
  const { id, scheduledAt, until, manual, status, reason, problem, threadId, outcome, createdAt } = run;
  return {
    ...{ id, scheduledAt: isoOf(scheduledAt), until: optionalIsoOf(until), manual, status },
    ...{ reason: reason ?? null, problem: problem ?? null },
    ...{ threadId: threadId ?? null, outcome: outcome ?? null, createdAt: isoOf(createdAt) },
  };
}
