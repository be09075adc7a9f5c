import type { NoticeFields } from "@muster/events";
import type { MessageTrigger } from "@muster/language";
import type { ComputerKind, ComputerOs } from "./agent-document.ts";
import type { StoredRunConfig } from "./run-config.ts";
import type { EarlierRun, ThreadRecording } from "./thread-recording.ts";
import type { ThreadStatus } from "./thread-transitions.ts";

/** One conversation with an agent. `threads/moves.ts` lists every change of its status. */
export interface ThreadDocument extends NoticeFields {
  /** `thr_…`, sortable by creation time. */
  _id: string;
  agentId: string;
  projectId: string;
  /** `ses_…`: the hidden session of its conversation. */
  sessionId: string;
  status: ThreadStatus;
  /** False until the agent's queue has taken the new thread: it does not exist for readers yet. */
  accepted: boolean;
  /** A message that reopens the thread, until the agent's queue has taken it. The thread still has its final status. */
  offer: Offer | null;
  /** Since when `accepted` is false or there is an offer: the completer finishes what its process did not. Absent otherwise. */
  openSince?: Date;
  /** While `accepted` is false: the request wants an idle agent. */
  ifIdle?: boolean;
  /** The first words of the first message. */
  title: string;
  /** The settings that its runs use: the request's over the agent's over the definition's. */
  config: StoredRunConfig;
  /** The version of the definition that its session is pinned to. */
  definitionVersion: number;
  /** The trigger of that version. Absent: an earlier release started the thread, and the agent has had the same ever since. */
  trigger?: MessageTrigger;
  /** The run that has the thread. Null while it waits for one. Kept when it has ended. */
  runId: string | null;
  /** The agent's epoch under which the run was last taken. Every write of a driver names it. */
  epoch: number;
  /** How many turns its session was given. */
  turn: number;
  /** The message of the latest turn. Null before the first. */
  message: StoredMessage | null;
  /** Messages from before the first turn that will never have one, for readers only. Absent: none. */
  neverRan?: StoredMessage[];
  /** Accepted messages that wait for their turn, in order. */
  inbox: StoredMessage[];
  /** The idempotency key of the request that started it, unique among the agent's. Absent without one. */
  idem?: { key: string; hash: string };
  /** Those of its follow-ups, as `followUpEntry` writes them. */
  followUpKeys: string[];
  /** Rises with every write that a reader can notice. */
  rev: number;
  /** Users' and assistant's messages so far; rises with each. What `?wait=` waits for, beside the status. */
  messageCount: number;
  failureReason: string | null;
  failureType: FailureType | null;
  /** When the first run reached its computer. */
  startedAt: Date | null;
  /** When the latest run ended. Null while there is work. */
  completedAt: Date | null;
  /** True once the conversation is too large: it takes no more messages. */
  closed: boolean;
  provenance: StoredProvenance | null;
  /** The latest call to the session. Null before the first turn, and once the run has ended. */
  request: StoredRequest | null;
  /** The decisions that its run waits for, until it continues; once it was cancelled, until its turn has ended. Absent: none. */
  waitingFor?: StoredWait;
  /** The latest one that was cancelled: its commands may still run on a computer that dials in. */
  cancelledRequest?: StoredRequest;
  /** The paths that were chosen for the files of the message whose turn begins next. Absent without files. */
  placing?: { messageId: string; paths: string[] };
  /** How many processes have taken the run over since its last step. */
  takeOvers: number;
  /** The recording of the latest run. Absent: it is not recorded. */
  recording?: ThreadRecording;
  /** The recorded run before it. Absent: there is none. */
  earlierRun?: EarlierRun;
  /** The URL that learns of its changes. Absent: none. */
  callbackUrl?: string;
  /** The schedule or hook that started it. Absent: a client did. */
  origin?: ThreadOrigin;
  createdAt: Date;
}

/** The cause of a thread that no client has started. It may not exist any longer. */
export interface ThreadOrigin {
  kind: "schedule" | "hook";
  id: string;
}

