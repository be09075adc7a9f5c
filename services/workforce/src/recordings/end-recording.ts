import type { WorkforceContext } from "../context.ts";
import { keyOfRecording, type RecordedEnd, type RecordingDocument } from "../store/recording-document.ts";
import { endRun } from "./moves.ts";

type Context = Pick<WorkforceContext, "recordings" | "wakeUps" | "clock">;

/** The run of a recording has ended: a recorder may render it. Changes nothing if that was done already. */
export async function endRecording(
  { recordings, wakeUps, clock }: Context,
  recording: Pick<RecordingDocument, "_id" | "projectId">,
  end: RecordedEnd,
): Promise<void> {
  const key = keyOfRecording(recording);
  const ended = await recordings.move(key, endRun(end, new Date(clock.now())));
  if (ended !== null) wakeUps.recordingEnded(key);
}
