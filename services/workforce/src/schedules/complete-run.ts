import { Reason, readRpcError } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import { ownStart } from "../dispatch/start-request.ts";
import { mayPass, startThread } from "../dispatch/start-thread.ts";
import type { ScheduleDocument, ScheduleRunDocument, SkipReason } from "../store/schedule-document.ts";
import type { Settlement } from "../store/schedule-run-store.ts";
import { isFinal } from "../store/thread-transitions.ts";
import { pauseIfFailing } from "./pause-if-failing.ts";
import { defaultWindowMs } from "./times/decide.ts";
import { offsetMs } from "./times/next-run.ts";

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
  const done = settled ?? run;
  // A failure stays due until it has counted.
  if (done.outcome === "failed") await pauseIfFailing(context, schedule);
  // The thread can have ended before its run was settled.
  if (done.outcome !== undefined) await scheduleRuns.close(done);
  return done;
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
    if (!earlier && isMissed(run, schedule, context.clock.now()))
      return skipped("missed", "No process was running at that time.");
    if (!earlier && !run.isManual && schedule.overlap === "skip" && (await isOccupied(context, run)))
      return skipped("overlap", "The thread of the previous run has not ended.");
    const { thread } = await startThread(context, agent, command);
    return { threadId: thread._id };
  } catch (error) {
    const failure = readRpcError(error);
    const { reason, message } = failure;
    if (reason === Reason.AGENT_PAUSED) return skipped("agent_paused", "The agent is paused.");
    if (reason === Reason.NOT_FOUND) return skipped("agent_deleted", "The agent was deleted.");
    const isUnexpected = reason === Reason.UNSPECIFIED;
    if (!isUnexpected && !mayPass(failure)) return skipped("refused", message, "failed");
    const isOver = context.clock.now() - run.createdAt.getTime() >= giveUpMs;
    if (isOver || isUnexpected)
      context.log.warn({ err: error, scheduleId: run.scheduleId }, "a schedule cannot start a thread");
    return isOver ? skipped("unavailable", message, "failed") : "later";
  }
}

/** Every instance was away for so long that the rule for missed times applies, although the time had its entry before. */
function isMissed(
  { isManual, scheduledAt }: ScheduleRunDocument,
  schedule: ScheduleDocument,
  nowMs: number,
): boolean {
  const { misfire, misfireWindowMs = defaultWindowMs } = schedule;
  const lateMs = nowMs - scheduledAt.getTime() - offsetMs(schedule);
  return !isManual && lateMs > Math.max(giveUpMs, misfire === "once" ? misfireWindowMs : 0);
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
