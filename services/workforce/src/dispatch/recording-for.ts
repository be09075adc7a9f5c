import { recordingsUnset } from "@muster/storage/recordings";
import type { WorkforceContext } from "../context.ts";
import type { StoredRunConfig } from "../store/run-config.ts";
import type { ThreadDocument } from "../store/thread-document.ts";
import type { EarlierRun, ThreadRecording } from "../store/thread-recording.ts";
import { isFinal } from "../store/thread-transitions.ts";

/** The recording of a run that is asked for. Undefined: it is not to be recorded. */
export function recordingFor(
  { newId, recordingFiles }: Pick<WorkforceContext, "newId" | "recordingFiles">,
  { record }: StoredRunConfig,
): ThreadRecording | undefined {
  if (!record) return undefined;
  const id = newId("rec");
  if (recordingFiles === undefined) return { id, status: "unavailable", error: recordingsUnset };
  return { id, status: "requested" };
}

/** How the recorded run of a finished thread ended, before a follow-up makes the thread forget it. */
export function runBefore({
  status,
  recording,
  completedAt,
  failureReason,
}: ThreadDocument): EarlierRun | undefined {
  if (recording === undefined || !isFinal(status) || completedAt === null) return undefined;
  return {
    ...{ recordingId: recording.id, status, at: completedAt },
    ...(failureReason !== null && { failureReason }),
  };
}
