import type { JsonValue, Thinking } from "@muster/language";
import type { FileRef, Memory } from "../conversation/conversation.ts";
import type { WorkerCallPart } from "../conversation/messages.ts";
import type { FinishReason } from "../shown/events.ts";
import type { Compaction, CompactionCause } from "./compaction.ts";

/**
 * The event that a turn or worker waits for. `new`: its start; `model`: parts of the call in flight; `parked`: its
 * workers, and tool results and decisions that are requested once all of them wait or have ended; `waiting`: tool
 * results that were requested; `asking`: decisions that were requested.
 */
export type Phase = "new" | "model" | "parked" | "waiting" | "asking" | "over";

/**
 * The position of a turn: plain data, stored with the conversation at every boundary. Between inputs outside a model
 * step, these two are the entire state. A new field needs a row in `frameFields`; older stored frames lack it, so it
 * must be optional or get a default in `frameFrom`.
 */
export interface Frame {
  executionId: string;
  triggerName: string;
  triggerInput: Record<string, JsonValue>;
  /** The assistant message that shows the turn to users. It is created with its first part. */
  messageId: string;
  /** Calls that wait for the caller's results, in the order in which they were made. */
  pendingToolCalls: PendingToolCall[];
  /** Calls of this turn, or of this worker, that wait for decisions, or for the results of services. Absent: none. */
  pendingApprovals?: PendingApproval[];
  /** Calls of this turn, or of this worker, that the driver carries out. Absent: none. */
  remoteCalls?: PendingRemoteCall[];
  /** The names and hashes of the calls that were denied in the turn, in its own frame. Absent: none. */
  deniedCalls?: string[];
  /** The `workerId` of all events inside a worker; absent in a session's turn. */
  workerId?: string;
  /**
   * Tokens of all model steps of the execution so far, by model id, retracted steps included. A step that was cut
   * before its provider reported usage is missing.
   */
  usage: Record<string, ModelUsage>;
  phase: Phase;
  sender?: { id?: string; name?: string; image?: string };
  /** The slug of the running worker. */
  workerSlug?: string;
  dynamicTools: DynamicTool[];
  /** The last message that users saw before this turn. */
  lastMessageId?: string;
  /** Index of the block that is running, or runs next. */
  blockIndex: number;
  /** The next-message block in progress. */
  open?: OpenBlock;
  /** Model steps of this turn so far. */
  modelSteps: number;
  /** Numbers texts, reasonings and sources. */
  itemCount: number;
  /** Ids of retracted tool calls, never reused because the stream has shown them. */
  retiredCallIds: string[];
  /** True if a crash must not undo the progress so far (a finished step, a tool result). */
  worthSaving: boolean;
  /** How the latest model step ended. */
  finishReason: FinishReason;
  /** The stream may have shown calls that nothing remembers, so calls do not keep the ids of their provider. */
  ownCallIds?: boolean;
  /** The turn is a run of a workforce agent, with these settings. */
  run?: RunSettings;
  /** Why no summary could be made: the turn does not try again. Absent: nothing has failed. */
  foldProblem?: string;
  /** The workers that are running, callers before the called, each in the order of its start. Absent: none. */
  workers?: WorkerState[];
  /** All workers that the turn has started. */
  startedWorkers?: number;
}

/** A running worker. Its messages are in the call that started it, which is in a message, or in `OpenFold`. */
export interface WorkerState {
  /** With its `workerId` and `workerSlug`. */
  frame: Frame;
  /** The worker that called it. Absent: the turn itself did. */
  parentId?: string;
  /** The thread of the call. */
  thread: string;
  input: Record<string, JsonValue>;
  memory: Memory;
}

