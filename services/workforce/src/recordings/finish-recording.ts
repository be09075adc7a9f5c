import { Reason, rpcError } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import type { RecordingDocument, RecordingKey, StoredVideo } from "../store/recording-document.ts";
import { becomeReady, giveBack, giveBackLate, giveUp, type Move, retry, waitForSpace } from "./moves.ts";
import { isUsedUp } from "./recording-store.ts";
import { settleRecording } from "./settle-recording.ts";

const dayMs = 24 * 3_600_000;

/** How an attempt to render a recording ended. */
export type AttemptOutcome =
  | { video: StoredVideo }
  | { error: string }
  | { released: true }
  | { diskFull: true };

/** The recorder has to stop: its work no longer has any effect. */
export function recordingLost() {
  return rpcError(
    Reason.RECORDING_LOST,
    "Another recorder has this recording, or nothing more will come of it. Stop, and claim another one.",
  );
}

/** Ends an attempt. Repeating it succeeds. Throws RECORDING_LOST. */
export async function finishRecording(
  context: WorkforceContext,
  key: RecordingKey,
  epoch: number,
  outcome: AttemptOutcome,
): Promise<void> {
  const { recordings, clock } = context;
  const now = new Date(clock.now());
  const found = await recordings.find(key);
  if ("released" in outcome && found !== null && found.epoch > epoch) {
    await recordings.move(key, giveBackLate(epoch));
    return;
  }
  if (found?.epoch !== epoch) throw recordingLost();
  const changed = await recordings.move(key, moveOf(context, found, outcome, now));
  const after = changed ?? (await recordings.find(key));
  if (after === null || (changed === null && !hasEndedSo(after, epoch, outcome))) throw recordingLost();
  if (changed !== null && "released" in outcome) context.wakeUps.recordingEnded(key);
  await settleRecording(context, after);
}

function moveOf(
  { recordingFiles, timings }: Pick<WorkforceContext, "recordingFiles" | "timings">,
  recording: RecordingDocument,
  outcome: AttemptOutcome,
  now: Date,
): Move {
  const { epoch, attempts } = recording;
  if ("released" in outcome) return giveBack(epoch, now);
  if ("diskFull" in outcome) return waitForSpace(epoch, now);
  if ("error" in outcome) {
    return isUsedUp(recording)
      ? giveUp(epoch, outcome.error, now, "failed")
      : retry(epoch, outcome.error, now, timings.recordingRetryMs * 2 ** (attempts - 1));
  }
  const days = recordingFiles?.retentionDays ?? 0;
  return becomeReady(
    epoch,
    outcome.video,
    now,
    days > 0 ? new Date(now.getTime() + days * dayMs) : undefined,
  );
}

/** This very outcome was stored before. */
function hasEndedSo(
  { epoch, status, lease }: RecordingDocument,
  ended: number,
  outcome: AttemptOutcome,
): boolean {
  if (epoch !== ended) return false;
  if ("video" in outcome) return status === "ready";
  return status === "failed" || (status === "processing" && lease === null);
}
