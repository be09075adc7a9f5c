import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type {
  ProvenanceSchema,
  RecordingSchema,
  ThreadSchema,
  ThreadSummarySchema,
  WaitingForSchema,
} from "@muster/proto/workforce";
import {
  openWait,
  type StoredProvenance,
  shownWait,
  type ThreadDocument,
  type Waiting,
} from "../store/thread-document.ts";
import { shownRecording } from "../store/thread-recording.ts";
import type { ListedThread, ThreadState } from "../store/thread-store.ts";
import { showConfig } from "./agent-view.ts";
import type { Conversation } from "./read-thread.ts";

/** A thread as its callers see it. */
export function showThread(
  thread: ThreadDocument,
  { messagesJson, usage }: Conversation,
): MessageInitShape<typeof ThreadSchema> {
  const { failureReason, failureType, startedAt, completedAt, provenance, origin } = thread;
  const recording = showRecording(thread);
  return {
    id: thread._id,
    status: thread.status,
    ...(failureReason !== null && { failureReason }),
    ...(failureType !== null && { failureType }),
    messagesJson,
    runConfig: showConfig(thread.config),
    ...(usage && { usage }),
    ...(recording && { recording }),
    ...(startedAt && { startedAt: timestampFromDate(startedAt) }),
    ...(completedAt && { completedAt: timestampFromDate(completedAt) }),
    ...(provenance && { provenance: showProvenance(provenance) }),
    ...showWait(thread),
    ...(origin && { origin }),
  };
}

/** Changes with every change that a reader can notice. */
export function tagOf({ rev }: Pick<ThreadState, "rev">): string {
  return String(rev);
}

export function showSummary(thread: ListedThread): MessageInitShape<typeof ThreadSummarySchema> {
  const { _id: id, agentId, status, title, createdAt, completedAt } = thread;
  return {
    ...{ id, agentId },
    status,
    title,
    createdAt: timestampFromDate(createdAt),
    ...(completedAt && { completedAt: timestampFromDate(completedAt) }),
    ...showWait(thread),
  };
}

/** Empty once all decisions are made: then it only waits for its agent. */
function showWait(thread: Waiting): { waitingFor?: MessageInitShape<typeof WaitingForSchema> } {
  const waitingFor = openWait(thread);
  if (waitingFor === undefined) return {};
  return { waitingFor: { ...shownWait(waitingFor), since: timestampFromDate(waitingFor.since) } };
}

/** The edge adds the address of the video. */
function showRecording(thread: ThreadDocument): MessageInitShape<typeof RecordingSchema> | undefined {
  const shown = shownRecording(thread);
  if (shown === undefined) return undefined;
  const { id, status, error } = shown;
  const visibility = thread.config.recordVisibility ?? "private";
  return { id, status, visibility, ...(error !== undefined && { error }) };
}

function showProvenance({
  deployments,
  definition,
  computer,
}: StoredProvenance): MessageInitShape<typeof ProvenanceSchema> {
  return {
    deployments: deployments.map(({ firstSeenAt, ...deployment }) => ({
      ...deployment,
      firstSeenAt: timestampFromDate(firstSeenAt),
    })),
    ...(definition && { definition }),
    ...(computer && { computer }),
  };
}
