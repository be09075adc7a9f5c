import type { NoticeFields } from "@muster/events";
import type { AuditFields } from "@muster/events/audit";
import type { RecordingStatus } from "./recording-transitions.ts";
import type { RecordVisibility } from "./run-config.ts";
import type { FinalStatus } from "./thread-transitions.ts";

/** The recording of one run. `moves.ts` lists every change of it. */
export interface RecordingDocument extends NoticeFields, AuditFields {
  /** `rec_…` */
  _id: string;
  projectId: string;
  agentId: string;
  threadId: string;
  /** The run that is recorded. */
  runId: string;
  status: Exclude<RecordingStatus, "requested" | "unavailable">;
  visibility: RecordVisibility;
  /** When the run reached its computer: the zero of the timeline. */
  startedAt: Date;
  facts: RecordedFacts;
  /** Absent until the run has ended. */
  end?: RecordedEnd;
  /** Rises with each claim. Writers with a lower one are refused. */
  epoch: number;
  /** How many claims count against the limit: all but those of a full disk, and of the first 50 those that were given back. */
  attempts: number;
  /** Epochs of claims that were given back, before or after another recorder had the recording. Absent: none. */
  givenBack?: number[];
  /** Who renders it. Null: no recorder. */
  lease: { recorder: string; until: Date } | null;
  /** While it is `processing`: when a recorder may claim it. Recorders find it by this. Absent otherwise. */
  claimableAt?: Date;
  /** When the sweep has to read it. Absent: never. */
  lookAt?: Date;
  /** Why the latest attempt failed. Absent unless one has. */
  error?: string;
  /** Absent unless ready. */
  video?: StoredVideo;
  /** When it became ready. Absent unless ready. */
  readyAt?: Date;
  /** When its retention ends. Absent: never, or it is not ready. */
  keptUntil?: Date;
}

/** The facts known when the run begins. */
export interface RecordedFacts {
  agentName: string;
  /** The first words of the message that began the run. */
  task: string;
  /** `provider/model-id`. Absent if unknown. */
  model?: string;
}

/** The facts known when the run has ended. */
export interface RecordedEnd {
  at: Date;
  status: FinalStatus;
  /** Absent unless failed or blocked. */
  failureReason?: string;
  /** The usage of the run. Absent if nothing. */
  usage?: UsedSoFar;
}

export interface UsedSoFar {
  /** Dollars with the platform's fee. */
  cost: number;
  inputTokens: number;
  outputTokens: number;
}

export interface StoredVideo {
  durationMs: number;
  sizeBytes: number;
  width: number;
  height: number;
}

export interface RecordingKey {
  projectId: string;
  recordingId: string;
}

/** Where the events of the recorded run are found. */
export function timelineOf({
  _id: recordingId,
  projectId,
  threadId,
}: Pick<RecordingDocument, "_id" | "projectId" | "threadId">): RecordingKey & { threadId: string } {
  return { projectId, threadId, recordingId };
}

export function keyOfRecording({
  _id: recordingId,
  projectId,
}: Pick<RecordingDocument, "_id" | "projectId">): RecordingKey {
  return { projectId, recordingId };
}
