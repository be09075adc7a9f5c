import type { JsonObject, JsonValue } from "@muster/protocol";
import type { Todo, ToolCallStatus } from "../conversation/conversation.ts";

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
  | { type: "text" | "reasoning"; text: string; status: "streaming" | "done" }
  | UiToolCall
  | { type: "operation"; operationId: string; name: string; operationType: string; status: OperationStatus }
  | { type: "file"; id: string; mediaType: string; url: string; filename?: string; size?: number }
  | { type: "source"; sourceType: string; id: string; url?: string; title?: string }
  | UiObject
  | { type: "todo"; todos: Todo[]; status: "running" | "done" }
  | { type: "step-start" };

/** Results that the tool's display does not show are absent, and hidden arguments are `{}`. */
export interface UiToolCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  displayName: string;
  args: JsonObject;
  result?: JsonValue;
  error?: string;
  status: ToolCallStatus;
}

export interface UiObject {
  type: "object";
  id: string;
  typeName: string;
  /** Absent until complete. */
  object?: JsonValue;
  status: "streaming" | "done" | "error";
}

type OperationStatus = "running" | "done" | "cancelled";
