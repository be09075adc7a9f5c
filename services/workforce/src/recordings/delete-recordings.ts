import type { HandlerContext } from "@muster/rpc";
import type { WorkforceContext } from "../context.ts";
import type { ThreadKey } from "../store/thread-document.ts";
import { removeRecording } from "./remove-recording.ts";

const batchSize = 50;
const runIsOver = ["processing", "ready", "failed"] as const;
const anyTime = ["recording", ...runIsOver] as const;

interface Deletion {
  /** The recording of a run in progress is deleted, too. */
  ofRunning?: boolean;
  /** The request of a user. Absent: it is part of another deletion. */
  call?: HandlerContext;
}

/** Removes the recordings of a thread, except that of a run in progress. */
export async function deleteRecordings(
  context: WorkforceContext,
  key: ThreadKey,
  { ofRunning = false, call }: Deletion = {},
): Promise<void> {
  for (let before: string | undefined; ; ) {
    const page = await context.recordings.ofThread(key, batchSize, before);
    for (const recording of page) {
      const change = { projectId: key.projectId, target: recording._id };
      const entry = call && context.auditEntry(call, "recording.delete", change);
      await removeRecording(context, recording, ofRunning ? anyTime : runIsOver, entry);
    }
    before = page.at(-1)?._id;
    if (page.length < batchSize) return;
  }
}
