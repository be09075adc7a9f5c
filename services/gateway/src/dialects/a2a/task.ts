import type { WaitingFor } from "@muster/proto/workforce";
import { optionalIsoOf } from "../../schemas/iso.ts";

/** The fields that are read of a message and its parts, as the workforce service sends them. */
export interface UiMessage {
  id: string;
  role: "user" | "assistant";
  status: "done" | "streaming";
  parts: ReadonlyArray<
    { type: string; thread?: string; text?: string; object?: unknown } & Partial<FileFields>
  >;
}

interface FileFields {
  url: string;
  mediaType: string;
  filename?: string | undefined;
}

export type TaskState = `TASK_STATE_${
  | "SUBMITTED"
  | "WORKING"
  | "INPUT_REQUIRED"
  | "COMPLETED"
  | "FAILED"
  | "CANCELED"}`;

/** A piece of content; the member that is set says of which kind. */
export interface Part {
  text?: string;
  url?: string;
  data?: unknown;
  mediaType?: string;
  filename?: string;
}

interface Message {
  messageId: string;
  contextId: string;
  taskId: string;
  role: "ROLE_USER" | "ROLE_AGENT";
  parts: Part[];
}

export interface TaskStatus {
  state: TaskState;
  message?: Message;
  timestamp?: string;
}

export interface Artifact {
  artifactId: string;
  parts: Part[];
}

/** A thread in the words of A2A. Each thread is a context of its own. */
export interface Task {
  id: string;
  contextId: string;
  status: TaskStatus;
  artifacts?: Artifact[];
  history?: Message[];
}

const stateOfStatus: Readonly<Record<string, TaskState>> = {
  idle: "TASK_STATE_SUBMITTED",
  queued: "TASK_STATE_SUBMITTED",
  pending: "TASK_STATE_SUBMITTED",
  running: "TASK_STATE_WORKING",
  completed: "TASK_STATE_COMPLETED",
  failed: "TASK_STATE_FAILED",
  blocked: "TASK_STATE_FAILED",
  cancelled: "TASK_STATE_CANCELED",
};

const terminal: readonly TaskState[] = ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED"];

export function isTerminal({ state }: TaskStatus): boolean {
  return terminal.includes(state);
}

/** The client has nothing to wait for: the task has ended, or a user has to decide. */
export function isSettled(status: TaskStatus): boolean {
  return isTerminal(status) || status.state === "TASK_STATE_INPUT_REQUIRED";
}

/** A thread, or the part of one that lists and events have. */
interface StatusSource {
  id: string;
  status: string;
  failureReason?: string | undefined;
  waitingFor?: Pick<WaitingFor, "type" | "since" | "approvalIds"> | undefined;
  startedAt?: WaitingFor["since"];
  createdAt?: WaitingFor["since"];
  completedAt?: WaitingFor["since"];
}

export function statusOf(thread: StatusSource): TaskStatus {
  const { id, status, waitingFor, failureReason } = thread;
  const isAsking = waitingFor?.type === "approval";
  const timestamp = optionalIsoOf(
    thread.completedAt ?? waitingFor?.since ?? thread.startedAt ?? thread.createdAt,
  );
  const text = isAsking ? askingText(waitingFor.approvalIds) : failureReason;
  const waiting = isAsking ? "TASK_STATE_INPUT_REQUIRED" : "TASK_STATE_WORKING";
  return {
    // A status that a later version adds is one of a thread in progress.
    state: waitingFor === undefined ? (stateOfStatus[status] ?? "TASK_STATE_WORKING") : waiting,
    ...(text !== undefined && {
      message: {
        ...{ messageId: `${id}-status`, contextId: id, taskId: id, role: "ROLE_AGENT" },
        parts: [{ text }],
      },
    }),
    ...(timestamp !== null && { timestamp }),
  };
}

/** No message decides: it would not say about which call, and the agent's key may not. */
function askingText(approvalIds: readonly string[]): string {
  return `Tool calls wait for the decision of a user: ${approvalIds.join(", ")}. Decide with POST /api/approvals/<ID>.`;
}

/** The thread with its conversation. `historyLength`: how many messages, the latest ones, become its history. */
export function taskOf(thread: StatusSource, messages: readonly UiMessage[], historyLength = 0): Task {
  const { id } = thread;
  const artifacts = messages.filter(({ role }) => role === "assistant").map(artifactOf);
  const history = historyLength === 0 ? [] : messages.slice(-historyLength);
  return {
    ...summaryTaskOf(thread),
    artifacts: artifacts.filter(({ parts }) => parts.length > 0),
    history: history.map((message) => ({
      ...{ messageId: message.id, contextId: id, taskId: id },
      role: message.role === "user" ? "ROLE_USER" : "ROLE_AGENT",
      parts: partsOf(message),
    })),
  };
}

/** A thread of which only the state is known. */
export function summaryTaskOf(thread: StatusSource): Task {
  return { id: thread.id, contextId: thread.id, status: statusOf(thread) };
}

function artifactOf(message: UiMessage): Artifact {
  return { artifactId: message.id, parts: partsOf(message) };
}

/** Reasoning, tool calls and what belongs to other threads is not the result. */
function partsOf({ parts }: UiMessage): Part[] {
  return parts.flatMap(({ type, thread, text, object, url, mediaType, filename }): Part[] => {
    if (thread !== undefined) return [];
    if (type === "text") return text ? [{ text }] : [];
    if (type === "object") return object === undefined ? [] : [{ data: object }];
    return type === "file" && url && mediaType ? [filePartOf({ url, mediaType, filename })] : [];
  });
}

export function filePartOf({ url, mediaType, filename }: FileFields): Part {
  return { url, mediaType, ...(filename && { filename }) };
}