/** The settings that a run uses instead of the definition's. An absent one is as defined. */
export interface RunSettings {
  /** The main thread's settings: `provider/model-id`. */
  model?: string;
  /** The backup model of the main thread. */
  backupModel?: string;
  /** The setting of the main thread. */
  thinking?: Thinking;
  /** Declared capabilities by slug, and whether each is on. The others have their default. */
  capabilities?: Record<string, boolean>;
  /** Stricter rules for tool calls, by tool, namespace or pattern with `*`. Absent: none. */
  approvals?: Record<string, "ask" | "deny">;
  /** The part of the message that begins the turn which users see. Absent: none. */
  files?: FileRef[];
  /** Others than the users of the platform have written parts of that message. */
  isForeign?: true;
}

export interface OpenBlock {
  /** Id of the block's latest opening in a stream. */
  runId: string;
  /** Id of its operation part. */
  operationId: string;
  /** Thread of an independent turn. */
  asideThread?: string;
  /** Model steps of this block so far. */
  steps: number;
  maxSteps: number;
  /** The step in flight runs on the backup model. */
  onBackup: boolean;
  /** The model of the step in flight. */
  modelId?: string;
  /** How many parts its message had before the step in flight. Absent in frames of earlier releases. */
  firstPart?: number;
  /** An object that the model was asked to correct, which happens at most once in a block. */
  repair?: Repair;
  /** A summary is being written, and the step follows it. */
  fold?: OpenFold;
  /** How a summary has made the prompt of the step in flight smaller; its text is in the conversation. Absent: none has. */
  compaction?: Omit<Compaction, "summary">;
  /** The provider has refused the length of the step's prompt: its second call has this room, in estimated tokens. */
  reducedTo?: number;
}

/** An object that does not have the type that its block asks for. */
export interface Repair {
  /** The model step that wrote it and is repeated. */
  step: number;
  /** The text that the model wrote, shortened. */
  text: string;
  /** The mistake, in words for the model. */
  problem: string;
}

/** A summary that is being written: by the model call in flight, or by a worker. */
export interface OpenFold {
  /** The messages of the thread before this position will be part of it. */
  through: number;
  cause: CompactionCause;
  /** Estimated for the whole prompt without the fold, and corrected by the provider's earlier counts. */
  tokensBefore: number;
  /**
   * The conversation of the worker, with its messages: no message contains it. Absent: the thread's own model writes
   * the summary.
   */
  call?: WorkerCallPart;
}

export interface DynamicTool {
  name: string;
  description: string;
  /** JSON Schema, passed on as data. */
  inputSchema: Record<string, JsonValue>;
}

/** Tokens. */
export interface ModelUsage {
  /** Including tokens read from a cache. */
  inputTokens: number;
  /** Including reasoning tokens. */
  outputTokens: number;
  /** Absent if no provider reported it. */
  reasoningTokens?: number;
  /** Absent if no provider reported it. */
  cacheReadTokens?: number;
}

/** The calls that one pause may wait for, which is also how many results a caller may send. */
export const maxPendingCalls = 1_000;

export interface PendingToolCall {
  toolCallId: string;
  toolName: string;
  args: JsonValue;
  source: "llm" | "block";
  /** The named thread that made the call. */
  thread?: string;
  /** The worker that made the call. */
  workerId?: string;
}

/** A call of a tool that another service runs for the platform. Its arguments are in its part. */
export interface PendingRemoteCall {
  toolCallId: string;
  /** The named thread that made the call. */
  thread?: string;
  /** It changes nothing, or doing it twice changes no more than once: it may be made again if its outcome is lost. */
  isRepeatable: boolean;
  /** It has been made again after the death of a process. Absent: no. */
  isRepeated?: true;
}

/**
 * A call that is made once a user has approved it, or, if it `isOpen`, one that a service has accepted and will answer. Its
 * arguments are in its part.
 */
export interface PendingApproval extends Omit<PendingToolCall, "args"> {
  /** `apr_…`; of an open call, the id by which its service answers it. */
  approvalId: string;
  isOpen?: true;
  /** Absent: none. */
  title?: string;
  /** ISO 8601. */
  expiresAt: string;
  /** Without a decision in time, the call fails, or the turn does. */
  onExpiry: "deny" | "fail";
}

