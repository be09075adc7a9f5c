import type { WorkforceContext } from "../context.ts";
import {
  keyOfRecording,
  type RecordedEnd,
  type RecordingDocument,
  timelineOf,
} from "../store/recording-document.ts";
import { endOfRun } from "../store/thread-recording.ts";
import { lookAtRunsEveryMs } from "./begin-recording.ts";
import { endRecording } from "./end-recording.ts";
import { giveUp, settled } from "./moves.ts";
import { isUsedUp } from "./recording-store.ts";
import { removeRecording } from "./remove-recording.ts";
import { settleRecording } from "./settle-recording.ts";

const batchSize = 50;
/** When one that could not be looked after is tried again. */
const lookAfterFailureMs = 60_000;
/** The interval between two announcements of a recording that no recorder claims. The time grows with its age. */
const announceEveryMs = { first: 10_000, last: 600_000 };

const recorderDied = "The recording could not be rendered: its recorder stopped unexpectedly, five times.";
const endUnknown = "How the run ended is no longer known.";

/**
 * Completes what no event, request or process has completed: recordings whose run has ended unnoticed, that no recorder
 * has claimed, whose recorders have died, and whose retention has ended.
 */
export async function sweepRecordings(context: WorkforceContext): Promise<void> {
  const { recordings, clock, log } = context;
  for (const recording of await recordings.toLookAt(new Date(clock.now()), batchSize)) {
    try {
      await sweepOne(context, recording);
    } catch (error) {
      log.warn({ err: error, recordingId: recording._id }, "a recording could not be looked after");
      await lookLater(context, recording);
    }
  }
}

/** Those that fail, such as while the storage is away, must not keep all others from being checked. */
async function lookLater(
  { recordings, clock, log }: WorkforceContext,
  recording: RecordingDocument,
): Promise<void> {
  const { _id: recordingId, status, lookAt } = recording;
  if (lookAt === undefined) return;
  const again = new Date(clock.now() + lookAfterFailureMs);
  await recordings.move(keyOfRecording(recording), settled(status, lookAt, again)).catch((error: unknown) => {
    log.warn({ err: error, recordingId }, "a recording could not be put off");
  });
}

async function sweepOne(context: WorkforceContext, recording: RecordingDocument): Promise<void> {
  switch (recording.status) {
    case "recording":
      return await lookAtRun(context, recording);
    case "processing":
      return await lookForRecorder(context, recording);
    case "ready":
      if (isOutdated(context, recording)) return await removeRecording(context, recording, ["ready"]);
      return await settleRecording(context, recording);
    case "failed":
    case "deleted":
      return await settleRecording(context, recording);
  }
}

function isOutdated({ clock }: WorkforceContext, { keptUntil }: RecordingDocument): boolean {
  return keptUntil !== undefined && keptUntil.getTime() <= clock.now();
}

/** The process that ends a run ends its recording before it frees the agent. So does one that takes the run over. */
async function lookAtRun(context: WorkforceContext, recording: RecordingDocument): Promise<void> {
  const { agents, threads, recordings, clock } = context;
  const { projectId, agentId, threadId, runId, lookAt } = recording;
  const thread = await threads.find({ projectId, agentId, threadId });
  const { current } = (await agents.findAny({ projectId, agentId })) ?? {};
  // A process that took the run over after its end may have found a follow-up, and runs that.
  const wasLeft = thread?.runId === runId && thread.recording?.id !== recording._id;
  // A run that waits for decisions continues, although no process has it.
  const isWaiting = thread?.status === "queued" && thread.waitingFor !== undefined;
  const isKept = isWaiting && thread.recording?.id === recording._id;
  if (isKept || (current?.runId === runId && current.threadId === threadId && !wasLeft)) {
    const again = new Date(clock.now() + lookAtRunsEveryMs);
    if (lookAt) await recordings.move(keyOfRecording(recording), settled("recording", lookAt, again));
    return;
  }
  if (thread === null) return await removeRecording(context, recording, ["recording"]);
  const usage = await context.threadEvents.usedIn(timelineOf(recording));
  const end: RecordedEnd = endOfRun(thread, recording._id) ?? {
    ...{ at: new Date(clock.now()), status: "failed", failureReason: endUnknown },
  };
  await endRecording(context, recording, { ...end, ...(usage && { usage }) });
}

async function lookForRecorder(context: WorkforceContext, recording: RecordingDocument): Promise<void> {
  const { recordings, wakeUps, clock } = context;
  const key = keyOfRecording(recording);
  const now = new Date(clock.now());
  const isWaiting = recording.claimableAt !== undefined && recording.claimableAt <= now;
  if (isWaiting && isUsedUp(recording)) {
    const given = await recordings.move(
      key,
      giveUp(recording.epoch, recording.error ?? recorderDied, now, "died"),
    );
    if (given !== null) await settleRecording(context, given);
    return;
  }
  if (isWaiting) wakeUps.recordingEnded(key);
  const { lookAt, end } = recording;
  if (lookAt === undefined) return;
  await recordings.move(key, settled("processing", lookAt, nextAnnouncement(now, end?.at ?? now)));
}

function nextAnnouncement(now: Date, endedAt: Date): Date {
  const { first, last } = announceEveryMs;
  const ageMs = now.getTime() - endedAt.getTime();
  return new Date(now.getTime() + Math.min(Math.max(first, ageMs / 10), last));
}
