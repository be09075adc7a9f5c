import type { RecordedEnd } from "./recording-document.ts";
import { isFinalRecording, type RecordingStatus } from "./recording-transitions.ts";
import { type FinalStatus, isFinal, type ThreadStatus } from "./thread-transitions.ts";

/** The recording of a thread's latest run, as far as readers of the thread see it. */
export interface ThreadRecording {
  /** `rec_…` */
  id: string;
  /** Learns of `processing` and of the rest later than the recording itself: see `shownRecording`. */
  status: RecordingStatus;
  /** When the run reached its computer. Absent until then. */
  startedAt?: Date;
  /** Why the run has no video. */
  error?: string;
  /** When the status became final. Absent until then, and if it was final from the start. */
  endedAt?: Date;
}

/** How the recorded run before the latest one ended: a thread that continues has forgotten it. */
export interface EarlierRun extends Pick<RecordedEnd, "at" | "failureReason"> {
  recordingId: string;
  status: FinalStatus;
}

export interface ShownRecording {
  id: string;
  status: Exclude<RecordingStatus, "deleted">;
  error?: string;
  /** It will not change any further. */
  isFinal: boolean;
}

interface OfThread {
  status: ThreadStatus;
  recording?: ThreadRecording;
}

const neverRan = "The run never reached the computer, so there is nothing to see.";
const wasDeleted = "The recording was deleted.";

/** The part that readers see. A run that has ended decides what its recording is at the same moment. */
export function shownRecording({ status: ofThread, recording }: OfThread): ShownRecording | undefined {
  if (recording === undefined) return undefined;
  const { id, status, error } = recording;
  const isOver = isFinal(ofThread);
  if (status === "requested" && isOver) return { id, status: "unavailable", error: neverRan, isFinal: true };
  if (status === "recording" && isOver) return { id, status: "processing", isFinal: false };
  if (status === "deleted") return { id, status: "unavailable", error: wasDeleted, isFinal: true };
  return { id, status, ...(error !== undefined && { error }), isFinal: isFinalRecording(status) };
}

/** True if nothing happens until a follow-up. */
export function isOver(thread: OfThread): boolean {
  return isFinal(thread.status) && (shownRecording(thread)?.isFinal ?? true);
}

interface EndedThread extends OfThread {
  completedAt: Date | null;
  failureReason: string | null;
  earlierRun?: EarlierRun;
}

/** How the run of a recording ended. Undefined: it has not, or the thread has forgotten it. */
export function endOfRun(
  { status, recording, completedAt, failureReason, earlierRun }: EndedThread,
  recordingId: string,
): Omit<EarlierRun, "recordingId"> | undefined {
  if (earlierRun?.recordingId === recordingId) return earlierRun;
  if (recording?.id !== recordingId || !isFinal(status) || completedAt === null) return undefined;
  return { status, at: completedAt, ...(failureReason !== null && { failureReason }) };
}
