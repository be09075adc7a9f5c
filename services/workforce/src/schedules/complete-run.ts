import { Reason, readRpcError } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { ownStart } from "../dispatch/start-request.ts";
import { startThread } from "../dispatch/start-thread.ts";
import type { ScheduleDocument, ScheduleRunDocument, SkipReason } from "../store/schedule-document.ts";
import type { Settlement } from "../store/schedule-run-store.ts";
import { isFinal } from "../store/thread-transitions.ts";
import { offsetMs } from "./next-run.ts";
import { pauseIfFailing } from "./pause-if-failing.ts";

/** Longer than a dispatch can take. */
const leaseMs = 30_000;
const retryAfterMs = 2_000;
/** A run that cannot be started for this long, because other services do not respond, has failed. */
const giveUpMs = 10 * 60_000;
const keepMs = 90 * 24 * 3_600_000;

export function newRun(
  { newId, clock, instance }: Pick<WorkforceContext, "newId" | "clock" | "instance">,
  { projectId, agentId, _id: scheduleId }: ScheduleDocument,
  fields: Pick<ScheduleRunDocument, "scheduledAt"> & Partial<ScheduleRunDocument>,
): ScheduleRunDocument {
  const now = clock.now();
  const _id = newId("srn");
  const isDone = fields.status === "skipped";
  return {
    ...{ _id, projectId, agentId, scheduleId, occurrence: _id, status: "pending" },
    lease: isDone ? null : { holder: instance, until: new Date(now + leaseMs) },
    ...(!isDone && { dueAt: new Date(now) }),
    ...{ createdAt: new Date(now), expiresAt: new Date(now + keepMs) },
    ...fields,
  };
}

/** Takes a run whose instance has left it, and completes it. Does nothing if another one does. */
export async function adoptRun(context: WorkforceContext, found: ScheduleRunDocument): Promise<void> {
  const { clock, instance, onlyHolder, schedules, scheduleRuns } = context;
  const now = clock.now();
  const lease = { holder: instance, until: new Date(now + leaseMs) };
  const run = await scheduleRuns.take(found, lease, new Date(now), onlyHolder);
  if (run === null) return;
  const schedule = await schedules.find(run);
  if (schedule === null) return scheduleRuns.deleteAll(run);
  await completeRun(context, run, schedule);
}

/** Starts the thread of a run that this instance has, or notes why there is none. The run afterwards. */
export async function completeRun(
  context: WorkforceContext,
  run: ScheduleRunDocument,
  schedule: ScheduleDocument,
): Promise<ScheduleRunDocument> {
  const { clock, metrics, scheduleRuns } = context;
  const settlement = run.status === "pending" ? await fire(context, run, schedule) : undefined;
  if (settlement === "later") {
    await scheduleRuns.putOff(run, new Date(clock.now() + retryAfterMs));
    return run;
  }
  const settled = settlement && (await scheduleRuns.settle(run, settlement));
  if (settlement && "threadId" in settlement && !run.isManual) {
    const lateMs = clock.now() - run.scheduledAt.getTime() - offsetMs(schedule);
    metrics?.observe("muster_schedule_lateness_seconds", {}, Math.max(0, lateMs) / 1e3);
  }
  // A failure stays due until it has counted.
  if ((settled ?? run).outcome === "failed") {
    await pauseIfFailing(context, schedule);
    await scheduleRuns.close(settled ?? run);
  }
  return settled ?? run;
}

async function fire(
  context: WorkforceContext,
  run: ScheduleRunDocument,
  schedule: ScheduleDocument,
): Promise<Settlement | "later"> {
  const { projectId, agentId, occurrence } = run;
  const agent = { projectId, agentId };
  const origin = { kind: "schedule", id: run.scheduleId } as const;
  const skipped = (reason: SkipReason, problem: string, outcome?: "failed"): Settlement => ({
    ...{ reason, problem },
    ...(outcome && { outcome }),
  });
  try {
    const command = ownStart({ origin, occurrence, text: schedule.message }, schedule.config);
    const { idempotency } = command;
    const earlier = idempotency && (await context.threads.findByIdempotencyKey(agent, idempotency.key));
    if (!earlier && !run.isManual && schedule.overlap === "skip" && (await isOccupied(context, run)))
      return skipped("overlap", "The thread of the run before has not ended.");
    const { thread } = await startThread(context, agent, command);
    return { threadId: thread._id };
  } catch (error) {
    const { reason, message } = readRpcError(error);
    switch (reason) {
      case Reason.AGENT_PAUSED:
        return skipped("agent_paused", "The agent is paused.");
      case Reason.NOT_FOUND:
        return skipped("agent_deleted", "The agent was deleted.");
      case Reason.UNAVAILABLE:
      case Reason.UNSPECIFIED:
      case Reason.IDEMPOTENCY_KEY_IN_PROGRESS:
        if (context.clock.now() - run.createdAt.getTime() < giveUpMs) return "later";
        context.log.warn({ err: error, scheduleId: run.scheduleId }, "a schedule has missed a time");
        return skipped("unavailable", message, "failed");
      default:
        return skipped("refused", message, "failed");
    }
  }
}

async function isOccupied(
  { scheduleRuns, threads }: WorkforceContext,
  run: ScheduleRunDocument,
): Promise<boolean> {
  const before = await scheduleRuns.before(run);
  if (before?.threadId === undefined) return before !== null;
  const { projectId, agentId } = run;
  const thread = await threads.findState({ projectId, agentId, threadId: before.threadId });
  return thread !== null && !isFinal(thread.status);
}
