import type { WorkforceContext } from "../context.ts";
import { keyOfRecording, type RecordingDocument, timelineOf } from "../store/recording-document.ts";
import { noteRecording } from "../store/thread-moves.ts";
import { settled } from "./moves.ts";

type Context = Pick<
  WorkforceContext,
  "recordings" | "recordingFiles" | "threads" | "threadEvents" | "threadLogs" | "wakeUps" | "clock"
>;

/** The files that a dead recorder may still have stored are removed again after its lease. */
const lateFilesMs = 60_000;

/**
 * Does what follows from a final status: readers of the thread learn of it, the timeline is released, and the files of a deleted
 * recording are removed. Safe to repeat at any point; the sweep repeats it until it has ended.
 */
export async function settleRecording(context: Context, recording: RecordingDocument): Promise<void> {
  const { status, lookAt } = recording;
  if (status === "recording" || status === "processing" || lookAt === undefined) return;
  const key = keyOfRecording(recording);
  if (status === "deleted") await context.recordingFiles?.storage.remove(key);
  await tellThread(context, recording, status);
  await releaseTimeline(context, recording);
  const now = new Date(context.clock.now());
  await context.recordings.move(key, settled(status, lookAt, nextLook(recording, now)));
}

async function tellThread(
  { threads, wakeUps, clock }: Context,
  { _id: id, projectId, agentId, threadId, startedAt, error }: RecordingDocument,
  status: "ready" | "failed" | "deleted",
): Promise<void> {
  const key = { projectId, agentId, threadId };
  const known = (await threads.findState(key))?.recording;
  // A deletion does not restart the time for which the events of the thread can be read.
  const endedAt = (known?.id === id && known.endedAt) || new Date(clock.now());
  const note = { id, status, startedAt, endedAt };
  const move = noteRecording({ ...note, ...(error !== undefined && { error }) });
  if ((await threads.move(key, move)) !== null) wakeUps.threadChanged(key);
}

/** The events of the thread can be read for as long as those of a run that was not recorded. */
async function releaseTimeline(
  { threadEvents, threadLogs, clock }: Context,
  recording: RecordingDocument,
): Promise<void> {
  const now = clock.now();
  const endedAtMs = recording.end?.at.getTime() ?? now;
  const untilMs = Math.max(now, endedAtMs) + threadLogs.timings.keepEndedMs;
  await threadEvents.releaseTimeline(timelineOf(recording), new Date(untilMs));
}

/** Compared with the time and not with `lookAt`: a second deletion finds the late look planned, and must not end it early. */
function nextLook({ status, keptUntil, lease }: RecordingDocument, now: Date): Date | undefined {
  if (status === "ready") return keptUntil;
  if (status !== "deleted" || lease === null) return undefined;
  const lateUntil = new Date(lease.until.getTime() + lateFilesMs);
  return lateUntil > now ? lateUntil : undefined;
}
