import type { WorkforceContext } from "../context.ts";
import type { ThreadKey } from "../store/thread-document.ts";
import { removeRecording } from "./remove-recording.ts";

const batchSize = 50;
const runIsOver = ["processing", "ready", "failed"] as const;
const anyTime = ["recording", ...runIsOver] as const;

/** Removes the recordings of a thread, except that of a run in progress. `ofRunning`: that one, too. */
export async function deleteRecordings(
  context: WorkforceContext,
  key: ThreadKey,
  { ofRunning = false } = {},
): Promise<void> {
  for (let before: string | undefined; ; ) {
    const page = await context.recordings.ofThread(key, batchSize, before);
    for (const recording of page) await removeRecording(context, recording, ofRunning ? anyTime : runIsOver);
    before = page.at(-1)?._id;
    if (page.length < batchSize) return;
  }
}
