// Printed from the schemas of the server by `npm run generate`. Change those instead.

/** The first event of every stream. */
export interface StartEvent {
  type: "start";
  /** The id of the assistant message that the turn writes. */
  messageId: string;
  /** The id of the execution, for a continuation. */
  executionId: string;
  /** The last message before this turn, for a rollback to it. */
  lastMessageId?: string;
  /** The session, if this request created it. */
  sessionId?: string;
}

/** The turn has ended, or waits for tool results, for decisions or for services. */
export interface FinishEvent {
  type: "finish";
  /** Why the turn ended. `tool-calls`: it continues once the caller sends the results. */
  finishReason: "stop" | "tool-calls" | "client-tool-calls" | "length" | "content-filter" | "error" | "other";
  /** The execution to continue. */
  executionId?: string;
  /** The calls that wait, including hidden ones. */
  approvals?: Array<RequestedApproval>;
  /** The calls whose results services will send, including hidden ones. */
  openCalls?: Array<OpenToolCall>;
}

/** A tool call that waits for a user's decision. */
export interface RequestedApproval {
  /** The id to decide it by. */
  approvalId: string;
  /** The id of the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The arguments, an object; empty if the call's display hides them. */
  args: unknown;
  /** The call in the words of the definition. */
  title?: string;
  /** When it can no longer be decided, in ISO 8601. */
  expiresAt: string;
}

/** A tool call that a service has accepted and will answer. */
export interface OpenToolCall {
  /** The id by which the service answers it. */
  callId: string;
  /** The id of the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** When it can no longer be answered, in ISO 8601. */
  expiresAt: string;
}

/** The turn waits for a user's decision about these calls, and continues by itself once all are decided. `finish` follows. */
export interface ApprovalRequestEvent {
  type: "approval-request";
  /** The calls that wait, including hidden ones. */
  approvals: Array<RequestedApproval>;
}

/** The turn has failed. Only `[DONE]` follows. */
export interface ErrorEvent {
  type: "error";
  /** The kind of failure. */
  errorType: "authentication_error" | "permission_error" | "validation_error" | "not_found_error" | "rate_limit_error" | "quota_exceeded_error" | "provider_error" | "provider_overloaded" | "provider_timeout" | "execution_error" | "tool_error" | "protocol_error" | "internal_error" | "unknown_error";
  /** One sentence for users. */
  message: string;
  /** What failed. */
  source: "platform" | "provider" | "tool" | "client";
  /** Whether the same request can succeed later. */
  retryable: boolean;
  /** How long to wait, in seconds. */
  retryAfter?: number;
  /** The error code of the HTTP API for the same failure. */
  code?: "INVALID_REQUEST" | "INVALID_JSON" | "INVALID_IDEMPOTENCY_KEY" | "MODEL_NOT_RUNNABLE" | "CAPABILITY_NOT_DECLARED" | "UNKNOWN_TRIGGER" | "INVALID_INPUT" | "UNKNOWN_TOOL_CALL" | "UNKNOWN_MESSAGE" | "FILE_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "UNAUTHENTICATED" | "USAGE_LIMIT" | "SPENDING_LIMIT" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "AGENT_BUSY" | "AGENT_PAUSED" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_KEY_IN_PROGRESS" | "SLUG_TAKEN" | "SESSION_EXPIRED" | "AGENT_ARCHIVED" | "APPROVAL_DECIDED" | "TOOL_CALL_ANSWERED" | "COMPUTER_IN_USE" | "THREAD_CLOSED" | "RECORDING_NOT_READY" | "EVENTS_GONE" | "APPROVAL_EXPIRED" | "TOOL_CALL_CLOSED" | "RECORDING_GONE" | "VERSION_MISMATCH" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_CONTENT_TYPE" | "RANGE_NOT_SATISFIABLE" | "INVALID_DEFINITION" | "RATE_LIMITED" | "SESSION_BUSY" | "QUEUE_FULL" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UPSTREAM" | "UNAVAILABLE" | "STORAGE_FULL" | "TIMEOUT";
  /** The provider that failed. */
  provider?: {
    /** The provider's name. */
    name: string;
    /** The model that was called. */
    model?: string;
    /** The HTTP status of the provider's response. */
    statusCode?: number;
    /** The provider's own name for the error. */
    errorType?: string;
    /** The provider's id of the request. */
    requestId?: string;
  };
  /** The tool that failed. */
  tool?: {
    /** The tool's name. */
    name: string;
    /** The id of the call. */
    callId?: string;
  };
  /** Only if the response ended early and the turn may continue: the number of the turn's last event in this response, to continue after. */
  lastSequence?: number;
}

/** Everything up to `sequence` survives a crash of the server. */
export interface PersistedEvent {
  type: "persisted";
  /** The assistant message. */
  messageId: string;
  /** The number of the last stored event; the first is 1. */
  sequence: number;
  /** The worker whose state was stored. */
  workerId?: string;
}

/** The turn waits for results of these calls. `finish` follows. */
export interface ToolRequestEvent {
  type: "tool-request";
  /** The calls to execute, including hidden ones. */
  toolCalls: Array<RequestedToolCall>;
}

/** A tool call that the caller executes. */
export interface RequestedToolCall {
  /** The id to return the result with. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The arguments, an object. */
  args: unknown;
  /** Whether the model or a block of the handler made the call. */
  source?: "llm" | "block";
  /** The named thread of the call. */
  thread?: string;
  /** The worker that made the call. */
  workerId?: string;
}

/** What the execution has used so far, including earlier requests. Follows the `finish` that ends a worker, or a trigger with `"usage": true`; a pause has none. */
export interface UsageEvent {
  type: "usage";
  /** The cost of the model calls. */
  cost: {
    /** The currency of all fees. */
    currency: "USD";
    /** The price of the model calls. */
    providerFee: number;
    /** The platform's own fee. */
    bandwidthFee: number;
    /** The sum of both fees. */
    totalFee: number;
    /** True if all model calls used the project's own keys. */
    byok: boolean;
  };
  /** The tokens of the model calls. */
  tokens: {
    /** Tokens sent to models. */
    inputTokens: number;
    /** Tokens written by models. */
    outputTokens: number;
    /** The sum of both. */
    totalTokens: number;
  };
}