/** The frame of a running worker; of the turn itself if `workerId` is absent or the worker has ended. */
export function frameOf(frame: Frame, workerId: string | undefined): Frame {
  const worker =
    workerId === undefined ? undefined : frame.workers?.find((worker) => worker.frame.workerId === workerId);
  return worker?.frame ?? frame;
}

type Guard = (value: unknown) => boolean;
/** A row for each field, optional ones included: a field without a row does not compile. */
type Fields<T> = { readonly [Name in keyof Required<T>]: Guard };

const isString: Guard = (value) => typeof value === "string";
const isBoolean: Guard = (value) => typeof value === "boolean";
const isCount: Guard = (value) => Number.isInteger(value);
const optional =
  (guard: Guard): Guard =>
  (value) =>
    value === undefined || guard(value);

function isRepair(value: unknown): boolean {
  return isRecord(value) && isCount(value.step) && isString(value.text) && isString(value.problem);
}

/** With the messages of its worker, which are as those of a conversation. */
function isFold(value: unknown): boolean {
  if (!isRecord(value) || !isCount(value.through)) return false;
  const { call } = value;
  if (call === undefined) return true;
  return isRecord(call) && isRecord(call.worker) && Array.isArray(call.worker.messages);
}

const phases: ReadonlySet<unknown> = new Set<Phase>(["new", "model", "parked", "waiting", "asking", "over"]);

const openBlockFields: Fields<OpenBlock> = {
  runId: isString,
  operationId: isString,
  asideThread: optional(isString),
  steps: isCount,
  maxSteps: isCount,
  onBackup: isBoolean,
  modelId: optional(isString),
  firstPart: optional(isCount),
  repair: optional(isRepair),
  fold: optional(isFold),
  compaction: optional(isRecord),
  reducedTo: optional(isCount),
};

const frameFields: Fields<Frame> = {
  executionId: isString,
  triggerName: isString,
  triggerInput: isRecord,
  messageId: isString,
  pendingToolCalls: Array.isArray,
  pendingApprovals: optional(Array.isArray),
  remoteCalls: optional(Array.isArray),
  deniedCalls: optional(Array.isArray),
  workerId: optional(isString),
  usage: isRecord,
  phase: (value) => phases.has(value),
  sender: optional(isRecord),
  workerSlug: optional(isString),
  dynamicTools: Array.isArray,
  lastMessageId: optional(isString),
  blockIndex: isCount,
  open: optional((value) => isRecord(value) && hasFields<OpenBlock>(value, openBlockFields)),
  modelSteps: isCount,
  itemCount: isCount,
  retiredCallIds: Array.isArray,
  worthSaving: isBoolean,
  finishReason: isString,
  ownCallIds: optional(isBoolean),
  run: optional(isRecord),
  foldProblem: optional(isString),
  workers: optional((value) => Array.isArray(value) && value.every(isWorkerState)),
  startedWorkers: optional(isCount),
};

const workerStateFields: Fields<WorkerState> = {
  frame: (value) => isRecord(value) && hasFields<Frame>(value, frameFields) && isString(value.workerId),
  parentId: optional(isString),
  thread: isString,
  input: isRecord,
  memory: (value) => isRecord(value) && isRecord(value.variables) && isRecord(value.resources),
};

function isWorkerState(value: unknown): boolean {
  return isRecord(value) && hasFields<WorkerState>(value, workerStateFields);
}

/** A stored frame, parsed. `usage` is absent in the oldest ones. Throws on a frame that no engine wrote. */
export function frameFrom(stored: unknown): Frame {
  const frame = isRecord(stored) ? { ...stored, usage: stored.usage ?? {} } : {};
  if (hasFields<Frame>(frame, frameFields)) return frame;
  const { executionId = "unknown" }: Record<string, unknown> = frame;
  throw new Error(`The stored frame of execution ${executionId} is damaged.`);
}

function hasFields<T extends object>(value: object, fields: Fields<T>): value is T {
  const given = new Map<string, unknown>(Object.entries(value));
  return Object.entries<Guard>(fields).every(([name, guard]) => guard(given.get(name)));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
