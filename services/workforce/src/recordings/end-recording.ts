import type { WorkforceContext } from "../context.ts";
import { endRun } from "./moves.ts";
import {
  keyOfRecording,
  type RecordedEnd,
  type RecordingDocument,
  type UsedSoFar,
} from "./recording-document.ts";

type Context = Pick<WorkforceContext, "recordings" | "wakeUps" | "clock">;

/** The run of a recording has ended: a recorder may render it. Changes nothing if that was done already. */
export async function endRecording(
  { recordings, wakeUps, clock }: Context,
  recording: Pick<RecordingDocument, "_id" | "projectId" | "agentId" | "threadId">,
  { used, ...end }: Omit<RecordedEnd, "usage">,
): Promise<void> {
  const usage = used && (await usedSince({ recordings }, recording, used));
  const ended = { ...end, ...(used && { used }), ...(usage && { usage }) };
  const key = keyOfRecording(recording);
  if ((await recordings.move(key, endRun(ended, new Date(clock.now())))) !== null)
    wakeUps.recordingEnded(key);
}

/** A thread's earlier runs are recorded if this one is. */
async function usedSince(
  { recordings }: Pick<Context, "recordings">,
  {
    _id,
    projectId,
    agentId,
    threadId,
  }: Pick<RecordingDocument, "_id" | "projectId" | "agentId" | "threadId">,
  used: UsedSoFar,
): Promise<UsedSoFar> {
  const [earlier] = await recordings.ofThread({ projectId, agentId, threadId }, 1, _id);
  const before = earlier?.end?.used ?? { cost: 0, inputTokens: 0, outputTokens: 0 };
  return {
    cost: Math.max(0, used.cost - before.cost),
    inputTokens: Math.max(0, used.inputTokens - before.inputTokens),
    outputTokens: Math.max(0, used.outputTokens - before.outputTokens),
  };
}
