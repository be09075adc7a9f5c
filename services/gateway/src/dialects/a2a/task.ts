import type { UiMessage } from "@muster/client";
import type { Thread, ThreadSummary, WaitingFor } from "@muster/proto/workforce";
import { optionalIsoOf } from "../../schemas/iso.ts";

/** A piece of content; the member that is set says of which kind. */
export interface Part {
  text?: string;
  url?: string;
  data?: unknown;
  mediaType?: string;
  filename?: string;
}

export type TaskStatus = ReturnType<typeof statusOf>;

/** A status that a later version adds is one of a thread in progress. */
const stateOfStatus: Readonly<Record<string, string>> = {
  idle: "SUBMITTED",
  queued: "SUBMITTED",
  pending: "SUBMITTED",
  completed: "COMPLETED",
  failed: "FAILED",
  blocked: "FAILED",
  cancelled: "CANCELED",
};

export function isTerminal({ state }: TaskStatus): boolean {
  return /_(COMPLETED|FAILED|CANCELED)$/.test(state);
}

/** The client has nothing to wait for: the task has ended, or a user has to decide. */
export function isSettled(status: TaskStatus): boolean {
  return isTerminal(status) || status.state === "TASK_STATE_INPUT_REQUIRED";
}

/** A thread, or the part of one that lists and events have. */
type StatusSource = Pick<Thread, "id" | "status"> &
  Partial<Pick<Thread, "failureReason" | "startedAt" | "completedAt"> & Pick<ThreadSummary, "createdAt">> & {
    waitingFor?: (Pick<WaitingFor, "type" | "approvalIds"> & Pick<Partial<WaitingFor>, "since">) | undefined;
  };

export function statusOf(thread: StatusSource) {
  const { id, status, waitingFor, failureReason, completedAt, startedAt, createdAt } = thread;
  const isAsking = waitingFor?.type === "approval";
  const timestamp = optionalIsoOf(completedAt ?? waitingFor?.since ?? startedAt ?? createdAt);
  // No message decides: it would not say about which call, and the agent's key may not.
  const asking = `Tool calls wait for a user: ${waitingFor?.approvalIds.join(", ")}. Decide with POST /api/approvals/<ID>.`;
  const text = isAsking ? asking : failureReason;
  const waiting = isAsking ? "INPUT_REQUIRED" : "WORKING";
  const message = { messageId: `${id}-status`, contextId: id, taskId: id, role: "ROLE_AGENT" };
  return {
    state: `TASK_STATE_${waitingFor === undefined ? (stateOfStatus[status] ?? "WORKING") : waiting}`,
    ...(text !== undefined && { message: { ...message, parts: [{ text }] } }),
    ...(timestamp !== null && { timestamp }),
  };
}

/** A thread of which only the state is known. Each is a task and a context of its own. */
export function summaryTaskOf(thread: StatusSource) {
  return { id: thread.id, contextId: thread.id, status: statusOf(thread) };
}

/** The thread with its conversation. `historyLength`: how many messages, the latest ones, become its history. */
export function taskOf(thread: StatusSource, messages: readonly UiMessage[], historyLength = 0) {
  const artifacts = messages
    .filter(({ role }) => role === "assistant")
    .map((message) => ({ artifactId: message.id, parts: partsOf(message) }));
  const history = historyLength === 0 ? [] : messages.slice(-historyLength);
  return {
    ...summaryTaskOf(thread),
    artifacts: artifacts.filter(({ parts }) => parts.length > 0),
    history: history.map((message) => ({
      ...{ messageId: message.id, contextId: thread.id, taskId: thread.id },
      role: message.role === "user" ? "ROLE_USER" : "ROLE_AGENT",
      parts: partsOf(message),
    })),
  };
}

/** Reasoning, tool calls and parts of other threads are not the result. */
export function partsOf({ parts }: UiMessage): Part[] {
  return parts.flatMap((part): Part[] => {
    if (part.thread !== undefined) return [];
    if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
    if (part.type === "object") return part.object === undefined ? [] : [{ data: part.object }];
    if (part.type !== "file") return [];
    const { url, mediaType, filename } = part;
    return [{ url, mediaType, ...(filename && { filename }) }];
  });
}
