import type { AuditEntry } from "@muster/events/audit";
import { isStoreFull } from "@muster/store";
import type { WorkforceContext } from "../context.ts";
import { keyOfRecording, type RecordingDocument } from "../store/recording-document.ts";
import type { Deletable } from "../store/recording-transitions.ts";
import { remove } from "./moves.ts";
import { settleRecording } from "./settle-recording.ts";

/**
 * The recording and everything that belongs to it goes; the rest of it records that. `from`: where it is not left
 * alone.
 */
export async function removeRecording(
  context: WorkforceContext,
  recording: RecordingDocument,
  from: readonly Deletable[],
  entry?: AuditEntry,
): Promise<void> {
  const { recordings, clock } = context;
  const key = keyOfRecording(recording);
  const removed = await recordings.move(key, remove(from, new Date(clock.now()), entry));
  const now = removed ?? (await recordings.find(key));
  if (now?.status !== "deleted") return;
  try {
    await settleRecording(context, now);
  } catch (error) {
    // The files are removed first. The sweep does the rest once the disk has space.
    if (!isStoreFull(error)) throw error;
  }
}
