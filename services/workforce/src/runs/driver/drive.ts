import { ClaimStopped } from "@muster/service/claim";
import type { WorkforceContext } from "../../context.ts";
import type { ThreadLog } from "../../events/thread-log.ts";
import { openWait, type ThreadDocument } from "../../store/thread-document.ts";
import { progress } from "../../store/thread-moves.ts";
import { isFinal, type LeftStatus } from "../../store/thread-transitions.ts";
import type { ActiveRun } from "../slot/active-run.ts";
import { keepSlot } from "../slot/keep-slot.ts";
import { persist } from "./persist.ts";
import { createProgress } from "./progress.ts";
import { RunRecording, recordingOfRun } from "./run-recording.ts";
import { stopCommands } from "./stop-commands.ts";
import { takeThread } from "./take-thread.ts";
import { endBroken, type Workplace, work } from "./work.ts";

/** How long a process that stops tries to store the events of a run. */
const lastFlushMs = 2_000;

/**
 * Drives the run that occupies an agent to its end, frees the agent and never rejects. If the slot is lost, or this process
 * stops, another process continues the run.
 */
export async function drive(context: WorkforceContext, run: ActiveRun): Promise<void> {
  const { agents, wakeUps, instance, log } = context;
  const { agentKey, threadKey, driver } = run;
  const stopKeeping = keepSlot(context, run);
  try {
    await driveThread(context, run);
    await persist(run, () => agents.free(agentKey, driver.epoch, driver.runId));
    wakeUps.threadChanged(threadKey);
  } catch (error) {
    if (!(error instanceof ClaimStopped))
      log.error({ err: error, ...threadKey }, "a run was left to be taken over");
    else if (error.stop === "draining") {
      // No process has died.
      await context.threads.move(threadKey, progress(driver, { takeOvers: 0 })).catch(() => null);
      await agents.release(agentKey, driver.epoch, instance).catch((cause: unknown) => {
        log.warn({ err: cause, ...threadKey }, "a run could not be handed over; its lease has to run out");
      });
      wakeUps.agentChanged(agentKey);
    } else {
      log.info({ ...threadKey, epoch: driver.epoch }, "another process has taken a run over");
      await catchUp(context, run);
    }
  } finally {
    stopKeeping();
  }
}

/** A store that was restored from a backup has older epochs than the computer has seen: the run continues with a newer one. */
async function catchUp(
  { agents, wakeUps, instance, log }: WorkforceContext,
  { agentKey, driver, newestEpoch }: ActiveRun,
): Promise<void> {
  if (newestEpoch === undefined) return;
  try {
    if ((await agents.raiseEpoch(agentKey, driver.epoch, instance, newestEpoch)) === null) return;
    wakeUps.agentChanged(agentKey);
  } catch (error) {
    log.warn(
      { err: error, ...agentKey },
      "the epoch of an agent could not be raised to that of its computer",
    );
  }
}

/** Returns once the thread has a final status or waits for decisions, its events have ended, and nothing runs on the computer. */
async function driveThread(context: WorkforceContext, run: ActiveRun): Promise<void> {
  const thread = await takeThread(context, run);
  if (thread === null) return;
  const { threadId, projectId } = run.threadKey;
  const { epoch } = run.driver;
  const recording = new RunRecording(context, run);
  if (thread.runId === run.driver.runId) recording.begin(thread);
  const { status: now } = thread;
  const opening = {
    ...{ threadId, projectId, epoch, status: now },
    ...{ waitingFor: openWait(thread), recording: recordingOfRun(thread) },
  };
  if (!run.ownsThread) {
    await stopCommands(context, run, thread);
    await persist(run, () => context.threadLogs.conclude(opening, run.abandoning));
    if (isFinal(now)) await recording.conclude(now);
    return;
  }
  const log = await persist(run, () => context.threadLogs.open(opening, run.abandoning));
  if (log === undefined) {
    run.stopNow("lost");
  }
  try {
    const status = await workToEnd(context, run, log, recording, thread);
    const left =
      status === "queued" ? await persist(run, () => context.threads.findState(run.threadKey)) : null;
    const waitingFor = left === null ? undefined : openWait(left);
    await persist(run, () => context.threadLogs.end(log, status, run.abandoning, waitingFor));
    if (isFinal(status)) await recording.end(status, log.used);
  } catch (error) {
    if (run.cause === "draining") await log.flushed(AbortSignal.timeout(lastFlushMs)).catch(() => undefined);
    throw error;
  } finally {
    context.threadLogs.close(log);
  }
}

async function workToEnd(
  context: WorkforceContext,
  run: ActiveRun,
  log: ThreadLog,
  recording: RunRecording,
  thread: ThreadDocument,
): Promise<LeftStatus> {
  const place = { context, run, log, recording, progress: createProgress(context, run) };
  try {
    return await workOrFail(place, thread);
  } catch (error) {
    if (error instanceof ClaimStopped && error.stop === "cancelled") return "cancelled";
    throw error;
  } finally {
    run.ownsThread = false;
    place.progress.stop();
  }
}

async function workOrFail(place: Workplace, thread: ThreadDocument): Promise<LeftStatus> {
  try {
    return await work(place, thread);
  } catch (error) {
    if (error instanceof ClaimStopped) throw error;
    place.run.check();
    place.context.log.error({ err: error, ...place.run.threadKey }, "a run failed unexpectedly");
    return (await endBroken(place, { at: "driver" }, { dropsInbox: true })) ?? "failed";
  }
}