/** A block of the handler starts. */
export interface BlockStartEvent {
  type: "block-start";
  /** Unique in the stream. */
  blockId: string;
  /** The block's name in the handler. */
  blockName: string;
  /** The kind of block, such as `next-message`. */
  blockType: string;
  /** How much of it users see. */
  display: "hidden" | "name" | "description" | "stream" | "title";
  /** The block's description for users. */
  description?: string;
  /** Whether the block's text is part of the conversation; absent if it writes none. */
  outputToChat?: boolean;
  /** Nothing of the block remains in the session: its output is only live. */
  independent?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The block has ended. */
export interface BlockEndEvent {
  type: "block-end";
  /** The id of its `block-start`. */
  blockId: string;
  /** What it did, for users. */
  summary?: string;
  /** `running`: the block waits for tool results. `cancelled`: the turn ended before the block did. Absent: it has ended. */
  status?: "running" | "cancelled";
  /** The message that the block has added, if users see it. */
  message?: AddedMessage;
  /** The assistant message in which the turn continues after `message`; absent: in the same as before. */
  messageId?: string;
  /** The response ends early: the server added this end, which is not an event of the turn. If you continue the turn, ignore it. */
  interrupted?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The message that the block has added, if users see it. */
export interface AddedMessage {
  /** The id of the message. */
  id: string;
  /** Who wrote it. */
  role: "user" | "assistant";
  /** The content, in order. */
  parts: Array<{
    type: "text";
    /** The text. */
    text: string;
    /** Always `done`. */
    status: "done";
  } | {
    type: "file";
    /** The id of the file. */
    id: string;
    /** Its media type, such as `image/png`. */
    mediaType: string;
    /** Where to download it. */
    url: string;
    /** Its name. */
    filename?: string;
    /** Its size in bytes. */
    size?: number;
  }>;
  /** Always `done`. */
  status: "done";
  /** When it was created, ISO 8601. */
  createdAt: string;
  /** The author of a user message, if the trigger named one. */
  sender?: {
    /** The author's id. */
    id?: string;
    /** The author's name. */
    name?: string;
    /** The address of a picture of the author. */
    image?: string;
  };
}

/** A later model step starts, in the same message. */
export interface StepStartEvent {
  type: "step-start";
  /** The number of the step within the block; the first is 1. */
  step: number;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** Everything since the start of the step is retracted; drop those parts. */
export interface StepDiscardEvent {
  type: "step-discard";
  /** The number of the step within the block; the first is 1. */
  step: number;
  /** The block whose start is the start of the step; absent if the step has its own `step-start`, or if it is the latest. */
  blockId?: string;
  /** The step follows workers whose `display` hides them, or calls of other systems: everything since the start of the step or the end of `blockId`, whichever came first, is retracted. */
  waiting?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** A text starts. */
export interface TextStartEvent {
  type: "text-start";
  /** Unique in the stream; the same in start, deltas and end. */
  id: string;
  /** The type that the definition declares; the text is then JSON of that type. */
  responseType?: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The text continues. */
export interface TextDeltaEvent {
  type: "text-delta";
  /** Unique in the stream; the same in start, deltas and end. */
  id: string;
  /** What to append. */
  delta: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The text is complete. */
export interface TextEndEvent {
  type: "text-end";
  /** Unique in the stream; the same in start, deltas and end. */
  id: string;
  /** The text has a `responseType`, but is not valid JSON of that type. */
  invalid?: true;
  /** The response ends early: the server added this end, which is not an event of the turn. If you continue the turn, ignore it. */
  interrupted?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** Reasoning of the model starts. */
export interface ReasoningStartEvent {
  type: "reasoning-start";
  /** Unique in the stream; the same in start, deltas and end. */
  id: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The reasoning continues. */
export interface ReasoningDeltaEvent {
  type: "reasoning-delta";
  /** Unique in the stream; the same in start, deltas and end. */
  id: string;
  /** What to append. */
  delta: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The reasoning is complete. */
export interface ReasoningEndEvent {
  type: "reasoning-end";
  /** Unique in the stream; the same in start, deltas and end. */
  id: string;
  /** The response ends early: the server added this end, which is not an event of the turn. If you continue the turn, ignore it. */
  interrupted?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** A file can be shown or downloaded. Sent for the files of a tool result, to readers who see the result. Each reader gets a `url` that works for a day. */
export interface FileAvailableEvent {
  type: "file-available";
  /** The id of the file. */
  id: string;
  /** Its media type, such as `image/png`. */
  mediaType: string;
  /** Where to download it. */
  url: string;
  /** Its name. */
  filename?: string;
  /** Its size in bytes. */
  size?: number;
  /** The tool call that returned it. */
  toolCallId?: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** A resource of the session has a new value. */
export interface ResourceUpdateEvent {
  type: "resource-update";
  /** The resource's name in the definition. */
  name: string;
  /** Its new value. */
  value: unknown;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The model cites a source. */
export interface SourceEvent {
  type: "source";
  /** What kind of source it is. */
  sourceType: "url" | "document";
  /** Unique in the stream. */
  id: string;
  /** Its address; always set for a `url`. */
  url?: string;
  /** Its title; always set for a `document`. */
  title?: string;
  /** The media type of a `document`. */
  mediaType?: string;
  /** The file name of a `document`. */
  filename?: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The to-do list has changed. */
export interface TodoUpdateEvent {
  type: "todo-update";
  /** The whole list. */
  todos: Array<Todo>;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** An entry of the to-do list. */
export interface Todo {
  /** Unique in the list. */
  id: string;
  /** The task. */
  content: string;
  /** Its progress. */
  status: "pending" | "in_progress" | "completed" | "cancelled";
}

/** The model starts a tool call. */
export interface ToolInputStartEvent {
  type: "tool-input-start";
  /** The id of the call; unique in the stream. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The tool's name for users. */
  title?: string;
  /** How much of it users see. */
  display?: "hidden" | "name" | "description" | "stream" | "title";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The arguments continue. */
export interface ToolInputDeltaEvent {
  type: "tool-input-delta";
  /** The id of the call; unique in the stream. */
  toolCallId: string;
  /** A piece of the arguments' JSON. */
  inputTextDelta: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The arguments are complete. */
export interface ToolInputEndEvent {
  type: "tool-input-end";
  /** The id of the call; unique in the stream. */
  toolCallId: string;
  /** The response ends early: the server added this end, which is not an event of the turn. If you continue the turn, ignore it. */
  interrupted?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The parsed arguments of a call. */
export interface ToolInputAvailableEvent {
  type: "tool-input-available";
  /** The id of the call; unique in the stream. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The arguments, an object. */
  input: unknown;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The call has succeeded. */
export interface ToolOutputAvailableEvent {
  type: "tool-output-available";
  /** The id of the call; unique in the stream. */
  toolCallId: string;
  /** The result. If it is longer than the thread's `maxToolOutputTokens`: the text that its model reads, which is its head, a note and its tail. */
  output: unknown;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** The call has failed. The model sees the error and continues. */
export interface ToolOutputErrorEvent {
  type: "tool-output-error";
  /** The id of the call; unique in the stream. */
  toolCallId: string;
  /** The problem, in one sentence. */
  error: string;
  /** The call was not completed, rather than that it failed. */
  cancelled?: true;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** The worker that it comes from; absent outside workers. */
  workerId?: string;
}

/** A worker starts. */
export interface WorkerStartEvent {
  type: "worker-start";
  /** The id of this run of the worker; unique in the stream. */
  workerId: string;
  /** The worker's slug. */
  workerSlug: string;
  /** Its input, an object. */
  input?: unknown;
  /** What it does, for users. */
  description?: string;
  /** How much of it users see. */
  display?: "hidden" | "name" | "description" | "stream" | "title";
  /** The named thread that called it; absent for the main conversation. */
  thread?: string;
  /** The worker that called it; absent if no worker did. */
  parentWorkerId?: string;
}

/** A worker has ended. */
export interface WorkerResultEvent {
  type: "worker-result";
  /** The id of this run of the worker; unique in the stream. */
  workerId: string;
  /** What it returned; absent if it declares no output, or if its `display` hides it. */
  output?: unknown;
  /** Why it failed. */
  error?: string;
  /** It was stopped, rather than that it failed. */
  cancelled?: true;
  /** The named thread that called it; absent for the main conversation. */
  thread?: string;
  /** The worker that called it; absent if no worker did. */
  parentWorkerId?: string;
  /** The response ends early: the server added this end, which is not an event of the turn. If you continue the turn, ignore it. */
  interrupted?: true;
}

/** The model starts to write the input of a worker. */
export interface WorkerInputStartEvent {
  type: "worker-input-start";
  /** The id of this run of the worker; unique in the stream. */
  workerId: string;
  /** The worker's slug. */
  workerSlug: string;
  /** What it does, for users. */
  description?: string;
  /** How much of it users see. */
  display?: "hidden" | "name" | "description" | "stream" | "title";
  /** The named thread that called it; absent for the main conversation. */
  thread?: string;
  /** The worker that called it; absent if no worker did. */
  parentWorkerId?: string;
}

/** The input continues. */
export interface WorkerInputDeltaEvent {
  type: "worker-input-delta";
  /** The id of this run of the worker; unique in the stream. */
  workerId: string;
  /** A piece of the input's JSON. */
  delta: string;
  /** The named thread that called it; absent for the main conversation. */
  thread?: string;
  /** The worker that called it; absent if no worker did. */
  parentWorkerId?: string;
}

/** The input is complete. */
export interface WorkerInputReadyEvent {
  type: "worker-input-ready";
  /** The id of this run of the worker; unique in the stream. */
  workerId: string;
  /** The input, an object. */
  input: unknown;
  /** The named thread that called it; absent for the main conversation. */
  thread?: string;
  /** The worker that called it; absent if no worker did. */
  parentWorkerId?: string;
}

/** The status of the thread has changed. */
export interface ThreadStatusEvent {
  type: "thread-status";
  /** The new status. */
  status: string;
  /** The decisions and results that a `queued` thread waits for. */
  waitingFor?: {
    /** `approval` if users have to decide, otherwise `tool`; more can be added. */
    type: string;
    /** When the run asked, in ISO 8601. */
    since: string;
    /** The ids of the approvals. */
    approvalIds?: Array<string>;
    /** The calls whose services will send the results. */
    toolCallIds?: Array<string>;
  };
}

/** A command on the agent's computer has written something. */
export interface ComputerOutputEvent {
  type: "computer-output";
  /** The call that runs the command. */
  toolCallId: string;
  /** Where it wrote. */
  stream: "stdout" | "stderr";
  /** What it wrote. */
  text: string;
}

/** The scope of the new key. */
export interface CreateKeyRequest {
  /** The purpose of the key. */
  name: string;
  /** Any of sessions, agents, mint-tokens, workforce, approve, admin; admin implies all of them. */
  permissions: ReadonlyArray<string>;
  /** The project of the key. Default: that of the request. */
  projectId?: string | null | undefined;
  /** The id of the only agent that the key may use. It cannot be combined with `admin`, nor `approve` with `workforce` then. Default: any agent. */
  agentId?: string | null | undefined;
  /** The slug of that agent, instead of its id. Not for workforce agents, which have none. */
  agentSlug?: string | null | undefined;
  /** When the key stops working, in ISO 8601. Default: never. */
  expiresAt?: string | null | undefined;
  /** The use of models with the key and its tokens. Default: not limited. */
  limits?: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd?: number | null | undefined;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens?: number | null | undefined;
  } | undefined;
}

/** The new key. */
export interface CreatedKey {
  /** The id of the key. */
  id: string;
  /** The purpose of the key. */
  name: string;
  /** The permissions of the key. */
  permissions: Array<string>;
  /** The project of the key. */
  projectId: string;
  /** The only agent that the key may use; null for any. */
  agentId: string | null;
  /** When the key was created. In ISO 8601. */
  createdAt: string;
  /** When the key stops working; null for never. */
  expiresAt: string | null;
  /** The use of models with the key and its tokens. */
  limits: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd: number | null;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens: number | null;
  };
  /** The secret, which is shown only once. */
  key: string;
}

/** The new project. */
export interface CreateProjectRequest {
  /** The name of the project. */
  name: string;
  /** The limits of the project. Default: none. */
  limits?: {
    /** Requests of all keys and tokens of the project per minute; null for the installation's limit. */
    requestsPerMinute?: number | null | undefined;
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd?: number | null | undefined;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens?: number | null | undefined;
    /** The limits of each subject; null for none. */
    perSubject?: {
      /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
      monthlyUsd: number | null;
    } | null | undefined;
    /** US dollars of its workforce agents alone in a calendar month (UTC); null for no limit. */
    workforceMonthlyUsd?: number | null | undefined;
    /** Tokens of its workforce agents alone in a calendar month (UTC); null for no limit. */
    workforceMonthlyTokens?: number | null | undefined;
    /** Runs of its workforce agents in a calendar month (UTC); null for no limit. */
    workforceMonthlyRuns?: number | null | undefined;
  } | undefined;
}

/** The key no longer works. */
export interface DeletedKey {
  /** The id of the key. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** The keys that the request's key may manage. */
export interface KeyList {
  /** Newest first. */
  keys: Array<Key>;
}

/** An API key without its secret. */
export interface Key {
  /** The id of the key. */
  id: string;
  /** The purpose of the key. */
  name: string;
  /** The permissions of the key. */
  permissions: Array<string>;
  /** The project of the key. */
  projectId: string;
  /** The only agent that the key may use; null for any. */
  agentId: string | null;
  /** When the key was created. In ISO 8601. */
  createdAt: string;
  /** When the key stops working; null for never. */
  expiresAt: string | null;
  /** The use of models with the key and its tokens. */
  limits: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd: number | null;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens: number | null;
  };
  /** When the key was last used, to the minute; null for never. */
  lastUsedAt: string | null;
  /** True for the bootstrap key, which may act in any project. */
  anyProject: boolean;
}

/** The projects in which the key may act. */
export interface ProjectList {
  /** Oldest first. */
  projects: Array<Project>;
}

/** A project. */
export interface Project {
  /** The id of the project, for `X-Project-Id`. */
  id: string;
  /** The name of the project. */
  name: string;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** The limits of the project. */
  limits: {
    /** Requests of all its keys and tokens; null for the installation's limit. */
    requestsPerMinute: number | null;
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd: number | null;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens: number | null;
    /** The limits of each subject of its sessions and executions. */
    perSubject: {
      /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
      monthlyUsd: number | null;
    };
    /** US dollars of its workforce agents alone in a calendar month (UTC); null for no limit. */
    workforceMonthlyUsd: number | null;
    /** Tokens of its workforce agents alone in a calendar month (UTC); null for no limit. */
    workforceMonthlyTokens: number | null;
    /** Runs of its workforce agents in a calendar month (UTC); null for no limit. */
    workforceMonthlyRuns: number | null;
  };
  /** Rules that make the definition's own stricter: by the name of a tool or of a namespace, or by a pattern with `*`, whether a call waits for approval (`ask`) or is denied. */
  approvals: Record<string, "ask" | "deny">;
  /** The only hosts on which the platform calls HTTP tools. */
  toolHosts: Array<ToolHost>;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
}

/** A host on which the platform may call HTTP tools. */
export interface ToolHost {
  /** The host as in a URL, in lower case, with its port unless it is that of https: `api.example.com`, `10.0.0.7:8080`. */
  host: string;
  /** True if models must not trust its results. */
  untrusted: boolean;
}

/** Absent members stay unchanged. */
export interface UpdateKeyRequest {
  /** The limits to change. Not for a key that may act in any project. */
  limits?: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd?: number | null | undefined;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens?: number | null | undefined;
  } | undefined;
}

/** Absent members stay unchanged. */
export interface UpdateProjectRequest {
  /** The new name. */
  name?: string | undefined;
  /** The limits to change. Needs a key that may act in any project. */
  limits?: {
    /** Requests of all keys and tokens of the project per minute; null for the installation's limit. */
    requestsPerMinute?: number | null | undefined;
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd?: number | null | undefined;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens?: number | null | undefined;
    /** The limits of each subject; null for none. */
    perSubject?: {
      /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
      monthlyUsd: number | null;
    } | null | undefined;
    /** US dollars of its workforce agents alone in a calendar month (UTC); null for no limit. */
    workforceMonthlyUsd?: number | null | undefined;
    /** Tokens of its workforce agents alone in a calendar month (UTC); null for no limit. */
    workforceMonthlyTokens?: number | null | undefined;
    /** Runs of its workforce agents in a calendar month (UTC); null for no limit. */
    workforceMonthlyRuns?: number | null | undefined;
  } | undefined;
  /** Replaces all rules of approval; null removes them. */
  approvals?: Record<string, "ask" | "deny"> | null | undefined;
  /** Replaces all hosts of HTTP tools; null removes them. Each is a text, or an object if its results are untrusted. Their secrets stay. */
  toolHosts?: ReadonlyArray<string | {
    /** The host as in a URL, in lower case, with its port unless it is that of https: `api.example.com`, `10.0.0.7:8080`. */
    host: string;
    /** True if models must not trust its results. */
    untrusted?: boolean | undefined;
  }> | null | undefined;
}

/** The change has been made. */
export interface AgentChange {
  /** The id of the agent. */
  agentId: string;
  /** The outcome, with the number of warnings. */
  message: string;
}

/** The active agents of the project. */
export interface AgentList {
  /** Newest first. */
  agents: Array<AgentSummary>;
}

/** An agent without its definition. */
export interface AgentSummary {
  /** The id of the agent. */
  id: string;
  /** The project of the agent. */
  projectId: string;
  /** Unique among the active agents of the project. */
  slug: string;
  /** The name for users. */
  name: string;
  /** What the agent does; null if it is not described. */
  description: string | null;
  /** `interactive`: holds conversations. `worker`: runs one task that returns a value. */
  format: "interactive" | "worker";
  /** True if `muster apply` manages it. Absent: it does not. */
  managed?: boolean;
  /** When the agent was created. In ISO 8601. */
  createdAt: string;
  /** When its latest version was created. In ISO 8601. */
  updatedAt: string;
}

/** One version of an agent. */
export interface Agent {
  /** The id of the agent. */
  id: string;
  /** The properties of the agent besides its protocol. */
  settings: {
    /** Unique among the active agents of the project. */
    slug: string;
    /** The name for users. */
    name: string;
    /** What the agent does. */
    description?: string;
    /** `interactive`: holds conversations. `worker`: runs one task that returns a value. */
    format: "interactive" | "worker";
  };
  /** The protocol, as given. */
  protocol: string;
  /** In the order given. */
  prompts: Array<{
    /** The name in the protocol. */
    name: string;
    /** The text. */
    content: string;
  }>;
  /** In the order given. */
  references: Array<{
    /** The name in the protocol. */
    name: string;
    /** A summary that lets the model choose. */
    description: string;
    /** The text. */
    content: string;
  }>;
}

/** The versions of the agent. */
export interface AgentVersionList {
  /** Newest first. */
  versions: Array<AgentVersion>;
}

/** A version of an agent. */
export interface AgentVersion {
  /** 1, 2, 3 and so on. */
  version: number;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** The parts that differ from the previous version; `created` for the first one. */
  changes: Array<string>;
}

/** The definition of the agent. */
export interface CreateAgentRequest {
  /** The properties of the agent besides its protocol. */
  settings: AgentSettings;
  /** The protocol: YAML, at most 128 KiB. */
  protocol: string;
  /** At most 256 prompts, 1 MiB in all. */
  prompts: ReadonlyArray<Prompt>;
  /** At most 256 references, 2 MiB in all. */
  references?: ReadonlyArray<Reference> | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The properties of the agent besides its protocol. */
export interface AgentSettings {
  /** Unique in the project. It never changes. */
  slug: string;
  /** The name for users. */
  name: string;
  /** What the agent does. */
  description?: string | undefined;
  /** `interactive`: holds conversations. `worker`: runs one task that returns a value. */
  format: "interactive" | "worker";
}

/** A text that the protocol names. */
export interface Prompt {
  /** The name in the protocol. */
  name: string;
  /** The text, at most 64 KiB. */
  content: string;
}

/** A document that the agent may read. */
export interface Reference {
  /** The name in the protocol. */
  name: string;
  /** A summary that lets the model choose. */
  description: string;
  /** The text, at most 256 KiB. */
  content: string;
}

/** The start or the continuation of an execution. */
export interface ExecuteRequest {
  /** Whether to start an execution or to continue one. */
  type: "start" | "continue";
  /** For start: the input that the definition declares. */
  input?: Record<string, unknown> | undefined;
  /** The most that the execution may cost in US dollars, its continuations and the bandwidth fee included. It exceeds that by one step at most. Default: no limit. */
  maxUsd?: number | undefined;
  /** For start: the subject of the execution, as for a session. */
  subject?: string | undefined;
  /** Additional tools that the caller executes. */
  dynamicToolSchemas?: ReadonlyArray<DynamicTool> | undefined;
  /** Required for continue: the id from the `start` event. */
  executionId?: string | undefined;
  /** Required for continue. Calls without an entry are cancelled. */
  toolResults?: ReadonlyArray<ToolResult> | undefined;
}

/** A tool that the caller executes. */
export interface DynamicTool {
  /** A name that the agent does not declare; `namespace__tool` for a tool of an MCP server that it declares. */
  name: string;
  /** What the tool does, for the model. */
  description: string;
  /** The JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** The JSON Schema of the result. */
  outputSchema?: Record<string, unknown> | undefined;
}

/** Either result (any JSON value) or error (one sentence for the model); without both, the result is null. */
export interface ToolResult {
  /** The id from the `tool-request` event. */
  toolCallId: string;
  /** The tool's name, to be checked. */
  toolName?: string | undefined;
  /** Any JSON value. */
  result?: unknown | undefined;
  /** Why the call failed, for the model. */
  error?: string | undefined;
  /** Files that belong to the result, for the model. Not with an error. */
  files?: ReadonlyArray<FileReference> | undefined;
}

/** A file. */
export interface FileReference {
  /** The id of the file. */
  id: string;
  /** Its media type. */
  mediaType: string;
  /** A download URL of this server, or a public https address. */
  url: string;
  /** Its name. */
  filename?: string | undefined;
  /** Its size in bytes. */
  size?: number | undefined;
}

/** The parts to change. Each replaces the current one as a whole. */
export interface UpdateAgentRequest {
  /** The settings to change. */
  settings?: {
    /** The name for users. */
    name?: string | undefined;
    /** An empty string removes it. */
    description?: string | undefined;
    /** `interactive`: holds conversations. `worker`: runs one task that returns a value. */
    format?: "interactive" | "worker" | undefined;
    /** Refused, because a slug never changes. */
    slug?: unknown | undefined;
  } | undefined;
  /** The protocol: YAML, at most 128 KiB. */
  protocol?: string | undefined;
  /** At most 256 prompts, 1 MiB in all. */
  prompts?: ReadonlyArray<Prompt> | undefined;
  /** At most 256 references, 2 MiB in all. */
  references?: ReadonlyArray<Reference> | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The definition to check. */
export interface ValidateAgentRequest {
  /** The properties of the agent besides its protocol. */
  settings: {
    /** `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 characters. */
    slug: string;
    /** The name for users. */
    name: string;
    /** What the agent does. */
    description?: string | undefined;
    /** `interactive` or `worker`. */
    format: string;
  };
  /** The protocol: YAML, at most 128 KiB. */
  protocol: string;
  /** At most 256 prompts, 1 MiB in all. */
  prompts: ReadonlyArray<{
    /** The name in the protocol. */
    name: string;
    /** The text. */
    content: string;
  }>;
  /** At most 256 references, 2 MiB in all. */
  references?: ReadonlyArray<{
    /** The name in the protocol. */
    name: string;
    /** The text. */
    content: string;
    /** A summary that lets the model choose. */
    description: string;
  }> | undefined;
}

/** The findings that a create would report. */
export interface ValidationReport {
  /** True if there are no errors. */
  valid: boolean;
  /** The issues of severity error, in short. */
  errors: Array<{
    /** The problem, and what to do. */
    message: string;
    /** Where it is: a dotted path. */
    path: string;
    /** Always `error`. */
    severity: "error";
  }>;
  /** The issues of severity warning, in short. */
  warnings: Array<{
    /** The problem, and what to do. */
    message: string;
    /** Where it is: a dotted path. */
    path: string;
    /** Always `warning`. */
    severity: "warning";
  }>;
  /** All issues. */
  issues: Array<Diagnostic>;
}

/** A problem of a definition. */
export interface Diagnostic {
  /** The kind of problem. Codes are never renamed. */
  code: string;
  /** The problem, and what to do. */
  message: string;
  /** Where it is: a dotted path. */
  path: string;
  /** Only errors make a definition invalid. */
  severity: "error" | "warning" | "info";
  /** The closest known names. */
  suggestions?: Array<string>;
}

/** An approval with its context. */
export interface ApprovalDetail {
  /** The id to decide it by. */
  approvalId: string;
  /** `cancelled`: the turn has ended without the call. */
  status: "pending" | "approved" | "denied" | "expired" | "cancelled";
  /** The agent that makes the call, or the workforce agent. */
  agentId: string;
  /** The version of the agent's definition. */
  agentVersion: number;
  /** The session of the call. */
  sessionId?: string;
  /** The workforce thread of the call, instead of `sessionId`. */
  threadId?: string;
  /** The turn, whose events continue after the decision. */
  executionId: string;
  /** The id of the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The call in the words of the definition. */
  title?: string;
  /** All arguments of the model, including those that users do not see. */
  args: Record<string, unknown>;
  /** The arguments that were approved instead. */
  editedArgs?: Record<string, unknown>;
  /** SHA-256 of the model's arguments with sorted keys, in hexadecimal digits. */
  argumentsHash: string;
  /** The author of the user message. It is stored with the message. */
  requester?: Sender;
  /** When the call began to wait. In ISO 8601. */
  createdAt: string;
  /** When it can no longer be decided. In ISO 8601. */
  expiresAt: string;
  /** When it was decided. In ISO 8601. */
  decidedAt?: string;
  /** The id of the key or token that decided. */
  decidedBy?: string;
  /** The words of the user who decided. */
  message?: string;
  /** The last messages that users of the conversation see; empty once it has expired. */
  messages: Array<UiMessage>;
}

/** The author of the user message. It is stored with the message. */
export interface Sender {
  /** Your id of the author. */
  id?: string;
  /** The author's name. */
  name?: string;
  /** The address of the author's picture. */
  image?: string;
}

/** A message of a conversation. */
export interface UiMessage {
  /** The id of the message. */
  id: string;
  /** Who wrote it. */
  role: "user" | "assistant";
  /** The content, in order. */
  parts: Array<UiMessagePart>;
  /** `streaming` until its turn has ended. */
  status: "done" | "streaming";
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** The author of a user message, if the trigger named one. */
  sender?: Record<string, unknown>;
  /** It is the running summary, in the place of the older turns that became part of it. */
  summary?: true;
  /** Its text parts joined. Only in the full format. */
  content?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A part of a message. */
export type UiMessagePart = TextPart | ReasoningPart | ToolCallPart | OperationPart | FilePart | SourcePart | ObjectPart | TodoListPart | StepStartPart | WorkerPart;

/** A text. */
export interface TextPart {
  type: "text";
  /** The text so far. */
  text: string;
  /** The state of the part. */
  status: "streaming" | "done";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** Reasoning of the model. */
export interface ReasoningPart {
  type: "reasoning";
  /** The text so far. */
  text: string;
  /** The state of the part. */
  status: "streaming" | "done";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A tool call, as far as the tool's `display` shows it. */
export interface ToolCallPart {
  type: "tool-call";
  /** The id of the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The tool's name for users. */
  displayName: string;
  /** The arguments; empty if the tool's display hides them. */
  args: Record<string, unknown>;
  /** The result, any JSON value. Of one that is longer than the thread's `maxToolOutputTokens`: the text that its model reads. */
  result?: unknown;
  /** Why the call failed. */
  error?: string;
  /** Of a call that needs a user's decision. */
  approval?: {
    /** The id of the approval. */
    id: string;
    /** The state of the part. */
    status: "pending" | "approved" | "denied" | "expired" | "cancelled";
    /** When it was decided, in ISO 8601. */
    decidedAt?: string;
    /** The words of the user who decided. */
    message?: string;
  };
  /** The state of the part. */
  status: "pending" | "running" | "done" | "error" | "cancelled";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A block that users see without its content. */
export interface OperationPart {
  type: "operation";
  /** The id of the operation. */
  operationId: string;
  /** Its name for users. */
  name: string;
  /** The kind of block. */
  operationType: string;
  /** The state of the part. */
  status: "running" | "done" | "cancelled";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A file. */
export interface FilePart {
  type: "file";
  /** The id of the file. */
  id: string;
  /** Its media type, such as `image/png`. */
  mediaType: string;
  /** Where to download it. */
  url: string;
  /** Its name. */
  filename?: string;
  /** Its size in bytes. */
  size?: number;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A source that the model cites. */
export interface SourcePart {
  type: "source";
  /** `url` or `document`. */
  sourceType: string;
  /** The id of the source. */
  id: string;
  /** Its address. */
  url?: string;
  /** Its title. */
  title?: string;
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A structured reply. */
export interface ObjectPart {
  type: "object";
  /** The id of the object. */
  id: string;
  /** The type that the definition declares. */
  typeName: string;
  /** The value; absent until it is complete. */
  object?: unknown;
  /** The readable part of a value that is incomplete or invalid. */
  partial?: unknown;
  /** The state of the part. */
  status: "streaming" | "done" | "error";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** The to-do list as of this message. */
export interface TodoListPart {
  type: "todo";
  /** The whole list. */
  todos: Array<Todo>;
  /** The state of the part. */
  status: "running" | "done";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** The start of a later step within one message. */
export interface StepStartPart {
  type: "step-start";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** The card of a worker. Its parts never contain another one. */
export interface WorkerPart {
  type: "worker";
  /** The id of the worker. */
  workerId: string;
  /** The worker's agent. */
  workerSlug: string;
  /** The worker in the words of the definition. */
  description?: string;
  /** The worker that called it. Absent: the turn itself did. */
  parentWorkerId?: string;
  /** The input, as far as the display shows it. */
  input?: Record<string, unknown>;
  /** Its output, as far as the display shows it. */
  parts: Array<UiMessagePart>;
  /** The value, any JSON. */
  output?: unknown;
  /** Why it failed. */
  error?: string;
  /** Of a call that needs a user's decision. */
  approval?: {
    /** The id of the approval. */
    id: string;
    /** The state of the part. */
    status: "pending" | "approved" | "denied" | "expired" | "cancelled";
    /** When it was decided, in ISO 8601. */
    decidedAt?: string;
    /** The words of the user who decided. */
    message?: string;
  };
  /** The state of the part. */
  status: "running" | "done" | "error" | "cancelled";
  /** The named thread that it belongs to; absent for the main conversation. */
  thread?: string;
  /** Whether clients show it. Only in the full format. */
  visible?: boolean;
}

/** A page of approvals. */
export interface ApprovalList {
  /** The approvals, newest first. */
  approvals: Array<Approval>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A tool call that waits for a user's decision. */
export interface Approval {
  /** The id to decide it by. */
  approvalId: string;
  /** `cancelled`: the turn has ended without the call. */
  status: "pending" | "approved" | "denied" | "expired" | "cancelled";
  /** The agent that makes the call, or the workforce agent. */
  agentId: string;
  /** The version of the agent's definition. */
  agentVersion: number;
  /** The session of the call. */
  sessionId?: string;
  /** The workforce thread of the call, instead of `sessionId`. */
  threadId?: string;
  /** The turn, whose events continue after the decision. */
  executionId: string;
  /** The id of the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The call in the words of the definition. */
  title?: string;
  /** All arguments of the model, including those that users do not see. */
  args: Record<string, unknown>;
  /** The arguments that were approved instead. */
  editedArgs?: Record<string, unknown>;
  /** SHA-256 of the model's arguments with sorted keys, in hexadecimal digits. */
  argumentsHash: string;
  /** The author of the user message. It is stored with the message. */
  requester?: Sender;
  /** When the call began to wait. In ISO 8601. */
  createdAt: string;
  /** When it can no longer be decided. In ISO 8601. */
  expiresAt: string;
  /** When it was decided. In ISO 8601. */
  decidedAt?: string;
  /** The id of the key or token that decided. */
  decidedBy?: string;
  /** The words of the user who decided. */
  message?: string;
}

/** The decision. */
export interface DecideApprovalRequest {
  /** Whether the tool is called. */
  decision: "approve" | "deny";
  /** For the record; with `deny`, the model reads it as well. */
  message?: string | undefined;
  /** Only with `approve`: the arguments to call the tool with instead of the model's. */
  args?: Record<string, unknown> | undefined;
}

/** Changes of the project. */
export interface AuditPage {
  /** Newest first. */
  entries: Array<AuditEntry>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A change. */
export interface AuditEntry {
  /** The id of the entry. */
  id: string;
  /** The place in the chain of the project, from 1, without gaps. */
  number: number;
  /** When it was changed. In ISO 8601. */
  at: string;
  /** Who made the change. */
  actor: AuditActor;
  /** Such as `key.create`. */
  action: string;
  /** The id of the changed resource; its name if it has no id. */
  target: string;
  /** SHA-256 of the changed settings before; null if there were none or they are not known. */
  before: string | null;
  /** SHA-256 of the changed settings afterwards; null if there are none. */
  after: string | null;
  /** `X-Request-Id` of the request. */
  requestId: string;
  /** `succeeded`; of a decision, `approved` or `denied`. */
  outcome: string;
  /** SHA-256 of the hash before it and the entry. */
  hash: string;
}

/** Who made the change. */
export interface AuditActor {
  /** `key`, `login` (of a key), `token`, `identity` (a token of an identity provider) or `platform` (the platform itself). */
  kind: string;
  /** The id of the credential; `jwt_…` of the subject of an identity provider. */
  id: string;
  /** The address of the client; null if it is not known. */
  ip: string | null;
}

/** The body of every error. */
export interface Error {
  /** One sentence that says what is wrong and what to do. It may be reworded. */
  error: string;
  /** The kind of error, to branch on. Codes are never renamed. */
  code: string;
  /** The id of the request, as in `X-Request-Id`. */
  requestId: string;
  /** The parts of the request that are wrong. */
  issues?: Array<Issue>;
  /** With `AGENT_BUSY`: the thread that occupies the agent; null if another one is just starting. */
  currentThreadId?: string | null;
}

/** A part of the request that is wrong. */
export interface Issue {
  /** Where the problem is: a dotted path, empty for the whole document. */
  path: string;
  /** The problem, and what to do. */
  message: string;
  /** The kind of problem in a definition. Codes are never renamed. */
  code?: string;
  /** Only errors make a definition invalid. */
  severity?: "error" | "warning" | "info";
  /** The closest known names. */
  suggestions?: Array<string>;
}

/** A page of computers. */
export interface ComputerList {
  /** Newest first. */
  computers: Array<Computer>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A computer that dials in. */
export interface Computer {
  /** The id of the computer. */
  id: string;
  /** The name of the computer, or of its agent. */
  name: string;
  /** `dedicated`, `mac` or `cli`; more can be added. */
  kind: string;
  /** `linux`, `windows` or `macos`; more can be added. */
  os: string;
  /** `running` while it is connected, `starting` while it may reconnect, `down` or `none`; more can be added. */
  state: string;
  /** True if several agents may use it. */
  shared: boolean;
  /** The workforce agents that use it. */
  agentIds: Array<string>;
  /** The release of its runtime; null if it has never connected. */
  runtimeVersion: string | null;
  /** The location of the computer; null if unknown. */
  region: string | null;
  /** When it connected; null unless it is connected. */
  connectedAt: string | null;
  /** When it was last connected; null if it never was. */
  lastSeenAt: string | null;
  /** When it was created. In ISO 8601. */
  createdAt: string;
}

/** The tokens of the computer. */
export interface ComputerTokenList {
  /** Newest first. */
  tokens: Array<ComputerToken>;
}

/** A token of a computer, without its secret. */
export interface ComputerToken {
  /** The id of the token. */
  id: string;
  /** The name of the token, such as that of the machine. */
  name: string;
  /** When the token was created. In ISO 8601. */
  createdAt: string;
  /** When the token stops working; null for never. */
  expiresAt: string | null;
  /** When it was last used, to the minute; null for never. */
  lastUsedAt: string | null;
}

/** The computer to create. */
export interface CreateComputerRequest {
  /** The name of the computer. */
  name: string;
  /** `dedicated` or `mac`. */
  kind: string;
  /** `linux`, `windows` or `macos`; `macos` for a mac. */
  os: string;
}

/** The new token. */
export interface CreateComputerTokenRequest {
  /** The name of the token, such as that of the machine. */
  name: string;
  /** When the token stops working, in ISO 8601. Default: never. */
  expiresAt?: string | null | undefined;
}

/** The new token. */
export interface CreatedComputerToken {
  /** The id of the token. */
  id: string;
  /** The name of the token, such as that of the machine. */
  name: string;
  /** When the token was created. In ISO 8601. */
  createdAt: string;
  /** When the token stops working; null for never. */
  expiresAt: string | null;
  /** The computer that it connects. */
  computerId: string;
  /** The secret, which is shown only once. */
  token: string;
}

/** The computer and its tokens are gone. */
export interface DeletedComputer {
  /** The id of the computer. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** The token no longer works. */
export interface DeletedComputerToken {
  /** The id of the token. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** The URLs, which need no other credential: keep them secret. */
export interface UploadUrlsReply {
  /** In the order of the request. */
  files: Array<UploadUrls>;
}

/** Where to upload and download a file. */
export interface UploadUrls {
  /** The id of the file. */
  id: string;
  /** Where to PUT the content, with its media type as `Content-Type`. Works for 15 minutes, and for one successful upload. */
  uploadUrl: string;
  /** The `url` of a FileReference. Works for 24 hours, from the end of the upload on. */
  downloadUrl: string;
}

/** The event is stored. */
export interface AcceptedDelivery {
  /** The delivery, which repeats of the event share. */
  deliveryId: string;
}

/** The answer to Slack's check of the URL. */
export interface HookChallenge {
  /** The text that Slack has sent. */
  challenge: string;
}

/** The hook to create. */
export interface CreateHookRequest {
  /** The purpose of the hook. */
  name: string;
  /** Unique among the agent's hooks. Default: derived from the name. */
  slug?: string | undefined;
  /** How senders prove that a delivery is theirs. */
  verify: {
    /** The way in which the sender signs. */
    type: "standard-webhooks" | "github" | "slack" | "bearer";
    /** The secret that they have: `whsec_` and 24 to 64 bytes in base64 for Standard Webhooks, otherwise 16 to 256 printable ASCII characters. It is never shown. */
    secret: string;
  };
  /** JSON Schema of the bodies that reach the agent, of up to 4,096 characters, with the keywords that docs/automation.md lists. */
  filter?: Record<string, unknown> | undefined;
  /** A template of the message, as in prompts: `{{ISSUE_TITLE}}` is `issue.title` of the body, `{{BODY}}` all of it. Values are data, never template. */
  message: string;
  /** A template. Deliveries for which it yields the same text go to one thread, as follow-ups. */
  threadKey?: string | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  config?: RunConfig | undefined;
  /** False if it accepts nothing: its URL is 404. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** Settings of a run. What is absent is inherited from the agent. */
export interface RunConfig {
  /** The model, `provider/model-id`. */
  model?: string | undefined;
  /** The model if the first one fails, `provider/model-id`. */
  backupModel?: string | undefined;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities?: Record<string, boolean> | undefined;
  /** Whether to record a video of the run. */
  record?: boolean | undefined;
  /** How much the model reasons; `auto`: the model decides. */
  thinking?: "off" | "low" | "medium" | "high" | "xhigh" | "max" | "auto" | undefined;
  /** Who may watch the video: `private` (the default) or `public`. Any value is ignored unless the run is recorded. */
  recordVisibility?: unknown | undefined;
}

/** Its URL is 404 now. */
export interface DeletedHook {
  /** The id of the hook. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** A page of deliveries. */
export interface HookDeliveryList {
  /** Newest first. */
  deliveries: Array<HookDelivery>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** An event that a sender has posted to a hook. */
export interface HookDelivery {
  /** The id of the delivery. */
  id: string;
  /** The hook. */
  hookId: string;
  /** `accepted` until it is carried out; then `dispatched`, `filtered` if the body does not match the filter, or `failed`. */
  status: string;
  /** Why it was filtered, has failed, or is tried again; null otherwise. */
  reason: string | null;
  /** The thread that its message has reached; null without one. */
  threadId: string | null;
  /** The delivery that it repeats; null if a sender has posted it. */
  replayOf: string | null;
  /** The first 1,024 characters of the body: JSON, in which the secret is masked. */
  bodyStart: string;
  /** How many characters the body has. */
  bodyLength: number;
  /** When it was stored. In ISO 8601. */
  createdAt: string;
  /** When it was dispatched, was filtered or has failed, in ISO 8601; null before. */
  settledAt: string | null;
}

/** The hooks of the agent. */
export interface HookList {
  /** Newest first. */
  hooks: Array<Hook>;
}

/** An address to which another system posts events for an agent. */
export interface Hook {
  /** The id of the hook. */
  id: string;
  /** Where senders post events, on the host of the API: `/hooks/` and the id. */
  url: string;
  /** The project that it belongs to. */
  projectId: string;
  /** The workforce agent. */
  agentId: string;
  /** Its name among the agent's hooks, which never changes. */
  slug: string;
  /** The purpose of the hook. */
  name: string;
  /** How senders prove that a delivery is theirs. */
  verify: {
    /** The way in which the sender signs. */
    type: string;
    /** When the earlier secret stops working, in ISO 8601; null without one. */
    earlierUntil: string | null;
  };
  /** JSON Schema of the bodies that reach the agent; null for all. */
  filter: Record<string, unknown> | null;
  /** The template of the message. */
  message: string;
  /** The template of the thread's key; null if each delivery has a thread of its own. */
  threadKey: string | null;
  /** Settings of runs. What is absent is that of the definition. */
  config: StoredRunConfig;
  /** False if it accepts nothing: its URL is 404. */
  enabled: boolean;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** When it was last changed. In ISO 8601. */
  updatedAt: string;
}

/** Settings of runs. What is absent is that of the definition. */
export interface StoredRunConfig {
  /** The model, `provider/model-id`. */
  model?: string;
  /** The model if the first one fails, `provider/model-id`. */
  backupModel?: string;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities?: Record<string, boolean>;
  /** Whether to record a video of the run. */
  record?: boolean;
  /** How much the model reasons. */
  thinking?: string;
  /** Who may watch the video. */
  recordVisibility?: string;
}

/** Absent members stay unchanged. */
export interface UpdateHookRequest {
  /** The purpose of the hook. */
  name?: string | undefined;
  /** A new secret. The earlier one keeps working for 24 hours if the type stays the same; a second change ends it. */
  verify?: {
    /** The way in which the sender signs. */
    type: "standard-webhooks" | "github" | "slack" | "bearer";
    /** The secret that they have: `whsec_` and 24 to 64 bytes in base64 for Standard Webhooks, otherwise 16 to 256 printable ASCII characters. It is never shown. */
    secret: string;
  } | undefined;
  /** Null: every body reaches the agent. */
  filter?: Record<string, unknown> | null | undefined;
  /** A template of the message, as in prompts: `{{ISSUE_TITLE}}` is `issue.title` of the body, `{{BODY}}` all of it. Values are data, never template. */
  message?: string | undefined;
  /** Null: each delivery has a thread of its own. */
  threadKey?: string | null | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  config?: RunConfig | undefined;
  /** False if it accepts nothing: its URL is 404. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The issuer, and the scope of its tokens. */
export interface CreateIdentityProviderRequest {
  /** The purpose of the identity provider. */
  name: string;
  /** The exact `iss` of its tokens. Without `jwksUri`, an https URL. */
  issuer: string;
  /** The https URL of the issuer's keys; null for discovery, at the issuer's `/.well-known/openid-configuration`. */
  jwksUri?: string | null | undefined;
  /** The accepted signature algorithms, any of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA. */
  algorithms?: ReadonlyArray<string> | undefined;
  /** The longest accepted time between `iat` and `exp` of a token. */
  maxLifetimeSeconds?: number | undefined;
  /** A token must fulfil all of them. At least one is needed: the issuer may give tokens to anyone, and the audience is public. */
  conditions: ReadonlyArray<ClaimCondition>;
  /** The scope of the tokens: the sessions of one agent, or one session. Without a session, all of the agent's and new ones. */
  scope: FederatedScope;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** A condition on one claim; of a list, one element is enough. */
export interface ClaimCondition {
  /** The name of a claim at the top level. */
  claim: string;
  /** The claim must be one of these texts. Numbers and booleans compare as JSON. */
  equals?: ReadonlyArray<string> | undefined;
  /** The claim must begin with this, instead. */
  startsWith?: string | undefined;
}

/** The scope of the tokens: the sessions of one agent, or one session. Without a session, all of the agent's and new ones. */
export interface FederatedScope {
  /** The only agent that the tokens may use. */
  agentId?: string | undefined;
  /** The slug of that agent, instead of its id. */
  agentSlug?: string | undefined;
  /** The claim that contains the id of the agent, instead. */
  agentClaim?: string | undefined;
  /** The only session that the tokens may use, one of the agent in `agentId`. */
  sessionId?: string | undefined;
  /** The claim that contains the id of the session, instead. */
  sessionClaim?: string | undefined;
  /** The claim that names the subject of the token, such as `sub`. Default: tokens have no subject. */
  subjectClaim?: string | undefined;
}

/** Its tokens no longer work. */
export interface DeletedIdentityProvider {
  /** The id of the identity provider. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** The identity providers of the project. */
export interface IdentityProviderList {
  /** Newest first. */
  identityProviders: Array<IdentityProvider>;
}

/** An issuer whose signed tokens are accepted like `svc_et_…` tokens. */
export interface IdentityProvider {
  /** The id of the identity provider. */
  id: string;
  /** The project whose sessions its tokens can use. */
  projectId: string;
  /** The purpose of the identity provider. */
  name: string;
  /** The exact `iss` of its tokens. */
  issuer: string;
  /** The exact `aud` of its tokens, generated by the server. */
  audience: string;
  /** The https URL of the issuer's keys; null for discovery, at the issuer's `/.well-known/openid-configuration`. */
  jwksUri: string | null;
  /** The accepted signature algorithms, any of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA. */
  algorithms: Array<string>;
  /** The longest accepted time between `iat` and `exp` of a token. */
  maxLifetimeSeconds: number;
  /** A token must fulfil all of them. At least one is needed: the issuer may give tokens to anyone, and the audience is public. */
  conditions: Array<ClaimCondition>;
  /** The scope of the tokens: the sessions of one agent, or one session. Without a session, all of the agent's and new ones. */
  scope: FederatedScope;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** When it was last changed. In ISO 8601. */
  updatedAt: string;
}

/** Absent members stay unchanged; `conditions` and `scope` are replaced as a whole. The issuer never changes. */
export interface UpdateIdentityProviderRequest {
  /** The purpose of the identity provider. */
  name?: string | undefined;
  /** The https URL of the issuer's keys; null for discovery, at the issuer's `/.well-known/openid-configuration`. */
  jwksUri?: string | null | undefined;
  /** The accepted signature algorithms, any of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA. */
  algorithms?: ReadonlyArray<string> | undefined;
  /** The longest accepted time between `iat` and `exp` of a token. */
  maxLifetimeSeconds?: number | undefined;
  /** A token must fulfil all of them. At least one is needed: the issuer may give tokens to anyone, and the audience is public. */
  conditions?: ReadonlyArray<ClaimCondition> | undefined;
  /** The scope of the tokens: the sessions of one agent, or one session. Without a session, all of the agent's and new ones. */
  scope?: FederatedScope | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The login of a browser; its credential is in the cookie. */
export interface Login {
  /** The id of the login, by which the audit log names it. */
  loginId: string;
  /** When the login ends unless it is used before. In ISO 8601. */
  expiresAt: string;
}

/** How a browser can log in. */
export interface LoginWays {
  /** With an API key. Always true. */
  apiKey: boolean;
  /** With the identity provider of the installation; null if none is configured. */
  oidc: LoginProvider | null;
}

/** The identity provider. */
export interface LoginProvider {
  /** Its host, as users know it. */
  name: string;
}

/** The server, and how the platform authenticates to it. */
export interface CreateMcpServerRequest {
  /** Its name in `mcpServers` of definitions: lower-case words joined by dashes, and not `platform`, `shell` or `files`. Unique in the project; never changes. */
  slug: string;
  /** Its URL, http or https. */
  url: string;
  /** The credentials of the platform. No response contains the secrets. */
  auth?: McpAuth | undefined;
  /** Headers of every request to the server. Their values are treated as secrets: no response contains them. */
  headers?: Record<string, string> | undefined;
  /** The only tools that agents may use, by name or by a pattern with `*`; null for all. */
  tools?: ReadonlyArray<string> | null | undefined;
  /** How long a call may go without progress, in milliseconds. */
  idleTimeoutMs?: number | undefined;
  /** How long a call may take, in milliseconds. */
  timeoutMs?: number | undefined;
  /** False if agents cannot use it. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The credentials of the platform. No response contains the secrets. */
export interface McpAuth {
  /** How the platform authenticates. */
  type: "none" | "bearer" | "header" | "client-credentials" | "private-key-jwt";
  /** With `bearer`. */
  token?: string | undefined;
  /** With `header`: its value. */
  value?: string | undefined;
  /** With `client-credentials`. */
  clientSecret?: string | undefined;
  /** With `private-key-jwt`: a private key in PEM (PKCS 8), not encrypted. */
  privateKey?: string | undefined;
  /** With `header`: the name of the header. */
  name?: string | undefined;
  /** With `client-credentials` and `private-key-jwt`. */
  clientId?: string | undefined;
  /** With `private-key-jwt`: the signature algorithm. Default: the usual one for the key. */
  algorithm?: string | undefined;
  /** With `client-credentials` and `private-key-jwt`: the only authorization server that may receive the credentials. Default: the one that the MCP server names. */
  issuer?: string | undefined;
  /** With `client-credentials` and `private-key-jwt`: the scopes to request, joined by spaces. */
  scope?: string | undefined;
}

/** Agents no longer reach the server. */
export interface DeletedMcpServer {
  /** The id of the MCP server. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** The MCP servers of the project. */
export interface McpServerList {
  /** By slug. */
  mcpServers: Array<McpServer>;
}

/** A server of the Model Context Protocol whose tools the agents of the project can call. */
export interface McpServer {
  /** The id of the MCP server. */
  id: string;
  /** The project that it belongs to. */
  projectId: string;
  /** Its name in `mcpServers` of definitions: lower-case words joined by dashes, and not `platform`, `shell` or `files`. Unique in the project; never changes. */
  slug: string;
  /** Its URL, http or https. */
  url: string;
  /** The credentials of the platform, without secrets. */
  auth: ShownMcpAuth;
  /** The names of the headers that the platform sends. */
  headerNames: Array<string>;
  /** The only tools that agents may use, by name or by a pattern with `*`; null for all. */
  tools: Array<string> | null;
  /** How long a call may go without progress, in milliseconds. */
  idleTimeoutMs: number;
  /** How long a call may take, in milliseconds. */
  timeoutMs: number;
  /** False if agents cannot use it. */
  enabled: boolean;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** When it was last changed. In ISO 8601. */
  updatedAt: string;
}

/** The credentials of the platform, without secrets. */
export interface ShownMcpAuth {
  /** How the platform authenticates. */
  type: "none" | "bearer" | "header" | "client-credentials" | "private-key-jwt";
  /** With `header`: the name of the header. */
  name?: string;
  /** With `client-credentials` and `private-key-jwt`. */
  clientId?: string;
  /** With `private-key-jwt`: the signature algorithm. Default: the usual one for the key. */
  algorithm?: string;
  /** With `client-credentials` and `private-key-jwt`: the only authorization server that may receive the credentials. Default: the one that the MCP server names. */
  issuer?: string;
  /** With `client-credentials` and `private-key-jwt`: the scopes to request, joined by spaces. */
  scope?: string;
}

/** Absent members stay unchanged; `auth`, `headers` and `tools` are replaced as a whole. With a URL of another origin, send `auth` and `headers` again if they contain secrets. */
export interface UpdateMcpServerRequest {
  /** Its URL, http or https. */
  url?: string | undefined;
  /** The credentials of the platform. No response contains the secrets. */
  auth?: McpAuth | undefined;
  /** Headers of every request to the server. Their values are treated as secrets: no response contains them. */
  headers?: Record<string, string> | undefined;
  /** The only tools that agents may use, by name or by a pattern with `*`; null for all. */
  tools?: ReadonlyArray<string> | null | undefined;
  /** How long a call may go without progress, in milliseconds. */
  idleTimeoutMs?: number | undefined;
  /** How long a call may take, in milliseconds. */
  timeoutMs?: number | undefined;
  /** False if agents cannot use it. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The models that agents can name. */
export interface ModelList {
  /** By provider, then by id. */
  models: Array<Model>;
}

/** A language model. */
export interface Model {
  /** The value for an agent's `model` field. */
  id: string;
  /** The name for users. */
  name: string;
  /** The provider's slug. */
  provider: string;
  /** How requests reach the provider. */
  routing: "direct" | "aggregator";
  /** In tokens; null if unknown. */
  contextLength: number | null;
  /** The prices of the model. */
  pricing: Pricing;
}

/** The prices of the model. */
export interface Pricing {
  /** US dollars per million tokens, a decimal number. */
  inputPer1M: string;
  /** US dollars per million tokens, a decimal number. */
  outputPer1M: string;
  /** Price of cached input; null if it equals that of other input. */
  cacheReadPer1M: string | null;
  /** Price of reasoning; null if it equals that of other output. */
  reasoningPer1M: string | null;
  /** The platform's own fee, for both input and output. */
  bandwidthPer1M: string;
  /** Ascending; empty for flat prices. */
  tiers: Array<PriceTier>;
}

/** Prices of the whole request if it reaches `minInputTokens`. */
export interface PriceTier {
  /** The tier applies from this number of input tokens. */
  minInputTokens: number;
  /** US dollars per million tokens, a decimal number. */
  inputPer1M: string;
  /** US dollars per million tokens, a decimal number. */
  outputPer1M: string;
}

/** The project has no key for the provider. */
export interface DeletedProviderKey {
  /** The provider. */
  provider: string;
  /** False if the project had no key for it. */
  deleted: boolean;
}

/** The providers for which the project has its own key. */
export interface ProviderKeyList {
  /** By provider. */
  providerKeys: Array<ProviderKey>;
}

/** A project's own key for a model provider, without the key. */
export interface ProviderKey {
  /** The first part of the provider's model ids. */
  provider: string;
  /** The last 4 characters of the key; null for a key of fewer than 16 characters. */
  lastFour: string | null;
  /** Since when the project has had a key for this provider. In ISO 8601. */
  createdAt: string;
  /** When the key was last set. In ISO 8601. */
  updatedAt: string;
}

/** The project's own key. */
export interface SetProviderKeyRequest {
  /** The key, as the provider issued it: printable ASCII characters without spaces. */
  key: string;
}

/** The times and the message. */
export interface CreateScheduleRequest {
  /** The name of the schedule. */
  name: string;
  /** An IANA name, such as `Europe/Berlin`. */
  timezone: string;
  /** The message of each thread. */
  message: string;
  /** Five fields: minute, hour, day of the month, month, day of the week. Send either this or `at`. */
  cron?: string | undefined;
  /** Runs once: a time of the zone, or one with its offset from UTC. */
  at?: string | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  config?: RunConfig | undefined;
  /** If the thread of the previous run has not ended: `skip` starts none, `queue` starts one that waits. Default: `skip`. */
  overlap?: "skip" | "queue" | undefined;
  /** Times at which no process was running: `skip` runs none of them, `once` the last one. Default: `skip`. */
  misfire?: "skip" | "once" | undefined;
  /** A fixed delay of each run, of up to this many milliseconds. Default: 0. */
  jitterMs?: number | undefined;
  /** False if a user has paused it. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
  /** How late `once` runs a time. Default: a day. */
  misfireWindowMs?: number | undefined;
  /** Unique among the agent's schedules. Default: derived from the name. */
  slug?: string | undefined;
}

/** It starts no more threads. */
export interface DeletedSchedule {
  /** The id of the schedule. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** The schedules of the agent. */
export interface ScheduleList {
  /** Newest first. */
  schedules: Array<Schedule>;
}

/** When a workforce agent gets a message. */
export interface Schedule {
  /** The id of the schedule. */
  id: string;
  /** The project that it belongs to. */
  projectId: string;
  /** The workforce agent. */
  agentId: string;
  /** The name of the schedule. */
  name: string;
  /** Its name among the agent's schedules, which never changes. */
  slug: string;
  /** Five fields; null if it runs once. */
  cron: string | null;
  /** When it runs; null if it runs again and again. */
  at: string | null;
  /** An IANA name, such as `Europe/Berlin`. */
  timezone: string;
  /** The message of each thread. */
  message: string;
  /** Settings of runs. What is absent is that of the definition. */
  config: StoredRunConfig;
  /** If the thread of the previous run has not ended: `skip` starts none, `queue` starts one that waits. Default: `skip`. */
  overlap: "skip" | "queue";
  /** Times at which no process was running: `skip` runs none of them, `once` the last one. Default: `skip`. */
  misfire: "skip" | "once";
  /** How late `once` runs a time; null: a day. */
  misfireWindowMs: number | null;
  /** A fixed delay of each run, of up to this many milliseconds. Default: 0. */
  jitterMs: number;
  /** False if a user has paused it. */
  enabled: boolean;
  /** Why the platform has paused it; null if it has not. */
  pausedReason: string | null;
  /** The next five at most; none if it is paused or has ended. */
  nextRuns: Array<string>;
  /** The latest run; null if there was none. */
  lastRun: ScheduleRun | null;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** When a user last changed it. In ISO 8601. */
  updatedAt: string;
}

/** The outcome of a time of the schedule. */
export interface ScheduleRun {
  /** The id of the run. */
  id: string;
  /** The time, without the jitter. In ISO 8601. */
  scheduledAt: string;
  /** The last time that this entry is about; null if it is the only one. */
  until: string | null;
  /** True if a user has asked for it. */
  manual: boolean;
  /** `pending`, `fired` or `skipped`. */
  status: string;
  /** Why it was skipped: `missed`, `overlap`, `agent_paused`, `agent_deleted`, `refused` or `unavailable`; more can be added. Null unless skipped. */
  reason: string | null;
  /** A sentence that says why the time was skipped, or why its thread has failed; null without a problem. */
  problem: string | null;
  /** The thread that was started; null unless fired. */
  threadId: string | null;
  /** `succeeded` or `failed`: five failures in a row pause the schedule; null if it is neither, or its thread has not ended. */
  outcome: string | null;
  /** When it was noted. In ISO 8601. */
  createdAt: string;
}

/** A page of the ledger. */
export interface ScheduleRunList {
  /** Newest first. */
  runs: Array<ScheduleRun>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** Absent members stay unchanged. `cron` replaces `at`, and vice versa. */
export interface UpdateScheduleRequest {
  /** The name of the schedule. */
  name?: string | undefined;
  /** An IANA name, such as `Europe/Berlin`. */
  timezone?: string | undefined;
  /** The message of each thread. */
  message?: string | undefined;
  /** Five fields: minute, hour, day of the month, month, day of the week. Send either this or `at`. */
  cron?: string | undefined;
  /** Runs once: a time of the zone, or one with its offset from UTC. */
  at?: string | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  config?: RunConfig | undefined;
  /** If the thread of the previous run has not ended: `skip` starts none, `queue` starts one that waits. Default: `skip`. */
  overlap?: "skip" | "queue" | undefined;
  /** Times at which no process was running: `skip` runs none of them, `once` the last one. Default: `skip`. */
  misfire?: "skip" | "once" | undefined;
  /** A fixed delay of each run, of up to this many milliseconds. Default: 0. */
  jitterMs?: number | undefined;
  /** False if a user has paused it. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
  /** How late `once` runs a time; null for a day. */
  misfireWindowMs?: number | null | undefined;
}

/** A page of sessions. */
export interface SessionList {
  /** The sessions, the most recently changed first. */
  sessions: Array<SessionSummary>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A session in a list. */
export interface SessionSummary {
  /** The id of the session. */
  sessionId: string;
  /** The id of the agent. */
  agentId: string;
  /** Whether the session can be triggered. */
  status: "active" | "expired";
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string>;
  /** The first text that a user wrote, up to 80 characters. Absent without one, and after the expiry. */
  title?: string;
  /** The messages that users see; 0 after the expiry. */
  messageCount: number;
  /** When the session was created. In ISO 8601. */
  createdAt: string;
  /** When the session last changed. In ISO 8601. */
  updatedAt: string;
}

/** An entry of an execution log; `type` names it. Ignore entries of unknown types. */
export type LogEntry = TriggerEntry | MessageEntry | ThreadCreatedEntry | BlockOperationEntry | WorkerExecutionEntry | WorkerOutputEntry | AbortEntry | ErrorEntry | ModelRequestEntry | LlmResponseEntry | ReasoningEntry | LlmToolRequestEntry | CompactionEntry | StepStatsEntry | ToolCallEntry | ApprovalEntry | ToolOutputBoundedEntry | ToolResultEntry;

/** A turn starts, or continues with tool results. */
export interface TriggerEntry {
  type: "trigger";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The trigger; empty for a worker. */
  triggerName: string;
  /** Its input, an object. Absent if the turn continues. */
  input?: unknown;
  /** True if the turn continues with tool results. */
  isContinuation: boolean;
}

/** A block has added a message to the conversation. */
export interface MessageEntry {
  type: "message";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the message. */
  messageId: string;
  /** Who speaks. */
  role: "user" | "assistant" | "system";
  /** Its text. */
  text: string;
  /** False if only the model reads it. */
  isVisible: boolean;
}

/** A named thread has been configured; if it existed before, its messages stay. */
export interface ThreadCreatedEntry {
  type: "thread-created";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
}

/** A block starts, or continues after tool results. */
export interface BlockOperationEntry {
  type: "block-operation";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of this run of the block. */
  blockId: string;
  /** The kind of block. */
  blockType: string;
}

/** A worker starts. */
export interface WorkerExecutionEntry {
  type: "worker-execution";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The worker's slug. */
  workerSlug: string;
  /** Its input, an object. */
  input?: unknown;
}

/** A worker has ended. */
export interface WorkerOutputEntry {
  type: "worker-output";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** Its output; absent if it declares none. */
  output?: unknown;
  /** Why it failed. */
  error?: string;
}

/** The turn was stopped before it ended. */
export interface AbortEntry {
  type: "abort";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** `disconnected`: the reader left. `cancelled`: by a request. `cleared`: the session was cleared. `lost`: another instance took over. `store-down`: the store did not respond. `storage-full`: its disk was full. `too-large`: the session became too large. `stopping`: the service stopped. `adopted-too-often`: the processes that ran it died one after another. `spending-limit`, `usage-limit`: the dollars or tokens of the month were used, or the dollars of the execution. */
  cause: "disconnected" | "cancelled" | "cleared" | "lost" | "store-down" | "storage-full" | "too-large" | "stopping" | "adopted-too-often" | "spending-limit" | "usage-limit";
}

/** A failure: of a model call, of a block or of the turn; or a problem that the turn survives. */
export interface ErrorEntry {
  type: "error";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The kind of failure. */
  errorType: "authentication_error" | "permission_error" | "validation_error" | "not_found_error" | "rate_limit_error" | "quota_exceeded_error" | "provider_error" | "provider_overloaded" | "provider_timeout" | "execution_error" | "tool_error" | "protocol_error" | "internal_error" | "unknown_error";
  /** What failed, as in the `error` event. */
  message: string;
  /** What failed. */
  source: "platform" | "provider" | "tool" | "client";
  /** True if the same request may succeed later. */
  retryable: boolean;
  /** The code, if it has one. */
  code?: string;
  /** The provider that failed. */
  provider?: {
    /** The provider's name. */
    name: string;
    /** The model that was called. */
    model?: string;
    /** The HTTP status of the provider's response. */
    statusCode?: number;
    /** The provider's own name for the error. */
    errorType?: string;
    /** The provider's id of the request. */
    requestId?: string;
  };
  /** The tool that failed. */
  tool?: {
    /** The tool's name. */
    name: string;
    /** The id of the call. */
    callId?: string;
  };
  /** True if the turn continues nevertheless. */
  isHandled: boolean;
}

/** A model is called. */
export interface ModelRequestEntry {
  type: "model-request";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the model. */
  model: string;
  /** The number of the model step in its execution: 1, 2, 3 … */
  step: number;
  /** True if this is the backup model. */
  isBackup: boolean;
  /** The prompt, tools and settings. Long texts and lists are shortened, with a note. */
  request: unknown;
}

/** The model has written text, or the JSON of an object. */
export interface LlmResponseEntry {
  type: "llm-response";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the model. */
  model: string;
  /** The number of the model step in its execution: 1, 2, 3 … */
  step: number;
  /** The text. */
  text: string;
  /** `partial`: the call was cut or failed, and this was kept. `discarded`: the step was made again on the backup model. */
  outcome: "done" | "partial" | "discarded";
}

/** The model has reasoned. */
export interface ReasoningEntry {
  type: "reasoning";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the model. */
  model: string;
  /** The number of the model step in its execution: 1, 2, 3 … */
  step: number;
  /** The reasoning that the provider reveals. */
  text: string;
  /** `partial`: the call was cut or failed, and this was kept. `discarded`: the step was made again on the backup model. */
  outcome: "done" | "partial" | "discarded";
}

/** The model asks for tool calls. */
export interface LlmToolRequestEntry {
  type: "llm-tool-request";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the model. */
  model: string;
  /** The number of the model step in its execution: 1, 2, 3 … */
  step: number;
  /** The calls, in the order in which the model wrote them. */
  toolCalls: Array<{
    /** The id of the call. */
    toolCallId: string;
    /** The name of the tool. */
    toolName: string;
    /** The arguments. */
    args: unknown;
  }>;
  /** `partial`: the call was cut or failed, and this was kept. `discarded`: the step was made again on the backup model. */
  outcome: "done" | "partial" | "discarded";
}

/** A model reads less than the whole conversation from here on. */
export interface CompactionEntry {
  type: "compaction";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the model. */
  model: string;
  /** The number of the model step in its execution: 1, 2, 3 … */
  step: number;
  /** `threshold`: the prompt reached its share of the context window. `refusal`: the provider refused its length. */
  cause: "threshold" | "refusal";
  /** `summary`: a summary was written, and stands for the messages in later turns too. `trim`: messages are left out of this call. */
  method: "summary" | "trim";
  /** The estimated tokens of the prompt without the compaction. */
  tokensBefore: number;
  /** The estimated tokens of the prompt with it. */
  tokensAfter: number;
  /** How many messages became part of the summary, or are left out wholly or in part. */
  messages: number;
  /** Who wrote the summary: the id of a model, or the slug of a worker. */
  summarizer?: string;
  /** The summary. */
  summary?: string;
  /** Why no summary could be written. */
  problem?: string;
}

/** A model call has ended: its tokens, cost and duration. */
export interface StepStatsEntry {
  type: "step-stats";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the model. */
  model: string;
  /** The number of the model step in its execution: 1, 2, 3 … */
  step: number;
  /** True if this was the backup model. */
  isBackup: boolean;
  /** How the provider says that it ended; `failed`: the call failed, `aborted`: it was cut off. */
  finishReason: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other" | "failed" | "aborted";
  /** From the call to its end, in milliseconds. */
  latencyMs: number;
  /** From the call to the first part of its response, in milliseconds. */
  firstPartMs?: number;
  /** As the provider counts them; absent if it did not report any. */
  tokens?: {
    /** Including those read from a cache. */
    inputTokens: number;
    /** Including reasoning. */
    outputTokens: number;
    /** The sum of both. */
    totalTokens: number;
    /** Read from the provider's cache. */
    cacheReadTokens?: number;
    /** Written to the provider's cache. */
    cacheWriteTokens?: number;
    /** Spent on reasoning. */
    reasoningTokens?: number;
  };
  /** Absent if the model has no known price or reported no tokens. */
  cost?: {
    /** US dollars. */
    currency: "USD";
    /** What the provider charges, an exact decimal. */
    providerFee: string;
    /** What the platform charges, an exact decimal. */
    bandwidthFee: string;
    /** The sum of both, an exact decimal. */
    totalFee: string;
  };
  /** The version of the price list. */
  priceVersion: string;
}

/** A tool is called. */
export interface ToolCallEntry {
  type: "tool-call";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** The arguments. */
  args: unknown;
  /** Whether the model or a block made the call. */
  source: "llm" | "block";
  /** Who carries it out: the caller of the trigger, the platform, or the provider of the model. */
  executor: "caller" | "platform" | "provider";
}

/** A tool call waits for a user's decision, or has it. */
export interface ApprovalEntry {
  type: "approval";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** The id of the approval. */
  approvalId: string;
  /** `pending`: it waits from now on. */
  status: "pending" | "approved" | "denied" | "expired";
  /** The principal that decided. */
  decidedBy?: string;
  /** The words of the user who decided. */
  message?: string;
  /** The arguments that the user has put in the place of the model's. */
  args?: unknown;
}

/** A result is longer than the thread's `maxToolOutputTokens`: its models read only the head and the tail. */
export interface ToolOutputBoundedEntry {
  type: "tool-output-bounded";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** The length of the whole result, which the session keeps. */
  characters: number;
  /** The length of what models read, with the note about what is left out. */
  keptCharacters: number;
}

/** A tool call has an outcome. */
export interface ToolResultEntry {
  type: "tool-result";
  /** The id of the entry. */
  id: string;
  /** Rises from entry to entry of a session, in all executions. Numbers have gaps. */
  sequence: number;
  /** When it happened, in ISO 8601. */
  timestamp: string;
  /** The execution that it belongs to. */
  executionId: string;
  /** The named thread; absent for the main conversation. */
  thread?: string;
  /** The block that was running. */
  blockName?: string;
  /** The worker that was running; absent outside workers. */
  workerId?: string;
  /** A text or value is not whole. The entry by its id has all that is stored of it. */
  shortened?: true;
  /** The id of the call. */
  toolCallId: string;
  /** The name of the tool. */
  toolName: string;
  /** `cancelled`: the caller sent no result. */
  status: "done" | "error" | "cancelled";
  /** The result of a call that is done. */
  result?: unknown;
  /** Why the call failed. */
  error?: string;
}

/** The log, or the remaining fields of an expired session. */
export type SessionLogReply = SessionLog | ExpiredSession;

/** The log of the executions of a session. */
export interface SessionLog {
  /** The id of the session. */
  sessionId: string;
  /** The newest entries, or those after `after`, up to `limit`, oldest first. */
  entries: Array<LogEntry>;
  /** How many stored entries match the request. */
  total: number;
  /** True if older entries match but are not in the response; with `after` or `limit`, if later ones do. */
  truncated: boolean;
}

/** An expired session. Its messages are no longer kept. */
export interface ExpiredSession {
  /** The id of the session. */
  sessionId: string;
  /** The id of the agent. */
  agentId: string;
  /** The session has expired. */
  status: "expired";
  /** When the session was created. In ISO 8601. */
  createdAt: string;
}

/** No turn is running. */
export interface CancelledExecution {
  /** The id of the session. */
  sessionId: string;
  /** False if no turn was running. */
  cancelled: boolean;
}

/** The session is expired. */
export interface ClearedSession {
  /** The id of the session. */
  sessionId: string;
  /** True. */
  cleared: boolean;
}

/** The agent and its input. */
export interface CreateSessionRequest {
  /** The agent. Send either this or agentSlug. */
  agentId?: string | undefined;
  /** The slug of an active agent. Send either this or agentId. */
  agentSlug?: string | undefined;
  /** The input variables that the definition declares. */
  input?: Record<string, unknown> | undefined;
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata?: Record<string, string> | undefined;
  /** The subject of the session, such as the id of a user: limits, usage and HTTP tools refer to it. It never changes. A token for a subject sets it; no token can choose another. Default: none. */
  subject?: string | undefined;
}

/** The stored conversation. */
export interface RestoreSessionRequest {
  /** The whole conversation, oldest first. */
  messages: ReadonlyArray<StoredUiMessage>;
  /** The input variables that the definition declares. */
  input?: Record<string, unknown> | undefined;
}

/** A `UiMessage` that the client has stored. Further fields are ignored. */
export interface StoredUiMessage {
  /** The id of the message. */
  id: string;
  /** Who wrote it. */
  role: "user" | "assistant";
  /** The content, in order. */
  parts: ReadonlyArray<StoredUiMessagePart>;
  /** Its state. */
  status?: "done" | "streaming" | undefined;
  /** When it was created. */
  createdAt?: string | undefined;
}

/** A `UiMessagePart`. */
export interface StoredUiMessagePart {
  /** The kind of part. */
  type: string;
}

/** The session is active. */
export interface RestoredSession {
  /** The id of the session. */
  sessionId: string;
  /** False if the session was already active. */
  restored: boolean;
}

/** The new session. */
export interface CreatedSession {
  /** The id of the session. */
  sessionId: string;
}

/** The session. */
export type Session = ActiveSession | UiSession | ExpiredSession;

/** An active session in the full format. */
export interface ActiveSession {
  /** The id of the session. */
  id: string;
  /** The id of the agent. */
  agentId: string;
  /** The session is active. */
  status: "active";
  /** The turn that has not ended: it is running, or waits. Absent: there is none. */
  turn?: CurrentTurn;
  /** The input variables that the definition declares. */
  input: Record<string, unknown>;
  /** The session variables by name. */
  variables: Record<string, unknown>;
  /** The resource values by name. */
  resources: Record<string, unknown>;
  /** The subject of the session. Absent: none. */
  subject?: string;
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string>;
  /** The conversation, oldest first. */
  messages: Array<UiMessage>;
  /** The usage of all turns of the session so far. */
  usage: SessionUsage;
  /** When the session was created. In ISO 8601. */
  createdAt: string;
  /** When the session last changed. In ISO 8601. */
  updatedAt: string;
}

/** The turn that has not ended: it is running, or waits. Absent: there is none. */
export interface CurrentTurn {
  /** The execution, whose events continue the messages. */
  executionId: string;
  /** The messages show the events of its latest response up to this number. 0: none of them. */
  after: number;
}

/** The usage of all turns of the session so far. */
export interface SessionUsage {
  /** The cost of the model calls. */
  cost: {
    /** The currency of all fees. */
    currency: "USD";
    /** The price of the model calls. */
    providerFee: number;
    /** The platform's own fee. */
    bandwidthFee: number;
    /** The sum of both fees. */
    totalFee: number;
    /** True if all model calls used the project's own keys. */
    byok: boolean;
  };
  /** The tokens of the model calls. */
  tokens: {
    /** Tokens sent to models. */
    inputTokens: number;
    /** Tokens written by models. */
    outputTokens: number;
    /** The sum of both. */
    totalTokens: number;
  };
  /** Tokens by model id. */
  models: Record<string, {
    /** Tokens sent to models. */
    inputTokens: number;
    /** Tokens written by models. */
    outputTokens: number;
    /** The sum of both. */
    totalTokens: number;
  }>;
}

/** An active session with `format=ui`. */
export interface UiSession {
  /** The id of the session. */
  sessionId: string;
  /** The id of the agent. */
  agentId: string;
  /** The session is active. */
  status: "active";
  /** The turn that has not ended: it is running, or waits. Absent: there is none. */
  turn?: CurrentTurn;
  /** The conversation, oldest first. */
  messages: Array<UiMessage>;
}

/** The agent, its input, and the first turn. */
export interface StartSessionRequest {
  /** The agent. Send either this or agentSlug. */
  agentId?: string | undefined;
  /** The slug of an active agent. Send either this or agentId. */
  agentSlug?: string | undefined;
  /** The input variables that the definition declares. */
  input?: Record<string, unknown> | undefined;
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata?: Record<string, string> | undefined;
  /** The subject of the session, such as the id of a user: limits, usage and HTTP tools refer to it. It never changes. A token for a subject sets it; no token can choose another. Default: none. */
  subject?: string | undefined;
  /** 1 to 255 printable ASCII characters without spaces, such as a UUID. A repeat of the request with the same key replays the first turn and never runs it again. */
  idempotencyKey?: string | undefined;
  /** The first turn of the session. */
  trigger: FirstTrigger;
  /** False: the response is one JSON document when the turn has ended or paused. Default: true, a stream of events. */
  stream?: boolean | undefined;
}

/** The first turn of the session. */
export interface FirstTrigger {
  /** The trigger of the definition. */
  triggerName: string;
  /** The input that the trigger declares. */
  input?: Record<string, unknown> | undefined;
  /** The author of the user message. It is stored with the message. */
  sender?: Sender | undefined;
  /** Additional tools that the caller executes. */
  dynamicToolSchemas?: ReadonlyArray<DynamicTool> | undefined;
  /** What happens to the turn if the reader leaves. Default: `cancel`. */
  onDisconnect?: "cancel" | "continue" | undefined;
  /** Whether a `usage` event follows `finish`. Default: false. */
  usage?: boolean | undefined;
  /** The most that the execution may cost in US dollars, its continuations and the bandwidth fee included. It exceeds that by one step at most. Default: no limit. */
  maxUsd?: number | undefined;
}

/** A new turn, or the continuation of one. */
export interface TriggerRequest {
  /** The trigger of the definition. Required unless executionId is given. */
  triggerName?: string | undefined;
  /** The input that the trigger declares. */
  input?: Record<string, unknown> | undefined;
  /** Results of the calls that the turn waits for. Calls without an entry are cancelled. */
  toolResults?: ReadonlyArray<ToolResult> | undefined;
  /** To continue a paused turn: its id from the `start` event. */
  executionId?: string | undefined;
  /** The last message to keep; null removes all messages. */
  rollbackAfterMessageId?: string | null | undefined;
  /** The author of the user message. It is stored with the message. */
  sender?: Sender | undefined;
  /** Additional tools that the caller executes. */
  dynamicToolSchemas?: ReadonlyArray<DynamicTool> | undefined;
  /** What happens to the turn if the reader leaves. Default: `cancel`. */
  onDisconnect?: "cancel" | "continue" | undefined;
  /** Whether a `usage` event follows `finish`. Default: false. */
  usage?: boolean | undefined;
  /** The most that the execution may cost in US dollars, its continuations and the bandwidth fee included. It exceeds that by one step at most. Default: no limit. */
  maxUsd?: number | undefined;
  /** False: the response is one JSON document when the turn has ended or paused. Default: true, a stream of events. */
  stream?: boolean | undefined;
}

/** The changes to the session. */
export interface UpdateSessionRequest {
  /** The keys to change: null or an empty string removes a key, and other keys stay as they are. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string | null>;
}

/** The session's whole metadata. */
export interface UpdatedSession {
  /** The id of the session. */
  sessionId: string;
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string>;
}

/** An event of the stream of changes. */
export interface ChangesEvent {
  /** `connected` is the first event. */
  type: "connected" | "changed";
  /** Everything at or below this path may have changed, such as `/api/agent-sessions`. With `connected`: `/`. */
  address: string;
}

/** The key of the request. */
export interface Credential {
  /** Tokens are refused. */
  type: "key";
  /** The id of the key. */
  keyId: string;
  /** The id of the login that has sent the request; null if it sent the key itself. */
  loginId: string | null;
  /** The project that this request applies to. */
  projectId: string;
  /** True if X-Project-Id may name any project. */
  anyProject: boolean;
  /** The permissions of the key. */
  permissions: Array<"sessions" | "agents" | "mint-tokens" | "workforce" | "approve" | "admin">;
  /** The only agent that the credential may use; null for any. */
  agentId: string | null;
  /** The only session that the credential may use; null for any. */
  sessionId: string | null;
}

/** The process is alive. */
export interface Health {
  /** `ok`. */
  status: string;
}

/** The server cannot serve requests now. The code is `UNAVAILABLE`. */
export interface NotReady {
  /** One sentence that says what is wrong and what to do. It may be reworded. */
  error: string;
  /** The kind of error, to branch on. Codes are never renamed. */
  code: string;
  /** The id of the request, as in `X-Request-Id`. */
  requestId: string;
  /** Why the server cannot serve requests. */
  status: "not_ready" | "stopping";
  /** The state of each part; what a part itself lacks is listed as part.name. */
  dependencies: Record<string, never>;
}

/** The state of the model providers. */
export interface ProviderList {
  /** All providers that this version knows. */
  providers: Array<Provider>;
}

/** A model provider. */
export interface Provider {
  /** The first part of its model ids. */
  name: string;
  /** Whether its models can be used. */
  status: "ok" | "not_configured" | "key_refused" | "unreachable";
  /** The problem and how to fix it; null if there is none. */
  message: string | null;
  /** True if the project of the request has its own key for it. */
  projectKey: boolean;
  /** When the provider was asked; null if that was not necessary. */
  checkedAt: string | null;
}

/** The server can serve requests. */
export interface Ready {
  /** Always `ready`. */
  status: "ready";
  /** The state of each part; what a part itself lacks is listed as part.name. */
  dependencies: Record<string, never>;
  /** What does not work although everything responds. `storage-full`: a disk is full, so that only reads and deletions work. */
  degraded?: Array<"storage-full">;
}

/** The scope of the new token. */
export interface MintTokenRequest {
  /** The only agent whose sessions the token may use. Send either this or agentSlug. */
  agentId?: string | undefined;
  /** The slug of the agent. Send either this or agentId. */
  agentSlug?: string | undefined;
  /** The only session that the token may use. Default: any session of the agent, and new ones. */
  sessionId?: string | undefined;
  /** True for a token that also decides on approvals of its session. Needs sessionId, and a key with the permission approve. Default: false. */
  approve?: boolean | undefined;
  /** The most that the execution may cost in US dollars, its continuations and the bandwidth fee included. It exceeds that by one step at most. Default: no limit. */
  maxUsd?: number | undefined;
  /** The subject of the token: it can use only the sessions and executions of this subject, and new ones belong to it. Default: none. */
  subject?: string | undefined;
  /** The lifetime of the token in seconds, at most 86400 and never beyond that of the key that mints it; a longer one is shortened. Default: 3600. */
  ttlSeconds?: number | undefined;
}

/** The new token. */
export interface MintedToken {
  /** The credential, which is shown only once. Send it like an API key. */
  token: string;
  /** The id of the token, for its revocation. */
  jti: string;
  /** When the token stops working. In ISO 8601. */
  expiresAt: string;
}

/** The token to revoke, named by itself or by its id. */
export interface RevokeTokenRequest {
  /** The token itself. */
  token?: string | undefined;
  /** The id of the token, instead of the token itself. */
  jti?: string | undefined;
}

/** The outcome. */
export interface RevokedToken {
  /** False if the text is not a token of this project, or the token has expired. */
  revoked: boolean;
  /** The id of the token; absent if it is unknown or has expired. */
  jti?: string;
}

/** The call has this result now. */
export interface AnsweredToolCall {
  /** The call. */
  callId: string;
  /** When its result arrived. In ISO 8601. */
  answeredAt: string;
}

/** The outcome: either `result` or `error`. At most 1 MiB. */
export interface AnswerToolCallRequest {
  /** The result of the call: any JSON. */
  result?: unknown | undefined;
  /** Why the call failed, in words for the model. */
  error?: string | undefined;
}

/** The project has no secret for the host. */
export interface DeletedToolSecret {
  /** The host as in a URL, in lower case, with its port unless it is that of https: `api.example.com`, `10.0.0.7:8080`. */
  host: string;
  /** False if the project had no secret for it. */
  deleted: boolean;
}

/** The secret, or an empty object for a generated one. */
export interface SetToolSecretRequest {
  /** `whsec_` followed by 24 to 64 bytes in base64, as in Standard Webhooks. Default: a generated one. */
  secret?: string | undefined;
}

/** The hosts for which the project has a secret. */
export interface ToolSecretList {
  /** By host. */
  toolSecrets: Array<ToolSecret>;
}

/** The secret for a host, without the secret. */
export interface ToolSecret {
  /** The host as in a URL, in lower case, with its port unless it is that of https: `api.example.com`, `10.0.0.7:8080`. */
  host: string;
  /** The last 4 characters of the secret. */
  lastFour: string;
  /** Since when the project has had a secret for this host. In ISO 8601. */
  createdAt: string;
  /** When the secret was last set. In ISO 8601. */
  updatedAt: string;
}

/** The secret for a host. The secret itself only if the server has generated it. */
export interface SetToolSecret {
  /** The host as in a URL, in lower case, with its port unless it is that of https: `api.example.com`, `10.0.0.7:8080`. */
  host: string;
  /** The last 4 characters of the secret. */
  lastFour: string;
  /** Since when the project has had a secret for this host. In ISO 8601. */
  createdAt: string;
  /** When the secret was last set. In ISO 8601. */
  updatedAt: string;
  /** The generated secret, which is shown only once. */
  secret?: string;
}

/** The usage of the project's model calls. */
export interface UsageReport {
  /** The first day. */
  from: string;
  /** The last day. */
  to: string;
  /** The property. */
  groupBy: "agent" | "key" | "subject" | "model" | "day";
  /** The most expensive first; days in their order. */
  groups: Array<UsageGroup>;
  /** All calls together. */
  total: UsageTotal;
}

/** The model calls with the same value of the property. */
export interface UsageGroup {
  /** The id of the agent, the key or the model, the subject, or the day; null for calls of no key or no subject. */
  name: string | null;
  /** Model calls. */
  calls: number;
  /** Input tokens, with those of caches. */
  inputTokens: number;
  /** Output tokens, with reasoning. */
  outputTokens: number;
  /** The charge of the model providers in US dollars, an exact decimal number. */
  providerFeeUsd: string;
  /** The platform's charge, likewise. */
  bandwidthFeeUsd: string;
  /** Both together, likewise. */
  totalFeeUsd: string;
  /** With `dailyTop`: the days of one of the most expensive groups, in their order. */
  days?: Array<UsageDay>;
}

/** The calls of a day. */
export interface UsageDay {
  /** The day (UTC). */
  day: string;
  /** Model calls. */
  calls: number;
  /** Input tokens, with those of caches. */
  inputTokens: number;
  /** Output tokens, with reasoning. */
  outputTokens: number;
  /** The charge of the model providers in US dollars, an exact decimal number. */
  providerFeeUsd: string;
  /** The platform's charge, likewise. */
  bandwidthFeeUsd: string;
  /** Both together, likewise. */
  totalFeeUsd: string;
}

/** All calls together. */
export interface UsageTotal {
  /** Model calls. */
  calls: number;
  /** Input tokens, with those of caches. */
  inputTokens: number;
  /** Output tokens, with reasoning. */
  outputTokens: number;
  /** The charge of the model providers in US dollars, an exact decimal number. */
  providerFeeUsd: string;
  /** The platform's charge, likewise. */
  bandwidthFeeUsd: string;
  /** Both together, likewise. */
  totalFeeUsd: string;
}

/** The receiver, and its events. */
export interface CreateWebhookRequest {
  /** The receiver: an https URL at a public address, or on one of the hosts in `WEBHOOK_ALLOWED_HOSTS`. */
  url: string;
  /** The types of events to send. */
  events: ReadonlyArray<"thread.running" | "thread.waiting" | "thread.completed" | "thread.failed" | "thread.cancelled" | "thread.blocked" | "recording.ready" | "recording.failed" | "approval.requested" | "approval.decided" | "approval.expired" | "session.expired" | "schedule.paused" | "limit.warning" | "limit.reached">;
  /** The only agent whose events are sent: a workforce agent, or one with sessions. */
  agentId?: string | undefined;
  /** A note for users. */
  description?: string | undefined;
  /** False if nothing is sent, and later events are not kept. */
  enabled?: boolean | undefined;
  /** Unique in the project. Default: derived from the host. */
  slug?: string | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The webhook, with its secret. */
export interface CreatedWebhook {
  /** The id of the webhook. */
  id: string;
  /** The project that it belongs to. */
  projectId: string;
  /** Its name in the project, which never changes. */
  slug: string;
  /** The receiver. */
  url: string;
  /** The types of events that are sent. */
  events: Array<string>;
  /** The only agent whose events are sent; null for all. */
  agentId: string | null;
  /** A note for users; null for none. */
  description: string | null;
  /** False if nothing is sent, and later events are not kept. */
  enabled: boolean;
  /** Why the platform sends nothing until `enabled` is set to true again; null if it does. */
  pausedReason: string | null;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** When it was last changed. In ISO 8601. */
  updatedAt: string;
  /** `whsec_` and base64: signs each event. It is shown only once. */
  secret: string;
}

/** Nothing more is sent to it. */
export interface DeletedWebhook {
  /** The id of the webhook. */
  id: string;
  /** True. */
  deleted: boolean;
}

/** A page of deliveries. */
export interface WebhookDeliveryList {
  /** Newest first. */
  deliveries: Array<WebhookDelivery>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** An event for the webhook. */
export interface WebhookDelivery {
  /** The id of the delivery. */
  id: string;
  /** The webhook that it is for. */
  webhookId: string;
  /** The id of the event: the header `webhook-id` of each attempt. */
  eventId: string;
  /** The type of the event. */
  type: string;
  /** `pending`, `delivered` or `failed`. */
  status: string;
  /** The latest ten, oldest first. */
  attempts: Array<WebhookAttempt>;
  /** How many attempts there were. */
  attemptCount: number;
  /** When it is sent next, in ISO 8601; null if it is not. */
  nextAttemptAt: string | null;
  /** When the event was stored for the webhook. In ISO 8601. */
  createdAt: string;
  /** The body of each attempt: JSON. */
  payload: string;
}

/** A request to the receiver. */
export interface WebhookAttempt {
  /** When it was sent. In ISO 8601. */
  at: string;
  /** The HTTP status of the answer; null without one. */
  status: number | null;
  /** How long the answer took, or until the attempt had failed, in milliseconds. */
  latencyMs: number;
  /** Why it has failed; null if the receiver has accepted the event. */
  problem: string | null;
  /** The first KiB of the answer; null if there was none. */
  answer: string | null;
}

/** The new secret. */
export interface RotatedSecret {
  /** `whsec_` and base64. It is shown only once. */
  secret: string;
  /** When the earlier one stops signing, in ISO 8601; null if there was none. */
  earlierUntil: string | null;
}

/** Absent members stay unchanged. */
export interface UpdateWebhookRequest {
  /** The receiver: an https URL at a public address, or on one of the hosts in `WEBHOOK_ALLOWED_HOSTS`. */
  url?: string | undefined;
  /** The types of events to send. */
  events?: ReadonlyArray<"thread.running" | "thread.waiting" | "thread.completed" | "thread.failed" | "thread.cancelled" | "thread.blocked" | "recording.ready" | "recording.failed" | "approval.requested" | "approval.decided" | "approval.expired" | "session.expired" | "schedule.paused" | "limit.warning" | "limit.reached"> | undefined;
  /** The only agent whose events are sent; null for all. */
  agentId?: string | null | undefined;
  /** A note for users; null for none. */
  description?: string | null | undefined;
  /** False if nothing is sent, and later events are not kept. */
  enabled?: boolean | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The webhooks of the project. */
export interface WebhookList {
  /** Newest first. */
  webhooks: Array<Webhook>;
}

/** A URL that receives events of the project. */
export interface Webhook {
  /** The id of the webhook. */
  id: string;
  /** The project that it belongs to. */
  projectId: string;
  /** Its name in the project, which never changes. */
  slug: string;
  /** The receiver. */
  url: string;
  /** The types of events that are sent. */
  events: Array<string>;
  /** The only agent whose events are sent; null for all. */
  agentId: string | null;
  /** A note for users; null for none. */
  description: string | null;
  /** False if nothing is sent, and later events are not kept. */
  enabled: boolean;
  /** Why the platform sends nothing until `enabled` is set to true again; null if it does. */
  pausedReason: string | null;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was created. In ISO 8601. */
  createdAt: string;
  /** When it was last changed. In ISO 8601. */
  updatedAt: string;
}

/** The keys of the workforce agent. */
export interface AgentKeyList {
  /** Newest first. */
  keys: Array<AgentKey>;
}

/** A key of a workforce agent, without its secret. */
export interface AgentKey {
  /** The id of the key. */
  id: string;
  /** The purpose of the key. */
  name: string;
  /** When the key was created. In ISO 8601. */
  createdAt: string;
  /** When the key stops working; null for never. */
  expiresAt: string | null;
  /** When it was last used, to the minute; null for never. */
  lastUsedAt: string | null;
}

/** The new key. */
export interface CreateAgentKeyRequest {
  /** The purpose of the key. */
  name: string;
  /** When the key stops working, in ISO 8601. Default: never. */
  expiresAt?: string | null | undefined;
}

/** The new key. */
export interface CreatedAgentKey {
  /** The id of the key. */
  id: string;
  /** The purpose of the key. */
  name: string;
  /** When the key was created. In ISO 8601. */
  createdAt: string;
  /** When the key stops working; null for never. */
  expiresAt: string | null;
  /** The secret, which is shown only once. */
  key: string;
}

/** The agent, its threads, its computer and its keys are gone. */
export interface DeletedHiredAgent {
  /** The id of the workforce agent. */
  agentId: string;
  /** True. */
  deleted: boolean;
}

/** The agent to hire. */
export interface HireAgentRequest {
  /** The name of the agent. */
  name: string;
  /** An interactive agent of the project whose trigger `user-message` has exactly one required input, a text. Send one of this, agentSlug and prebuilt. */
  agentId?: string | undefined;
  /** The slug of such an agent. */
  agentSlug?: string | undefined;
  /** The slug of a pre-built agent. */
  prebuilt?: string | undefined;
  /** The computer that the agent works on. */
  computer?: {
    /** Default: `sandbox`. */
    kind?: string | undefined;
    /** Default: `linux`. */
    os?: string | undefined;
  } | undefined;
  /** A computer that several agents share, instead of `computer`. */
  computerId?: string | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  settings?: RunConfig | undefined;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities?: Record<string, boolean> | undefined;
  /** The limits of the agent. 0 blocks every run. */
  limits?: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd?: number | null | undefined;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens?: number | null | undefined;
    /** Runs in a calendar month (UTC); null for no limit. */
    monthlyRuns?: number | null | undefined;
  } | undefined;
  /** Replaces all rules of approval; null removes them. */
  approvals?: Record<string, "ask" | "deny"> | null | undefined;
  /** The input variables of the definition, for every thread. */
  input?: Record<string, unknown> | undefined;
  /** Unique in the project. Default: derived from the name. */
  slug?: string | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
  /** True if it starts no runs at first. Default: false. */
  paused?: boolean | undefined;
}

/** The new workforce agent. */
export interface NewHiredAgent {
  /** The id of the workforce agent. */
  agentId: string;
  /** Its name. */
  name: string;
  /** `idle`, `busy` (a run is in flight or queued) or `unavailable` (no new run can start); more can be added. */
  status: string;
  /** `paused`, `computer_down`, `cli_only` or `limit_reached`; null unless it is unavailable. */
  unavailableReason: string | null;
  /** The thread that occupies the agent: the running one, or else the next one; null for none. */
  currentThreadId: string | null;
  /** Threads that wait behind the current one. */
  queuedThreads: number;
  /** The computer that the agent works on. */
  computer: {
    /** `dedicated`, `sandbox`, `mac` or `cli`; more can be added. */
    kind: string;
    /** `linux`, `windows` or `macos`; more can be added. */
    os: string;
    /** The computer that it shares with other agents; absent for a computer of its own. */
    id?: string;
    /** `running`, `starting`, `paused`, `down` or `none`; more can be added. */
    state: string;
  };
  /** The pre-built agent that the agent was hired from; null if it was not hired from one. */
  definition: {
    /** The slug of the pre-built agent. */
    slug: string;
    /** The version of its definition. */
    version: number;
  } | null;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities: Record<string, boolean>;
  /** The project of the agent. */
  projectId: string;
  /** Its name in the project, which never changes. */
  slug: string;
  /** The agent of the project that it was hired from; null for a pre-built one. */
  definitionId: string | null;
  /** The version of its definition that new threads get. */
  definitionVersion: number;
  /** True if it starts no runs. */
  paused: boolean;
  /** Settings of runs. What is absent is that of the definition. */
  settings: StoredRunConfig;
  /** The limits of the agent. */
  limits: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd: number | null;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens: number | null;
    /** Runs in a calendar month (UTC); null for no limit. */
    monthlyRuns: number | null;
  };
  /** Rules that make the definition's own stricter: by the name of a tool or of a namespace, or by a pattern with `*`, whether a call waits for approval (`ask`) or is denied. */
  approvals: Record<string, "ask" | "deny">;
  /** The input variables of the definition, for every thread. */
  input: Record<string, unknown>;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was hired. In ISO 8601. */
  createdAt: string;
  /** What will not work as the definition expects. Empty: nothing was found. */
  warnings: Array<{
    /** The member of the definition. */
    path: string;
    /** The consequence, and the remedy. */
    message: string;
  }>;
  /** The agent's first key, which is shown only once. */
  key: string;
}

/** A page of workforce agents. */
export interface HiredAgentList {
  /** Newest first. */
  agents: Array<HiredAgent>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A workforce agent with everything that was set for it. */
export interface HiredAgent {
  /** The id of the workforce agent. */
  agentId: string;
  /** Its name. */
  name: string;
  /** `idle`, `busy` (a run is in flight or queued) or `unavailable` (no new run can start); more can be added. */
  status: string;
  /** `paused`, `computer_down`, `cli_only` or `limit_reached`; null unless it is unavailable. */
  unavailableReason: string | null;
  /** The thread that occupies the agent: the running one, or else the next one; null for none. */
  currentThreadId: string | null;
  /** Threads that wait behind the current one. */
  queuedThreads: number;
  /** The computer that the agent works on. */
  computer: {
    /** `dedicated`, `sandbox`, `mac` or `cli`; more can be added. */
    kind: string;
    /** `linux`, `windows` or `macos`; more can be added. */
    os: string;
    /** The computer that it shares with other agents; absent for a computer of its own. */
    id?: string;
    /** `running`, `starting`, `paused`, `down` or `none`; more can be added. */
    state: string;
  };
  /** The pre-built agent that the agent was hired from; null if it was not hired from one. */
  definition: {
    /** The slug of the pre-built agent. */
    slug: string;
    /** The version of its definition. */
    version: number;
  } | null;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities: Record<string, boolean>;
  /** The project of the agent. */
  projectId: string;
  /** Its name in the project, which never changes. */
  slug: string;
  /** The agent of the project that it was hired from; null for a pre-built one. */
  definitionId: string | null;
  /** The version of its definition that new threads get. */
  definitionVersion: number;
  /** True if it starts no runs. */
  paused: boolean;
  /** Settings of runs. What is absent is that of the definition. */
  settings: StoredRunConfig;
  /** The limits of the agent. */
  limits: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd: number | null;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens: number | null;
    /** Runs in a calendar month (UTC); null for no limit. */
    monthlyRuns: number | null;
  };
  /** Rules that make the definition's own stricter: by the name of a tool or of a namespace, or by a pattern with `*`, whether a call waits for approval (`ask`) or is denied. */
  approvals: Record<string, "ask" | "deny">;
  /** The input variables of the definition, for every thread. */
  input: Record<string, unknown>;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was hired. In ISO 8601. */
  createdAt: string;
}

/** The pre-built agents. */
export interface PrebuiltList {
  /** By slug. */
  prebuilt: Array<PrebuiltAgent>;
}

/** An agent that ships with the platform. */
export interface PrebuiltAgent {
  /** For `prebuilt` when hiring. */
  slug: string;
  /** The latest version. */
  version: number;
  /** Its name. */
  name: string;
  /** What it does. */
  description: string;
}

/** A page of threads. */
export interface ProjectThreadList {
  /** Newest first. */
  threads: Array<ProjectThreadSummary>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A thread in a list. */
export interface ProjectThreadSummary {
  /** The id of its workforce agent. */
  agentId: string;
  /** The id of the thread. */
  threadId: string;
  /** `idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up. */
  status: string;
  /** The first words of the first message. */
  title: string;
  /** When the thread was started. In ISO 8601. */
  createdAt: string;
  /** As in `Thread`. */
  completedAt: string | null;
  /** The decisions and results that a `queued` thread waits for; null if it waits for none. Its run continues by itself afterwards. */
  waitingFor: {
    /** `approval` if users have to decide, otherwise `tool`; more can be added. */
    type: string;
    /** When the run asked. In ISO 8601. */
    since: string;
    /** The ids of the approvals. */
    approvalIds?: Array<string>;
    /** The calls whose services will send the results. */
    toolCallIds?: Array<string>;
  } | null;
}

/** The work of the agent. */
export interface WorkQueue {
  /** The thread that occupies the agent; null for none. */
  current: string | null;
  /** In the order in which they will run. */
  queued: Array<QueuedThread>;
}

/** A thread that waits. */
export interface QueuedThread {
  /** The id of the thread. */
  threadId: string;
  /** 1 for the next one. */
  position: number;
  /** When the thread was started. In ISO 8601. */
  createdAt: string;
}

/** Absent members stay unchanged; `settings` replaces all settings, `approvals` all rules. */
export interface UpdateHiredAgentRequest {
  /** The name of the agent. */
  name?: string | undefined;
  /** True: the current run finishes, and no other starts. */
  paused?: boolean | undefined;
  /** The version of its definition for new threads, a number or `latest`. Threads that were started keep theirs. */
  version?: number | "latest" | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  settings?: RunConfig | undefined;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities?: Record<string, boolean> | undefined;
  /** The limits of the agent. 0 blocks every run. */
  limits?: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd?: number | null | undefined;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens?: number | null | undefined;
    /** Runs in a calendar month (UTC); null for no limit. */
    monthlyRuns?: number | null | undefined;
  } | undefined;
  /** Replaces all rules of approval; null removes them. */
  approvals?: Record<string, "ask" | "deny"> | null | undefined;
  /** True if `muster apply` manages it. */
  managed?: boolean | undefined;
}

/** The changed workforce agent. */
export interface UpdatedHiredAgent {
  /** The id of the workforce agent. */
  agentId: string;
  /** Its name. */
  name: string;
  /** `idle`, `busy` (a run is in flight or queued) or `unavailable` (no new run can start); more can be added. */
  status: string;
  /** `paused`, `computer_down`, `cli_only` or `limit_reached`; null unless it is unavailable. */
  unavailableReason: string | null;
  /** The thread that occupies the agent: the running one, or else the next one; null for none. */
  currentThreadId: string | null;
  /** Threads that wait behind the current one. */
  queuedThreads: number;
  /** The computer that the agent works on. */
  computer: {
    /** `dedicated`, `sandbox`, `mac` or `cli`; more can be added. */
    kind: string;
    /** `linux`, `windows` or `macos`; more can be added. */
    os: string;
    /** The computer that it shares with other agents; absent for a computer of its own. */
    id?: string;
    /** `running`, `starting`, `paused`, `down` or `none`; more can be added. */
    state: string;
  };
  /** The pre-built agent that the agent was hired from; null if it was not hired from one. */
  definition: {
    /** The slug of the pre-built agent. */
    slug: string;
    /** The version of its definition. */
    version: number;
  } | null;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities: Record<string, boolean>;
  /** The project of the agent. */
  projectId: string;
  /** Its name in the project, which never changes. */
  slug: string;
  /** The agent of the project that it was hired from; null for a pre-built one. */
  definitionId: string | null;
  /** The version of its definition that new threads get. */
  definitionVersion: number;
  /** True if it starts no runs. */
  paused: boolean;
  /** Settings of runs. What is absent is that of the definition. */
  settings: StoredRunConfig;
  /** The limits of the agent. */
  limits: {
    /** US dollars, with the bandwidth fee, in a calendar month (UTC); null for no limit. */
    monthlyUsd: number | null;
    /** Input and output tokens in a calendar month (UTC); null for no limit. */
    monthlyTokens: number | null;
    /** Runs in a calendar month (UTC); null for no limit. */
    monthlyRuns: number | null;
  };
  /** Rules that make the definition's own stricter: by the name of a tool or of a namespace, or by a pattern with `*`, whether a call waits for approval (`ask`) or is denied. */
  approvals: Record<string, "ask" | "deny">;
  /** The input variables of the definition, for every thread. */
  input: Record<string, unknown>;
  /** 1 at creation, and one more with every change. Also the `ETag`. */
  revision: number;
  /** True if `muster apply` manages it. */
  managed: boolean;
  /** When it was hired. In ISO 8601. */
  createdAt: string;
  /** What will not work as the definition expects. Empty: nothing was found. */
  warnings: Array<{
    /** The member of the definition. */
    path: string;
    /** The consequence, and the remedy. */
    message: string;
  }>;
}

/** The recordings of the thread are gone. */
export interface DeletedRecordings {
  /** The id of the thread. */
  threadId: string;
  /** True. */
  deleted: boolean;
}

/** Another message of the conversation. */
export interface FollowUpRequest {
  /** The task for the agent. */
  message: string;
  /** Files for the message. */
  files?: ReadonlyArray<FileReference> | undefined;
}

/** The message, and how to work on it. */
export interface StartThreadRequest {
  /** The task for the agent. */
  message: string;
  /** Files for the message. */
  files?: ReadonlyArray<FileReference> | undefined;
  /** Settings of a run. What is absent is inherited from the agent. */
  config?: RunConfig | undefined;
  /** Whether to refuse the message with 409 `AGENT_BUSY` if the agent has work, instead of queueing it. Default: false. */
  ifIdle?: boolean | undefined;
  /** Where the thread's events are sent, signed with the project's callback secret. */
  callback?: Callback | undefined;
}

/** Where the thread's events are sent, signed with the project's callback secret. */
export interface Callback {
  /** An https URL at a public address, or on one of the hosts in `WEBHOOK_ALLOWED_HOSTS`. */
  url: string;
}

/** A page of threads. */
export interface ThreadList {
  /** Newest first. */
  threads: Array<ThreadSummary>;
  /** For the next page; null on the last one. */
  nextCursor: string | null;
}

/** A thread in a list. */
export interface ThreadSummary {
  /** The id of the thread. */
  threadId: string;
  /** `idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up. */
  status: string;
  /** The first words of the first message. */
  title: string;
  /** When the thread was started. In ISO 8601. */
  createdAt: string;
  /** As in `Thread`. */
  completedAt: string | null;
  /** The decisions and results that a `queued` thread waits for; null if it waits for none. Its run continues by itself afterwards. */
  waitingFor: {
    /** `approval` if users have to decide, otherwise `tool`; more can be added. */
    type: string;
    /** When the run asked. In ISO 8601. */
    since: string;
    /** The ids of the approvals. */
    approvalIds?: Array<string>;
    /** The calls whose services will send the results. */
    toolCallIds?: Array<string>;
  } | null;
}

/** One conversation with a workforce agent. */
export interface Thread {
  /** The id of the thread. */
  threadId: string;
  /** `idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up. */
  status: string;
  /** Why the run stopped; null unless it failed or is blocked. */
  failureReason: string | null;
  /** The class of the failure, such as `timeout` or `limit`; null without a failure. More can be added. */
  failureType: string | null;
  /** The conversation, oldest first. */
  messages: Array<UiMessage>;
  /** The settings that the runs of the thread have; null for none. */
  runConfig: StoredRunConfig | null;
  /** The usage of the thread; null until there is any. */
  usage: {
    /** `USD`. */
    currency: string;
    /** The charge of the model providers. */
    costUsd: number;
    /** The same with the platform's bandwidth fee. */
    totalFeeUsd: number;
    /** True if all model calls used the project's own keys. */
    byok: boolean;
    /** Sent to models, including those read from caches. */
    inputTokens: number;
    /** Written by models, including their reasoning. */
    outputTokens: number;
    /** Both. */
    totalTokens: number;
  } | null;
  /** The video of the latest run; null if it was not recorded. */
  recording: {
    /** `requested`, `recording`, `processing`, `ready`, `failed` or `unavailable`. */
    status: string;
    /** `private` or `public`. */
    visibility: string;
    /** The video, which needs no other credential; null until it is ready. `public`: permanent. `private`: works for 24 hours. Without `.webm`, it is the URL of a page that plays the video. */
    url: string | null;
    /** Why the run has no video; null unless it failed or is unavailable. */
    error: string | null;
  } | null;
  /** When the first run reached the agent's computer; null before that. */
  startedAt: string | null;
  /** When the latest run reached its final status; null while one is in flight or waits. */
  completedAt: string | null;
  /** What produced the thread; null until a step has run. */
  provenance: {
    /** The platform. */
    platform: {
      /** Builds that executed steps of the thread, oldest first. */
      deployments: Array<{
        /** The id of the build. */
        deploymentId: string;
        /** The commit that it was built from. */
        commitSha: string;
        /** When it first executed a step of the thread. In ISO 8601. */
        firstSeenAt: string;
      }>;
    };
    /** The pre-built agent that the agent was hired from; null if it was not hired from one. */
    definition: {
      /** The slug of the pre-built agent. */
      slug: string;
      /** The version of its definition. */
      version: number;
    } | null;
    /** The computer as of the latest step; null if no step reached one. */
    computer: {
      /** `dedicated`, `sandbox`, `mac` or `cli`; more can be added. */
      kind: string;
      /** `linux`, `windows` or `macos`; more can be added. */
      os: string;
      /** The release of its runtime. */
      runtimeVersion: string;
      /** Its image or template. */
      imageVersion: string | null;
      /** The location of the computer. */
      region: string | null;
    } | null;
  } | null;
  /** The decisions and results that a `queued` thread waits for; null if it waits for none. Its run continues by itself afterwards. */
  waitingFor: {
    /** `approval` if users have to decide, otherwise `tool`; more can be added. */
    type: string;
    /** When the run asked. In ISO 8601. */
    since: string;
    /** The ids of the approvals. */
    approvalIds?: Array<string>;
    /** The calls whose services will send the results. */
    toolCallIds?: Array<string>;
  } | null;
  /** What started the thread; null if a client did. */
  origin: {
    /** `schedule` or `hook`; more can be added. */
    kind: string;
    /** The id of the schedule or hook, which may have been deleted since. */
    id: string;
  } | null;
}

/** The thread and its status. */
export interface ThreadState {
  /** The id of the thread. */
  threadId: string;
  /** `idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up. */
  status: string;
}

/** A workforce agent and its current status. */
export interface WorkforceAgent {
  /** The id of the workforce agent. */
  agentId: string;
  /** Its name. */
  name: string;
  /** `idle`, `busy` (a run is in flight or queued) or `unavailable` (no new run can start); more can be added. */
  status: string;
  /** `paused`, `computer_down`, `cli_only` or `limit_reached`; null unless it is unavailable. */
  unavailableReason: string | null;
  /** The thread that occupies the agent: the running one, or else the next one; null for none. */
  currentThreadId: string | null;
  /** Threads that wait behind the current one. */
  queuedThreads: number;
  /** The computer that the agent works on. */
  computer: {
    /** `dedicated`, `sandbox`, `mac` or `cli`; more can be added. */
    kind: string;
    /** `linux`, `windows` or `macos`; more can be added. */
    os: string;
    /** The computer that it shares with other agents; absent for a computer of its own. */
    id?: string;
    /** `running`, `starting`, `paused`, `down` or `none`; more can be added. */
    state: string;
  };
  /** The pre-built agent that the agent was hired from; null if it was not hired from one. */
  definition: {
    /** The slug of the pre-built agent. */
    slug: string;
    /** The version of its definition. */
    version: number;
  } | null;
  /** Capabilities that the definition declares, by their slug, and whether each is enabled. */
  capabilities: Record<string, boolean>;
}

/** An event of a turn; `type` names it. */
export type StreamEvent = StartEvent | FinishEvent | ApprovalRequestEvent | ErrorEvent | PersistedEvent | ToolRequestEvent | UsageEvent | BlockStartEvent | BlockEndEvent | StepStartEvent | StepDiscardEvent | TextStartEvent | TextDeltaEvent | TextEndEvent | ReasoningStartEvent | ReasoningDeltaEvent | ReasoningEndEvent | FileAvailableEvent | ResourceUpdateEvent | SourceEvent | TodoUpdateEvent | ToolInputStartEvent | ToolInputDeltaEvent | ToolInputEndEvent | ToolInputAvailableEvent | ToolOutputAvailableEvent | ToolOutputErrorEvent | WorkerStartEvent | WorkerResultEvent | WorkerInputStartEvent | WorkerInputDeltaEvent | WorkerInputReadyEvent;

/** An event of a workforce thread. */
export type ThreadEvent = StartEvent | FinishEvent | ApprovalRequestEvent | ErrorEvent | PersistedEvent | ToolRequestEvent | UsageEvent | BlockStartEvent | BlockEndEvent | StepStartEvent | StepDiscardEvent | TextStartEvent | TextDeltaEvent | TextEndEvent | ReasoningStartEvent | ReasoningDeltaEvent | ReasoningEndEvent | FileAvailableEvent | ResourceUpdateEvent | SourceEvent | TodoUpdateEvent | ToolInputStartEvent | ToolInputDeltaEvent | ToolInputEndEvent | ToolInputAvailableEvent | ToolOutputAvailableEvent | ToolOutputErrorEvent | WorkerStartEvent | WorkerResultEvent | WorkerInputStartEvent | WorkerInputDeltaEvent | WorkerInputReadyEvent | ThreadStatusEvent | ComputerOutputEvent;

/** The kind of an error. */
export type ErrorCode = "INVALID_REQUEST" | "INVALID_JSON" | "INVALID_IDEMPOTENCY_KEY" | "MODEL_NOT_RUNNABLE" | "CAPABILITY_NOT_DECLARED" | "UNKNOWN_TRIGGER" | "INVALID_INPUT" | "UNKNOWN_TOOL_CALL" | "UNKNOWN_MESSAGE" | "FILE_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "UNAUTHENTICATED" | "USAGE_LIMIT" | "SPENDING_LIMIT" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "AGENT_BUSY" | "AGENT_PAUSED" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_KEY_IN_PROGRESS" | "SLUG_TAKEN" | "SESSION_EXPIRED" | "AGENT_ARCHIVED" | "APPROVAL_DECIDED" | "TOOL_CALL_ANSWERED" | "COMPUTER_IN_USE" | "THREAD_CLOSED" | "RECORDING_NOT_READY" | "EVENTS_GONE" | "APPROVAL_EXPIRED" | "TOOL_CALL_CLOSED" | "RECORDING_GONE" | "VERSION_MISMATCH" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_CONTENT_TYPE" | "RANGE_NOT_SATISFIABLE" | "INVALID_DEFINITION" | "RATE_LIMITED" | "SESSION_BUSY" | "QUEUE_FULL" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UPSTREAM" | "UNAVAILABLE" | "STORAGE_FULL" | "TIMEOUT";
