import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Display, JsonValue } from "@muster/protocol";

/**
 * The one record of a conversation. What a person sees (UIMessage) and what a model reads (prompt) are both
 * projections of it, so that the two can never disagree. Plain data: it is stored as it is.
 */
export interface Conversation {
  messages: StoredMessage[];
  /** Session variables by name. */
  variables: Record<string, JsonValue>;
  /** Resource values by name. */
  resources: Record<string, JsonValue>;
  /**
   * The threads that were started, each with the id of the start-thread block that configured it last. An id is
   * enough: a conversation is pinned to one version of its program, which never changes. Absent: none.
   */
  threads?: Record<string, string>;
}

export interface StoredMessage {
  /** `msg_…`. */
  id: string;
  role: "user" | "assistant" | "system";
  /** `streaming` while its turn runs or waits for tools. */
  status: "streaming" | "done";
  /** ISO 8601. */
  createdAt: string;
  /** The turn that wrote it. Absent in restored messages, and in those from before turns were told apart. */
  executionId?: string;
  /** `main` unless a named thread is meant. */
  thread: string;
  /**
   * `model` means that people never see it: `visible: false`, hidden answers, independent turns, and what is added
   * to a named thread. What the model of a named thread answers is shown by the block's display, as on `main`;
   * the parts then say which thread they belong to.
   */
  audience: "everyone" | "model";
  /** Shown in place of the text parts (`uiContent`). */
  uiText?: string;
  sender?: { id?: string; name?: string; image?: string };
  /**
   * People see this as the continuation of the assistant message with this id. The two are stored apart because
   * something that only the model reads stands between them.
   */
  partOf?: string;
  parts: StoredPart[];
}

export type StoredPart =
  | TextPart
  | ReasoningPart
  | ToolCallPart
  | ObjectPart
  | FilePart
  | OperationPart
  | SourcePart
  | TodoPart
  | StepStartPart;

/** What a provider wants back with a part on the next step (reasoning signatures and the like). */
interface FromProvider {
  providerMetadata?: SharedV4ProviderMetadata;
}

export interface TextPart extends FromProvider {
  type: "text";
  text: string;
  status: "streaming" | "done";
}

export interface ReasoningPart extends FromProvider {
  type: "reasoning";
  text: string;
  status: "streaming" | "done";
}

export interface ToolCallPart extends FromProvider {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  title?: string;
  display: Display;
  /** Made by the model, or by a tool-call block. */
  source: "llm" | "block";
  args: JsonValue;
  result?: JsonValue;
  /**
   * In place of `result`: the call gave the content of this reference of the program. A name is enough, as for
   * threads; the content, stored with every reading, would soon take all the room that a conversation has.
   */
  reference?: string;
  error?: string;
  status: ToolCallStatus;
}

export type ToolCallStatus = "pending" | "running" | "done" | "error" | "cancelled";

export interface ObjectPart extends FromProvider {
  type: "object";
  id: string;
  typeName: string;
  /** Absent until complete. */
  object?: JsonValue;
  /** The text that the model wrote. */
  text: string;
  status: "streaming" | "done" | "error";
}

export interface FilePart {
  type: "file";
  id: string;
  mediaType: string;
  url: string;
  filename?: string;
  size?: number;
}

export interface OperationPart {
  type: "operation";
  operationId: string;
  name: string;
  operationType: string;
  status: "running" | "done" | "cancelled";
  /** Decides whether people see it. */
  display: Display;
}

export interface SourcePart {
  type: "source";
  sourceType: string;
  id: string;
  url?: string;
  title?: string;
}

/**
 * The list of what is to do, as the model wrote it last in this message. The latest one of a thread is the list:
 * rolling back or restoring messages brings the right one back.
 */
export interface TodoPart {
  type: "todo";
  todos: Todo[];
  /** `running` until the turn is over. */
  status: "running" | "done";
  /** The caller brought it back: no call of the model in these messages wrote it. */
  restored?: true;
}

export interface Todo {
  id: string;
  content: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** Stands between the steps of one message. */
export interface StepStartPart {
  type: "step-start";
}
