import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { Display, JsonValue } from "@muster/language";

/**
 * The only record of a conversation. The messages that users see (UIMessage) and the prompt that a model reads are
 * both projections of it, so that the two can never disagree. Plain data, stored as is.
 */
export interface Conversation {
  messages: StoredMessage[];
  /**
   * The position of the first of `messages` in the whole conversation. Earlier ones were not loaded, because no model of
   * the turn reads them. Not stored. Absent: 0, all are here.
   */
  loadedFrom?: number;
  /** Session variables by name. */
  variables: Record<string, JsonValue>;
  /** Resource values by name. */
  resources: Record<string, JsonValue>;
  /**
   * The started threads, each with the id of the start-thread block that configured it last. The id suffices,
   * because a conversation is pinned to one version of its program, which never changes. Absent: none.
   */
  threads?: Record<string, string>;
  /** By thread, for those whose context is managed: how its model counts tokens. Absent: not known yet. */
  promptSizes?: Record<string, PromptSize>;
  /**
   * The workers that the program can reach, by slug, each with the version that all turns use. Absent: none was needed.
   */
  workers?: Record<string, PinnedWorker>;
  /** The namespaces of the MCP servers that a model has activated. Absent: none. */
  activeMcpServers?: string[];
  /**
   * A model has read text of others: results of MCP servers, of computers, or of searches. Stays, whatever becomes of the
   * messages. Absent: none has.
   */
  isUntrusted?: true;
  /** The random word around such text in prompts, which its writers cannot know. Absent: no prompt has needed one. */
  fence?: string;
}

export interface PinnedWorker {
  agentId: string;
  agentVersion: number;
}

/** The facts that a thread's model has taught about the size of its prompts. */
export interface PromptSize {
  /** The model that counts so. */
  modelId: string;
  /** Tokens as the provider counts them for each that was estimated. */
  ratio: number;
  /** The provider has refused longer prompts, in its own tokens. Absent: it never has. */
  window?: number;
  /** The log says that the instructions and tools leave no room for messages. Absent: they do. */
  isCrowded?: boolean;
}

/** Everything of a conversation but its messages. */
export type Memory = Omit<Conversation, "messages" | "loadedFrom">;

/** The messages of a conversation that are in memory. */
export interface Loaded extends Pick<Conversation, "loadedFrom"> {
  readonly messages: readonly StoredMessage[];
}

export interface StoredMessage {
  /** `msg_…`. */
  id: string;
  role: "user" | "assistant" | "system";
  /** `streaming` while its turn runs or waits for tools. */
  status: "streaming" | "done";
  /** ISO 8601. */
  createdAt: string;
  /** The turn that wrote it. Absent in restored messages and in the oldest stored ones. */
  executionId?: string;
  /** `main` or a named thread. */
  thread: string;
  /**
   * `model` means that users never see it: `visible: false`, hidden output, independent turns, and messages added to
   * a named thread. The output of a named thread's model is shown according to the block's display, as on `main`;
   * its parts then name the thread.
   */
  audience: "everyone" | "model";
  /** Shown instead of the text parts (`uiContent`). */
  uiText?: string;
  sender?: { id?: string; name?: string; image?: string };
  /**
   * This continues the assistant message with this id, and users see the two as one. They are stored separately because
   * something that only the model reads lies between them, or because a long turn had to be stored in pieces.
   */
  partOf?: string;
  /**
   * Models read this instead of earlier messages of the thread, and users instead of those of the main thread. Such a
   * message has no parts, and is for models only: users see the result of `summaryMessage`.
   */
  summary?: ThreadSummary;
  parts: StoredPart[];
}

/** The beginning of a thread as models read it. The messages themselves stay, for users. */
export interface ThreadSummary {
  /** The position of the first message that is not part of it. Earlier positions are final. */
  through: number;
  text: string;
  /** Instructions that handlers added as system messages, in their own words. Absent: none. */
  system?: string[];
  /** The to-do list at this point. Absent: none. */
  todos?: Todo[];
  /** The user's request of the turn whose first steps are part of it. Absent: no turn is divided. */
  request?: string;
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

/** Data that a provider expects back with a part in the next step (reasoning signatures and the like). */
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
  /** The model's provider carries it out, and knows it by this id. Absent: the platform or the caller does. */
  hosted?: { callId: string };
  args: JsonValue;
  result?: JsonValue;
  /**
   * Instead of `result`: the call returned the content of this reference of the program. Its name suffices, as for
   * threads; storing the content with every read would soon fill the conversation.
   */
  reference?: string;
  error?: string;
  /** The outcome is text of others, whatever the tool's name. */
  isForeign?: true;
  /** The thread's setting when the call was made: users see of its outcome what models read. Absent: all of it. */
  maxToolOutputTokens?: number;
  /** The caller restored the call, which had succeeded, without its result: users had not been shown it. */
  restored?: true;
  /** The caller sent them with the result. */
  files?: FileRef[];
  status: ToolCallStatus;
  /** The decision that the call waits for, or has. Absent: it needs none. */
  approval?: CallApproval;
  /** The call runs the worker whose slug is `toolName`. */
  worker?: WorkerCall;
}

export interface CallApproval {
  /** `apr_…`. */
  id: string;
  status: "pending" | "approved" | "denied" | "expired" | "cancelled";
  /** ISO 8601. Absent: no user has decided. */
  decidedAt?: string;
  /** The words of the user who decided. */
  message?: string;
}

/** A worker as users see it; the rest that it needs while it runs is in the frame. */
export interface WorkerCall {
  workerId: string;
  /** A restored card that was that of a worker's own worker. */
  parentWorkerId?: string;
  /** `args` are complete. */
  hasInput?: true;
  /** Its own conversation. Once it has ended, only the part that users see. */
  messages: StoredMessage[];
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

/** The name that the caller gave it. Its content is read when a model is called, and never stored here. */
export interface FileRef {
  id: string;
  mediaType: string;
  url: string;
  filename?: string;
  /** Bytes. */
  size?: number;
}

export interface FilePart extends FileRef {
  type: "file";
  /** Shows a file of this call, with which models read it. */
  toolCallId?: string;
  /** Users see it, and no model is sent it. */
  shownOnly?: true;
}

export interface OperationPart {
  type: "operation";
  operationId: string;
  name: string;
  operationType: string;
  status: "running" | "done" | "cancelled";
  /** Decides whether users see it. */
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
 * The to-do list as the model last wrote it in this message. The latest one of a thread is its list, so that rolling
 * back or restoring messages brings back the right one.
 */
export interface TodoPart {
  type: "todo";
  todos: Todo[];
  /** `running` until the turn ends. */
  status: "running" | "done";
  /** The caller restored it: no model call in these messages wrote it. */
  restored?: true;
}

export interface Todo {
  id: string;
  content: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** Separates the steps of one message. */
export interface StepStartPart {
  type: "step-start";
  /** The caller restored it, and users see it where it was. Absent: they see it right before the next output. */
  restored?: true;
}
