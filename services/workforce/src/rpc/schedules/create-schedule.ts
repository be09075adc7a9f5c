import { create } from "@bufbuild/protobuf";
import { CreateScheduleResponseSchema } from "@muster/proto/schedules";
import { Reason, rpcError } from "@muster/rpc";
import { checkedConfig } from "../../dispatch/start-thread.ts";
import { readSchedule } from "../../input/read-schedule.ts";
import { insertNamed } from "../../input/slug.ts";
import { nextRun } from "../../schedules/times/next-run.ts";
import { timesOf } from "../../schedules/times/times-of.ts";
import { keyOfAgent } from "../../store/agent-document.ts";
import { unknownAgent } from "../../store/refusals.ts";
import { keyOfSchedule, type ScheduleDocument } from "../../store/schedule-document.ts";
import { showSchedule } from "../../views/show-schedule.ts";
import type { Handler } from "../handler.ts";
import { managedAgent } from "../managed-agent.ts";

const maxPerAgent = 100;
const maxPerProject = 1_000;

export const createSchedule: Handler<"createSchedule"> = async (context, request, call) => {
  const agent = await managedAgent(context, request.agentId, call);
  const { projectId, agentId } = keyOfAgent(agent);
  const { agents, schedules, clock, newId } = context;
  const now = new Date(clock.now());
  const { cron, at, misfireWindowMs, ...settings } = readSchedule(request.settings, now, request);
  await checkedConfig(context, agent, settings.config);
  if ((await schedules.count({ projectId, agentId }, maxPerAgent)) >= maxPerAgent)
    throw tooMany("agent", maxPerAgent);
  if ((await schedules.count({ projectId }, maxPerProject)) >= maxPerProject)
    throw tooMany("project", maxPerProject);
  const _id = newId("sch");
  const times = timesOf({ cron, at, timezone: settings.timezone });
  const document: ScheduleDocument = {
    ...{ _id, projectId, agentId, ...settings, countsFrom: now, createdAt: now, updatedAt: now },
    ...(cron !== undefined && { cron }),
    ...(at !== undefined && { at }),
    ...(misfireWindowMs !== undefined && { misfireWindowMs }),
    ...(request.managed && { managed: true }),
    audit: [
      context.auditEntry(call, "schedule.create", {
        ...{ projectId, target: _id, after: { cron, at, misfireWindowMs, ...settings } },
      }),
    ],
    ...(settings.enabled && nextRun({ _id, jitterMs: settings.jitterMs }, times, now)),
  };
  const naming = { slug: request.slug, name: settings.name, kind: "schedule" };
  const schedule = await insertNamed(document, naming, schedules.insert);
  // The agent's schedules may have been removed meanwhile.
  if ((await agents.find({ projectId, agentId })) === null) {
    const change = { projectId, target: _id };
    await schedules.bury(keyOfSchedule(schedule), context.auditEntry(call, "schedule.delete", change));
    throw unknownAgent();
  }
  return create(CreateScheduleResponseSchema, { schedule: await showSchedule(context, schedule) });
};

function tooMany(owner: string, count: number) {
  const message = `The ${owner} has ${count} schedules already. Delete one that is not needed.`;
  return rpcError(Reason.INVALID_REQUEST, message);
}
