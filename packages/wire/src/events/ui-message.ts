import type { JsonObject, JsonValue } from "@muster/language";

/** A message as users and their clients see it. */
export interface UiMessage {
  id: string;
  role: "user" | "assistant";
  parts: UiPart[];
  status: "done" | "streaming";
  /** ISO 8601. */
  createdAt: string;
  /** The author of a user message, if the trigger named one. */
  sender?: { id?: string; name?: string; image?: string };
  /** It replaces the older turns, which became part of a summary. */
  summary?: true;
  /** Its text parts joined. Only in the full view. */
  content?: string;
  /** Whether clients show it. Only in the full view. */
  visible?: boolean;
}

/**
 * `thread` is set if the part belongs to a named thread instead of the main chat, `visible` (always true, since
 * hidden parts are omitted) in the full view.
 */
export type UiPart = UiContent & { thread?: string; visible?: boolean };

type UiContent =
  | UiText
  | UiToolCall
  | UiOperation
  | { type: "file"; id: string; mediaType: string; url: string; filename?: string; size?: number }
  | { type: "source"; sourceType: string; id: string; url?: string; title?: string }
  | UiObject
  | UiTodoList
  | UiWorker
  | { type: "step-start" };

export interface UiText {
  type: "text" | "reasoning";
  text: string;
  status: "streaming" | "done";
}

/** Results that the tool's display does not show are absent, and hidden arguments are `{}`. */
export interface UiToolCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  displayName: string;
  args: JsonObject;
  result?: JsonValue;
  error?: string;
  approval?: UiApproval;
  status: "pending" | "running" | "done" | "error" | "cancelled";
}

/** The decision that a call waits for, or waited for. */
export interface UiApproval {
  id: string;
  status: "pending" | "approved" | "denied" | "expired" | "cancelled";
  /** ISO 8601. Absent: no user has decided. */
  decidedAt?: string;
  /** The words of the user who decided. */
  message?: string;
}

/** A block that users see without its content. */
export interface UiOperation {
  type: "operation";
  operationId: string;
  name: string;
  operationType: string;
  status: "running" | "done" | "cancelled";
}

export interface UiObject {
  type: "object";
  id: string;
  typeName: string;
  /** Absent until complete. */
  object?: JsonValue;
  /** The readable part of an incomplete object. */
  partial?: JsonValue;
  status: "streaming" | "done" | "error";
}

export interface UiTodoList {
  type: "todo";
  todos: UiTodo[];
  /** `running` until the turn ends. */
  status: "running" | "done";
}

export interface UiTodo {
  id: string;
  content: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** The card of a worker. Its parts never contain another one. */
export interface UiWorker {
  type: "worker";
  workerId: string;
  workerSlug: string;
  description?: string;
  /** The worker that called it. Absent: the turn itself did. */
  parentWorkerId?: string;
  input?: JsonObject;
  parts: UiPart[];
  output?: JsonValue;
  error?: string;
  approval?: UiApproval;
  status: "running" | "done" | "error" | "cancelled";
}
