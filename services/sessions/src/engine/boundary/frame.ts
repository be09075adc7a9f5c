import type { FinishReason } from "../shown/events.ts";
import type { DynamicTool, Frame } from "./machine.ts";

/** What a turn waits for. `new`: its start; `model`: parts of the call in flight; `waiting`: tool results. */
export type Phase = "new" | "model" | "waiting" | "over";

/** The whole frame. Between inputs outside a model step it and the conversation are all the state there is. */
export interface TurnFrame extends Frame {
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

/** Takes a stored frame back, also one from before tokens were counted. Throws on one that no engine wrote. */
export function readFrame(stored: Frame): TurnFrame {
  const frame: Frame = { ...stored, usage: stored.usage ?? {} };
  if (!isTurnFrame(frame)) throw new Error(`The stored frame of execution ${frame.executionId} is damaged.`);
  return frame;
}

const phases: ReadonlySet<unknown> = new Set<Phase>(["new", "model", "waiting", "over"]);

function isTurnFrame(frame: Frame): frame is TurnFrame {
  return (
    phases.has(frame.phase) &&
    typeof frame.messageId === "string" &&
    typeof frame.finishReason === "string" &&
    typeof frame.worthSaving === "boolean" &&
    [frame.blockIndex, frame.modelSteps, frame.itemCount].every(Number.isInteger) &&
    [frame.dynamicTools, frame.retiredCallIds, frame.pendingToolCalls].every(Array.isArray) &&
    (frame.open === undefined || isOpenBlock(frame.open))
  );
}

function isOpenBlock(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "runId" in value &&
    typeof value.runId === "string" &&
    "operationId" in value &&
    typeof value.operationId === "string" &&
    "steps" in value &&
    typeof value.steps === "number" &&
    "maxSteps" in value &&
    typeof value.maxSteps === "number"
  );
}
