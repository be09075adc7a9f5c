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
  /** What is to be done. */
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
  /** For whom the session is, such as the id of a user: limits, usage and HTTP tools know it. It never changes. A token for a subject sets it; no token can choose another. Default: for none. */
  subject?: string | undefined;
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
  /** For whom the session is, such as the id of a user: limits, usage and HTTP tools know it. It never changes. A token for a subject sets it; no token can choose another. Default: for none. */
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

/** The author of the user message. It is stored with the message. */
export interface Sender {
  /** Your id of the author. */
  id?: string | undefined;
  /** The author's name. */
  name?: string | undefined;
  /** The address of the author's picture. */
  image?: string | undefined;
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

/** The changes to the session. */
export interface UpdateSessionRequest {
  /** The keys to change: null or an empty string removes a key, and other keys stay as they are. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string | null>;
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
  /** For whom the session is. Absent: for none. */
  subject?: string;
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string>;
  /** The conversation, oldest first. */
  messages: Array<UiMessage>;
  /** What all turns of the session have used so far. */
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
  /** What can be read of a value that is not complete, or not valid. */
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
  /** What it has written, as far as the display shows it. */
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

/** What all turns of the session have used so far. */
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

/** The new session. */
export interface CreatedSession {
  /** The id of the session. */
  sessionId: string;
}

/** The session's whole metadata. */
export interface UpdatedSession {
  /** The id of the session. */
  sessionId: string;
  /** Your own data about the session, such as the id of its user. Up to 16 keys of 64 characters, with strings of up to 512. */
  metadata: Record<string, string>;
}

/** The session is active. */
export interface RestoredSession {
  /** The id of the session. */
  sessionId: string;
  /** False if the session was already active. */
  restored: boolean;
}

/** The session is expired. */
export interface ClearedSession {
  /** The id of the session. */
  sessionId: string;
  /** True. */
  cleared: boolean;
}

/** No turn is running. */
export interface CancelledExecution {
  /** The id of the session. */
  sessionId: string;
  /** False if no turn was running. */
  cancelled: boolean;
}

/** A page of sessions. */
export interface SessionList {
  /** The sessions, the latest change first. */
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

/** A page of approvals. */
export interface ApprovalList {
  /** The approvals, the newest first. */
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

/** The decision. */
export interface DecideApprovalRequest {
  /** Whether the tool is called. */
  decision: "approve" | "deny";
  /** For the record; with `deny`, the model reads it as well. */
  message?: string | undefined;
  /** Only with `approve`: the arguments to call the tool with instead of the model's. */
  args?: Record<string, unknown> | undefined;
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

/** The message, and how to work on it. */
export interface StartThreadRequest {
  /** What the agent is to do. */
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

/** Where the thread's events are sent, signed with the project's callback secret. */
export interface Callback {
  /** An https URL at a public address, or on one of the hosts in `WEBHOOK_ALLOWED_HOSTS`. */
  url: string;
}

/** Another message of the conversation. */
export interface FollowUpRequest {
  /** What the agent is to do. */
  message: string;
  /** Files for the message. */
  files?: ReadonlyArray<FileReference> | undefined;
}

/** The thread and its status. */
export interface ThreadState {
  /** The id of the thread. */
  threadId: string;
  /** `idle`, `queued`, `pending`, `running`, `completed`, `failed`, `cancelled` or `blocked`; more can be added. The last four are final until a follow-up. */
  status: string;
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
  /** What the thread has used; null until then. */
  usage: {
    /** `USD`. */
    currency: string;
    /** What the model providers charge. */
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
      /** Where it is. */
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

/** The recordings of the thread are gone. */
export interface DeletedRecordings {
  /** The id of the thread. */
  threadId: string;
  /** True. */
  deleted: boolean;
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

/** What a create would report. */
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

/** The change has been made. */
export interface AgentChange {
  /** The id of the agent. */
  agentId: string;
  /** What has happened, with the number of warnings. */
  message: string;
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

/** The start or the continuation of an execution. */
export interface ExecuteRequest {
  /** Whether to start an execution or to continue one. */
  type: "start" | "continue";
  /** For start: the input that the definition declares. */
  input?: Record<string, unknown> | undefined;
  /** The most that the execution may cost in US dollars, its continuations and the bandwidth fee included. It exceeds that by one step at most. Default: no limit. */
  maxUsd?: number | undefined;
  /** For start: for whom the execution is, as for a session. */
  subject?: string | undefined;
  /** Additional tools that the caller executes. */
  dynamicToolSchemas?: ReadonlyArray<DynamicTool> | undefined;
  /** Required for continue: the id from the `start` event. */
  executionId?: string | undefined;
  /** Required for continue. Calls without an entry are cancelled. */
  toolResults?: ReadonlyArray<ToolResult> | undefined;
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
  /** For whom the token is: it can use only the sessions and executions of this subject, and new ones are of it. Default: for none. */
  subject?: string | undefined;
  /** How long the token lives, at most 86400, and not longer than the key that mints it; more is shortened. Default: 3600. */
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
  /** False if the text is no token of this project, or the token has expired. */
  revoked: boolean;
  /** The id of the token; absent if it is unknown or has expired. */
  jti?: string;
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
  /** What the model costs. */
  pricing: Pricing;
}

/** What the model costs. */
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

/** The key of the request. */
export interface Credential {
  /** Tokens are refused. */
  type: "key";
  /** The id of the key. */
  keyId: string;
  /** The project that this request applies to. */
  projectId: string;
  /** True if X-Project-Id may name any project. */
  anyProject: boolean;
  /** What the key may do. */
  permissions: Array<"sessions" | "agents" | "mint-tokens" | "workforce" | "approve" | "admin">;
  /** The only agent that the credential may use; null for any. */
  agentId: string | null;
  /** The only session that the credential may use; null for any. */
  sessionId: string | null;
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

/** An event of a turn; `type` names it. */
export type StreamEvent = StartEvent | FinishEvent | ApprovalRequestEvent | ErrorEvent | PersistedEvent | ToolRequestEvent | UsageEvent | BlockStartEvent | BlockEndEvent | StepStartEvent | StepDiscardEvent | TextStartEvent | TextDeltaEvent | TextEndEvent | ReasoningStartEvent | ReasoningDeltaEvent | ReasoningEndEvent | FileAvailableEvent | ResourceUpdateEvent | SourceEvent | TodoUpdateEvent | ToolInputStartEvent | ToolInputDeltaEvent | ToolInputEndEvent | ToolInputAvailableEvent | ToolOutputAvailableEvent | ToolOutputErrorEvent | WorkerStartEvent | WorkerResultEvent | WorkerInputStartEvent | WorkerInputDeltaEvent | WorkerInputReadyEvent;

/** An event of a workforce thread. */
export type ThreadEvent = StartEvent | FinishEvent | ApprovalRequestEvent | ErrorEvent | PersistedEvent | ToolRequestEvent | UsageEvent | BlockStartEvent | BlockEndEvent | StepStartEvent | StepDiscardEvent | TextStartEvent | TextDeltaEvent | TextEndEvent | ReasoningStartEvent | ReasoningDeltaEvent | ReasoningEndEvent | FileAvailableEvent | ResourceUpdateEvent | SourceEvent | TodoUpdateEvent | ToolInputStartEvent | ToolInputDeltaEvent | ToolInputEndEvent | ToolInputAvailableEvent | ToolOutputAvailableEvent | ToolOutputErrorEvent | WorkerStartEvent | WorkerResultEvent | WorkerInputStartEvent | WorkerInputDeltaEvent | WorkerInputReadyEvent | ThreadStatusEvent | ComputerOutputEvent;

/** The kind of an error. */
export type ErrorCode = "INVALID_REQUEST" | "INVALID_JSON" | "INVALID_IDEMPOTENCY_KEY" | "MODEL_NOT_RUNNABLE" | "CAPABILITY_NOT_DECLARED" | "UNKNOWN_TRIGGER" | "INVALID_INPUT" | "UNKNOWN_TOOL_CALL" | "UNKNOWN_MESSAGE" | "FILE_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "UNAUTHENTICATED" | "USAGE_LIMIT" | "SPENDING_LIMIT" | "FORBIDDEN" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "NOT_ACCEPTABLE" | "REQUEST_TIMEOUT" | "AGENT_BUSY" | "AGENT_PAUSED" | "IDEMPOTENCY_KEY_REUSED" | "IDEMPOTENCY_KEY_IN_PROGRESS" | "SLUG_TAKEN" | "SESSION_EXPIRED" | "AGENT_ARCHIVED" | "APPROVAL_DECIDED" | "TOOL_CALL_ANSWERED" | "COMPUTER_IN_USE" | "THREAD_CLOSED" | "RECORDING_NOT_READY" | "EVENTS_GONE" | "APPROVAL_EXPIRED" | "TOOL_CALL_CLOSED" | "RECORDING_GONE" | "VERSION_MISMATCH" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_CONTENT_TYPE" | "RANGE_NOT_SATISFIABLE" | "INVALID_DEFINITION" | "RATE_LIMITED" | "SESSION_BUSY" | "QUEUE_FULL" | "HEADERS_TOO_LARGE" | "INTERNAL" | "UPSTREAM" | "UNAVAILABLE" | "STORAGE_FULL" | "TIMEOUT";
