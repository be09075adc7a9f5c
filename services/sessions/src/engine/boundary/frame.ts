import type { JsonValue } from "@muster/protocol";
import type { FinishReason } from "../shown/events.ts";

/** What a turn waits for. `new`: its start; `model`: parts of the call in flight; `waiting`: tool results. */
export type Phase = "new" | "model" | "waiting" | "over";

/**
 * Where a turn stands: plain data, stored with the conversation at every boundary. Between inputs outside a model
 * step these two are all the state there is. A new field needs a row in `frameFields`; frames stored before it
 * existed lack it, so it is optional or gets its value in `parseFrame`.
 */
export interface Frame {
  executionId: string;
  triggerName: string;
  triggerInput: Record<string, JsonValue>;
  /** The assistant message that people see the turn in. It is made when there is something to put into it. */
  messageId: string;
  /** Calls that wait for the caller's results, in the order they were made. */
  pendingToolCalls: PendingToolCall[];
  /** The `workerId` of everything that happens inside a worker; absent in a session's turn. */
  workerId?: string;
  /**
   * Tokens of all model steps of the execution so far, by model id: those of retracted steps too. A step that
   * was cut before its provider counted is missing.
   */
  usage: Record<string, ModelUsage>;
  phase: Phase;
  sender?: { id?: string; name?: string; image?: string };
  /** The slug of the worker that runs. */
  workerSlug?: string;
  dynamicTools: DynamicTool[];
  /** The last message that people saw before this turn. */
  lastMessageId?: string;
  /** Index of the block that runs, or runs next. */
  blockIndex: number;
  /** The next-message block that is under way. */
  open?: OpenBlock;
  /** Model steps of this turn so far. */
  modelSteps: number;
  /** Counts texts, reasonings and sources, to number them. */
  itemCount: number;
  /** Ids of retracted tool calls: never used again, because the stream has shown them. */
  retiredCallIds: string[];
  /** Something happened that a crash must not undo (a finished step, a tool result). */
  worthSaving: boolean;
  /** How the latest model step ended. */
  finishReason: FinishReason;
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
}

export interface DynamicTool {
  name: string;
  description: string;
  /** JSON Schema, passed on as data. */
  inputSchema: Record<string, JsonValue>;
}

/** Tokens. */
export interface ModelUsage {
  /** With those read from a cache. */
  inputTokens: number;
  /** With those spent on reasoning. */
  outputTokens: number;
  /** Absent where no provider told. */
  reasoningTokens?: number;
  /** Absent where no provider told. */
  cacheReadTokens?: number;
}

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

type Guard = (value: unknown) => boolean;
/** A row for each field, the optional ones included: a field without one does not compile. */
type Fields<T> = { readonly [Name in keyof Required<T>]: Guard };

const isString: Guard = (value) => typeof value === "string";
const isBoolean: Guard = (value) => typeof value === "boolean";
const isCount: Guard = (value) => Number.isInteger(value);
const optional =
  (guard: Guard): Guard =>
  (value) =>
    value === undefined || guard(value);

const phases: ReadonlySet<unknown> = new Set<Phase>(["new", "model", "waiting", "over"]);

const openBlockFields: Fields<OpenBlock> = {
  runId: isString,
  operationId: isString,
  asideThread: optional(isString),
  steps: isCount,
  maxSteps: isCount,
  onBackup: isBoolean,
  modelId: optional(isString),
};

const frameFields: Fields<Frame> = {
  executionId: isString,
  triggerName: isString,
  triggerInput: isRecord,
  messageId: isString,
  pendingToolCalls: Array.isArray,
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
};

/** Reads a stored frame, also one from before tokens were counted. Throws on one that no engine wrote. */
export function parseFrame(json: string): Frame {
  const stored: unknown = JSON.parse(json);
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
