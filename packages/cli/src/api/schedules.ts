import { isPlainObject } from "@muster/language/json";
import { CliError, exitCodes } from "../exit.ts";
import type { Api } from "../http/api.ts";
import { optionalText, record, records, text, texts } from "../read.ts";
import { readPages } from "./read-pages.ts";

export type Schedule = ReturnType<typeof scheduleOf>;
export type ScheduleRun = ReturnType<typeof runOf>;

type Fields = Readonly<Record<string, unknown>>;

function pathOf(agentId: string, scheduleId?: string): string {
  const schedules = `/api/admin/workforce/agents/${encodeURIComponent(agentId)}/schedules`;
  return scheduleId === undefined ? schedules : `${schedules}/${encodeURIComponent(scheduleId)}`;
}

/** Fields of the request that are undefined are not sent. */
export async function createSchedule(api: Api, agentId: string, schedule: Fields): Promise<Schedule> {
  return scheduleOf(await api.read("POST", pathOf(agentId), { body: schedule }));
}

/** Newest first. */
export async function listSchedules(api: Api, agentId: string): Promise<Schedule[]> {
  return records(await api.read("GET", pathOf(agentId)), "schedules").map(scheduleOf);
}

/** By its id or its slug. */
export async function findSchedule(api: Api, agentId: string, name: string): Promise<Schedule> {
  const all = await listSchedules(api, agentId);
  const found = all.find(({ id, slug }) => id === name || slug === name);
  if (found !== undefined) return found;
  const message = `The agent has no schedule with the slug or the id ${name}.`;
  const hint = { purpose: "To list its schedules", args: `schedules list ${agentId}` };
  throw new CliError(exitCodes.failure, "NOT_FOUND", message, { hint, status: 404 });
}

export async function updateSchedule(
  api: Api,
  { agentId, id }: Schedule,
  changes: Fields,
): Promise<Schedule> {
  return scheduleOf(await api.read("PATCH", pathOf(agentId, id), { body: changes }));
}

export async function deleteSchedule(api: Api, { agentId, id }: Schedule): Promise<void> {
  await api.request("DELETE", pathOf(agentId, id));
}

export async function switchSchedule(
  api: Api,
  { agentId, id }: Schedule,
  to: "pause" | "resume",
): Promise<Schedule> {
  return scheduleOf(await api.read("POST", `${pathOf(agentId, id)}/${to}`));
}

export async function runSchedule(api: Api, { agentId, id }: Schedule): Promise<ScheduleRun> {
  return runOf(await api.read("POST", `${pathOf(agentId, id)}/run`));
}

/** The newest ones, newest first. */
export async function listScheduleRuns(api: Api, { agentId, id }: Schedule, limit: number) {
  const { items, hasMore } = await readPages(api, `${pathOf(agentId, id)}/runs`, "runs", limit);
  return { runs: items.map(runOf), hasMore };
}

function scheduleOf(schedule: Record<string, unknown>) {
  return {
    id: text(schedule, "id"),
    agentId: text(schedule, "agentId"),
    name: text(schedule, "name"),
    slug: text(schedule, "slug"),
    times: optionalText(schedule, "cron") ?? text(schedule, "at"),
    timezone: text(schedule, "timezone"),
    message: text(schedule, "message"),
    enabled: schedule.enabled === true,
    pausedReason: optionalText(schedule, "pausedReason"),
    nextRuns: texts(schedule, "nextRuns"),
    lastRun: isPlainObject(schedule.lastRun) ? runOf(schedule.lastRun) : undefined,
    /** The whole response, for `--json`. */
    document: record(schedule),
  };
}

function runOf(run: Readonly<Record<string, unknown>>) {
  return {
    id: text(run, "id"),
    scheduledAt: text(run, "scheduledAt"),
    until: optionalText(run, "until"),
    status: text(run, "status"),
    reason: optionalText(run, "reason"),
    problem: optionalText(run, "problem"),
    threadId: optionalText(run, "threadId"),
    outcome: optionalText(run, "outcome"),
    document: record(run),
  };
}
