import type { CallOptions } from "@connectrpc/connect";
import { Code, readRpcError } from "@muster/rpc";
import type { StoredAttempt } from "@muster/storage/recordings";
import type { RecorderContext } from "../context.ts";

type Removing = Pick<
  RecorderContext,
  "recordings" | "callAsPlatform" | "storage" | "retentionDays" | "clock"
>;

const dayMs = 24 * 60 * 60_000;

/** Removes the files of an attempt that no user will ever watch. Returns whether it did. */
export async function removeUnneeded(
  context: Removing,
  attempt: StoredAttempt,
  signal?: AbortSignal,
): Promise<boolean> {
  const options = context.callAsPlatform(signal && { signal });
  if (!(await isUnneeded(context, attempt, options))) return false;
  await context.storage.removeAttempt(attempt);
  return true;
}

async function isUnneeded(
  { recordings, retentionDays, clock }: Removing,
  { recordingId, epoch, storedAtMs }: StoredAttempt,
  options: CallOptions,
): Promise<boolean> {
  try {
    const { status, epoch: watched } = await recordings.getRecording({ recordingId }, options);
    if (status === "ready") return epoch !== watched;
    return status === "deleted" || status === "failed";
  } catch (error) {
    if (readRpcError(error).code !== Code.NotFound) throw error;
    // A restored or wrongly configured database knows nothing of recent recordings: they must survive that.
    return retentionDays > 0 && clock.now() - storedAtMs > retentionDays * dayMs;
  }
}
