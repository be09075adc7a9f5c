import type { AgentDocument } from "../store/agent-document.ts";
import type { RecordingDocument } from "../store/recording-document.ts";
import { keyOfThread, type ThreadDocument } from "../store/thread-document.ts";
import type { ThreadRecording } from "../store/thread-recording.ts";
import { titleOf } from "../store/title.ts";

/** How often the sweep looks whether the run of a recording has ended unnoticed. */
export const lookAtRunsEveryMs = 60_000;

/** The document of a thread whose run is recorded now. */
export type RecordedThread = ThreadDocument & { recording: ThreadRecording & { startedAt: Date } };

/** True once its run has reached its computer, until readers know what has become of the recording. */
export function isRecorded(thread: ThreadDocument): thread is RecordedThread {
  return thread.recording?.status === "recording" && thread.recording.startedAt !== undefined;
}

/** The recording of a run that has begun. */
export function newRecording(
  thread: RecordedThread,
  { name }: Pick<AgentDocument, "name">,
): RecordingDocument {
  const { recording, config, message, title, runId } = thread;
  const { projectId, agentId, threadId } = keyOfThread(thread);
  const { id, startedAt } = recording;
  return {
    ...{ _id: id, projectId, agentId, threadId, runId: runId ?? "" },
    ...{ status: "recording", visibility: config.recordVisibility ?? "private", startedAt },
    facts: {
      agentName: name,
      task: message === null ? title : titleOf(message.text),
      ...(config.model !== undefined && { model: config.model }),
    },
    ...{ epoch: 0, attempts: 0, lease: null, lookAt: new Date(startedAt.getTime() + lookAtRunsEveryMs) },
  };
}