/** A message of the thread's caller. */
export interface StoredMessage {
  /** `msg_…`: sent to the session as the id of the sender, which becomes that of the message in the conversation. */
  id: string;
  text: string;
  files: StoredFile[];
  /** Where they are on the computer, in their order. Absent until its turn begins, and without files. */
  paths?: string[];
  /** The key that sent it: its turn counts for the limits of the key. Absent: the platform sent it, or an earlier release stored it. */
  keyId?: string;
  /** Others than the users of the platform have written parts of it. Absent: they have not. */
  isForeign?: true;
  at: Date;
}

export interface StoredFile {
  id: string;
  mediaType: string;
  url: string;
  filename?: string;
  size?: number;
}

export interface Offer {
  message: StoredMessage;
  /** See `followUpKeys`. Absent without an idempotency key. */
  entry?: string;
  /** The recording of the run that the message begins. Absent: it is not recorded. */
  recording?: ThreadRecording;
  /** The run that has ended. Absent: it was not recorded. */
  earlierRun?: EarlierRun;
}

/**
 * A call to the session, stored before it is sent. A process that takes the run over sends it again: the session then
 * continues the same run instead of beginning another.
 */
export interface StoredRequest {
  /** `<run>:<turn>:<step>` */
  id: string;
  /** The tool calls whose results it carries, in order. None: it carries the turn's message, unless it has `executionId`. */
  calls: StoredCall[];
  /** `exe_…`: it continues this turn, which asked users to decide about calls. */
  executionId?: string;
  /** `Computer.connection` before the first of them was sent. */
  connection?: number;
}

/** A call whose service has accepted it and will answer. */
export interface OpenCall {
  /** `call_…`. */
  callId: string;
  toolCallId: string;
}

/** Users have to decide about calls of a turn, or services have to answer them. */
export interface StoredWait {
  since: Date;
  /** `apr_…`. */
  approvalIds: string[];
  /** Absent: none. */
  openCalls?: OpenCall[];
  /** When an instance checks whether the run has to continue, or its turn to end. */
  lookAt: Date;
  /** All of them are decided or answered: the thread waits for its agent only. */
  isDecided?: true;
}

export type Waiting = Pick<ThreadDocument, "status" | "waitingFor">;

/** The open decisions and calls of a thread. */
export function openWait({ status, waitingFor }: Waiting): StoredWait | undefined {
  return status === "queued" && !waitingFor?.isDecided ? waitingFor : undefined;
}

/** Callers see it so, with the time. */
export function shownWait({ approvalIds, openCalls = [] }: StoredWait) {
  return {
    type: approvalIds.length > 0 ? "approval" : "tool",
    ...(approvalIds.length > 0 && { approvalIds }),
    ...(openCalls.length > 0 && { toolCallIds: openCalls.map(({ toolCallId }) => toolCallId) }),
  };
}

/** A tool call of the model. It is stored before it is sent to the computer. */
export interface StoredCall {
  toolCallId: string;
  /** The tool's. */
  name: string;
  /** JSON. */
  args: string;
}

export const failureTypes = [
  "computer_unreachable",
  "network",
  "transport",
  "platform",
  "provider",
  "timeout",
  "billing",
  "limit",
  "session_too_large",
  "unknown",
] as const;
export type FailureType = (typeof failureTypes)[number];

export interface Failure {
  type: FailureType;
  /** A sentence for the user. */
  reason: string;
}

export interface StoredProvenance {
  /** Oldest first. */
  deployments: Array<{ deploymentId: string; commitSha: string; firstSeenAt: Date }>;
  definition: { slug: string; version: number } | null;
  computer: {
    kind: ComputerKind;
    os: ComputerOs;
    runtimeVersion: string;
    imageVersion?: string;
    region?: string;
  } | null;
}

/** Identifies a thread of an agent in a project. */
export interface ThreadKey {
  projectId: string;
  agentId: string;
  threadId: string;
}

export function keyOfThread({
  _id: threadId,
  projectId,
  agentId,
}: Pick<ThreadDocument, "_id" | "projectId" | "agentId">): ThreadKey {
  return { projectId, agentId, threadId };
}
