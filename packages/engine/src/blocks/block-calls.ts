import type { ArgumentSource, JsonObject, JsonValue, RunWorkerBlock, ToolCallBlock } from "@muster/language";
import type { StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { isOfWorker, type WorkerCallPart } from "../conversation/messages.ts";
import { announceArguments, announceCall, announceInputEnd, type Show } from "../shown/call-events.ts";
import { labelOf } from "../shown/display.ts";
import { holdCalls, isHeld } from "../tools/approvals.ts";
import { lookOf } from "../tools/offered-tools.ts";
import { outputMessage, seenOn } from "../turn/output.ts";
import { boundOn, readVariable, writeVariable } from "../turn/scope.ts";
import { closeWaitingBlock, emit, openWaitingBlock, type Turn } from "../turn/turn.ts";
import { beginWorker } from "../workers/begin-worker.ts";
import { isSummarizing, noClientTools } from "../workers/library.ts";
import { cannotRun, done, type StepOutcome } from "./executor.ts";

/** Makes the call. The turn's caller carries it out, so the turn pauses for its result. */
export function callTool(turn: Turn, block: ToolCallBlock): StepOutcome {
  if (isSummarizing(turn)) return cannotRun(block, noClientTools);
  openWaitingBlock(turn, block);
  const part = composeCall(turn, block, block.tool);
  outputMessage(turn, seenOn(block.thread)).parts.push(part);
  const show: Show = (event) => emit(turn, event, block.thread);
  announceCall(part, show);
  announceInputEnd(part, show);
  announceArguments(part, show);
  return makeCall(turn, part, block);
}

/** A call that was refused waits for no result. */
function makeCall(turn: Turn, part: ToolCallPart, { thread }: ToolCallBlock): StepOutcome {
  holdCalls(turn, [part], thread);
  return { type: "wait", calls: isToBeMade(part) ? [part] : [] };
}

/** A result ends the block, so the stream that continues does not show it again; an approved call is still to be made. */
export function reopenToolCall(turn: Turn, block: ToolCallBlock): void {
  if (turn.decided?.some(({ status }) => status === "running")) openWaitingBlock(turn, block);
}

/** A failed or cancelled call leaves its variable without a value, which reads as NONE. */
export function receiveToolResult(turn: Turn, block: ToolCallBlock): StepOutcome {
  writeVariable(turn, block.output, turn.answered[0]?.result ?? null);
  closeWaitingBlock(turn);
  return done;
}

function isToBeMade(part: ToolCallPart): boolean {
  return part.status === "pending" && !isHeld(part);
}

export function runWorker(turn: Turn, block: RunWorkerBlock): StepOutcome {
  openWaitingBlock(turn, block);
  const part: WorkerCallPart = {
    ...composeCall(turn, block, block.worker),
    worker: { workerId: turn.environment.newId("run"), hasInput: true, messages: [] },
  };
  holdCalls(turn, [part], block.thread);
  const obstacle = isToBeMade(part) ? beginWorker(turn, part, block.thread) : undefined;
  if (obstacle !== undefined) return cannotRun(block, obstacle.problem, obstacle.retryable);
  outputMessage(turn, seenOn(block.thread)).parts.push(part);
  return { type: "wait", calls: [] };
}

/** A worker that failed leaves its variable without a value, too. */
export function receiveWorkerResult(turn: Turn, block: RunWorkerBlock): StepOutcome {
  const { parts = [] } = turn.conversation.messages.findLast(({ parts }) => parts.some(isOfBlock)) ?? {};
  const part = parts.findLast(isOfBlock);
  writeVariable(turn, block.output, part?.result ?? null);
  closeWaitingBlock(turn);
  return done;
}

function isOfBlock(part: StoredPart): part is WorkerCallPart {
  return part.type === "tool-call" && part.source === "block" && isOfWorker(part);
}

function composeCall(turn: Turn, block: ToolCallBlock | RunWorkerBlock, toolName: string): ToolCallPart {
  const look = lookOf(turn, toolName);
  const display = look.display === "hidden" ? "hidden" : block.display;
  const title = labelOf({
    display,
    title: block.title ?? look.title,
    description: block.description ?? look.description,
  });
  return {
    type: "tool-call",
    toolCallId: turn.environment.newId("call"),
    toolName,
    ...(title !== undefined && { title }),
    display,
    source: "block",
    ...boundOn(turn, block.thread),
    args: readArguments(turn, block.input),
    status: "pending",
  };
}

/** Variables without a value are left out, so that optional parameters stay absent. */
function readArguments(
  turn: Turn,
  input: ReadonlyArray<{ readonly name: string } & ArgumentSource>,
): JsonObject {
  const args: Record<string, JsonValue> = {};
  for (const argument of input) {
    const value = "literal" in argument ? argument.literal : readVariable(turn, argument.source);
    if (value !== undefined) args[argument.name] = value;
  }
  return args;
}
