import type { JsonValue, NextMessageBlock } from "@muster/language";
import type { ObjectPart, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { asidePrefix, callIdsOf, isOfWorker, lastStep, mainThread } from "../conversation/messages.ts";
import { failCall } from "../shown/call-events.ts";
import { showsOperation } from "../shown/display.ts";
import { repairOf } from "../steps/object-answer.ts";
import { holdCalls, isHeld } from "../tools/approvals.ts";
import { isPlatformCall, settlePlatformCalls } from "../tools/platform-calls.ts";
import { isRemote } from "../tools/remote-calls.ts";
import { addOperation, visibleMessages } from "../turn/output.ts";
import { configOf, writeVariable } from "../turn/scope.ts";
import { closeBlock, emit, forgetCallIds, messagesOfTurn, openBlock, type Turn } from "../turn/turn.ts";
import { beginWorker } from "../workers/begin-worker.ts";
import { isSummarizing, noClientTools } from "../workers/library.ts";
import { beginStep, repairStep } from "./begin-step.ts";
import { cannotRun, done, type StepOutcome } from "./executor.ts";
import { endFold } from "./fold.ts";

const called: StepOutcome = { type: "called" };

export function beginNextMessage(turn: Turn, block: NextMessageBlock): StepOutcome {
  if (configOf(turn, block.thread) === undefined) {
    const thread = JSON.stringify(block.thread);
    const why = `the thread ${thread} has not been started. Run a start-thread block before it.`;
    return cannotRun(block, why);
  }
  const runId = openNextMessage(turn, block);
  turn.frame.open = {
    runId,
    operationId: runId,
    ...(block.independent && { asideThread: `${asidePrefix}${runId}` }),
    steps: 0,
    maxSteps: 0,
    onBackup: false,
  };
  if (showsOperation(block.display) && !block.independent) addOperation(turn, block, runId, "running");
  return nextStep(turn, block);
}

/** In the stream that continues after a pause. */
export function reopenNextMessage(turn: Turn, block: NextMessageBlock): void {
  const { open } = turn.frame;
  if (open !== undefined) open.runId = openNextMessage(turn, block);
}

/** The main chat is the main thread of a session. */
function openNextMessage(turn: Turn, block: NextMessageBlock): string {
  const isMain = block.thread === mainThread && turn.program.format === "interactive";
  return openBlock(turn, block, isMain && !block.independent);
}

/** The model has ended its step normally. */
export function endStep(turn: Turn, block: NextMessageBlock): StepOutcome {
  const { step, frame } = turn;
  if (step === undefined) return done;
  if (frame.open?.fold !== undefined) return outcomeOf(endFold(turn, block, frame.open.fold));
  step.close();
  turn.step = undefined;
  turn.tree.root.frame.worthSaving = true;
  frame.finishReason = step.finishReason;
  const { parts } = step.calls;
  const outcome = parts.length === 0 ? undefined : carryOut(turn, block, parts);
  if (outcome !== undefined) return outcome;
  const { steps = 0, maxSteps = 0 } = frame.open ?? {};
  if (step.isPaused && steps < maxSteps) return nextStep(turn, block);
  const repair = repairFor(turn, block);
  if (repair === undefined) return finishNextMessage(turn, block);
  return outcomeOf(repairStep(turn, block, step, repair));
}

/** Undefined if the calls change nothing about how the block continues: their provider has carried them out. */
function carryOut(
  turn: Turn,
  block: NextMessageBlock,
  calls: readonly ToolCallPart[],
): StepOutcome | undefined {
  settlePlatformCalls(turn, block, calls);
  refuseClientCalls(turn, block, calls);
  holdCalls(turn, calls, block.thread);
  startWorkers(turn, block, calls);
  const waiting = calls.filter((part) => part.status === "pending" && !isHeld(part));
  const isRunning = calls.some((part) => isHeld(part) || (part.status === "running" && isOfWorker(part)));
  if (waiting.length > 0 || isRunning) return { type: "wait", calls: waiting };
  const answered = calls.some(
    ({ status, hosted }) => hosted === undefined && (status === "error" || status === "done"),
  );
  return answered ? afterCalls(turn, block) : undefined;
}

/**
 * The mistake that the model has to correct; undefined if it was asked to before, or if the provider withholds its
 * answer.
 */
function repairFor({ conversation, frame }: Turn, { responseType }: NextMessageBlock) {
  if (responseType === undefined || frame.open?.repair || frame.finishReason === "content-filter")
    return undefined;
  const object = objectIn(lastStep(conversation.messages.at(-1)));
  return object?.status === "error" ? repairOf(object, responseType.schema) : undefined;
}

/** A worker that writes a summary cannot wait for the application; its model reads why. */
function refuseClientCalls(turn: Turn, { thread }: NextMessageBlock, calls: readonly ToolCallPart[]): void {
  if (!isSummarizing(turn)) return;
  const refused = calls.filter(
    (part) => part.status === "pending" && !isOfWorker(part) && !isRemote(turn, part),
  );
  for (const part of refused) failCall(part, noClientTools, (event) => emit(turn, event, thread));
}

function startWorkers(turn: Turn, block: NextMessageBlock, calls: readonly ToolCallPart[]): void {
  for (const part of calls) {
    if (part.status !== "pending" || isHeld(part) || !isOfWorker(part)) continue;
    const obstacle = beginWorker(turn, part, block.thread);
    if (obstacle !== undefined) failCall(part, obstacle.problem, (event) => emit(turn, event, block.thread));
  }
}

function nextStep(turn: Turn, block: NextMessageBlock): StepOutcome {
  return outcomeOf(beginStep(turn, block));
}

function outcomeOf(problem: string | undefined): StepOutcome {
  return problem === undefined ? called : { type: "problem", problem, errorType: "protocol_error" };
}

/** All that the block waited for has arrived: results, or a summary. */
export function afterWait(turn: Turn, block: NextMessageBlock): StepOutcome {
  const { fold } = turn.frame.open ?? {};
  return fold === undefined ? afterCalls(turn, block) : outcomeOf(endFold(turn, block, fold));
}

/** If the model need not be called again, the block ends as its author intended; otherwise `maxSteps` cut it. */
function afterCalls(turn: Turn, block: NextMessageBlock): StepOutcome {
  if (mayContinue(turn, block)) return nextStep(turn, block);
  turn.frame.finishReason = comesBack(turn, block) ? "other" : "stop";
  return finishNextMessage(turn, block);
}

function mayContinue(turn: Turn, block: NextMessageBlock): boolean {
  const { open } = turn.frame;
  return open !== undefined && open.steps < open.maxSteps && comesBack(turn, block);
}

/**
 * Agentic threads call the model again after tool calls. All others do so only after calls of platform tools, whose
 * results are useful only to the model. `maxSteps` limits both.
 */
function comesBack(turn: Turn, block: NextMessageBlock): boolean {
  if (configOf(turn, block.thread)?.agentic) return true;
  return lastStep(turn.conversation.messages.at(-1)).some((part) => isPlatformCall(turn, block.thread, part));
}

function finishNextMessage(turn: Turn, block: NextMessageBlock): StepOutcome {
  const answer = readAnswer(turn, block);
  if (answer === undefined) {
    const problem = `The model's response is not a valid ${block.responseType?.name}.`;
    return { type: "problem", problem, errorType: "execution_error" };
  }
  writeVariable(turn, block.output, answer);
  endOperation(turn);
  dropAside(turn);
  closeBlock(turn);
  delete turn.frame.open;
  return done;
}

/** The text of the last step, or its object if the block asks for one. Undefined: no valid object. */
function readAnswer(turn: Turn, block: NextMessageBlock): JsonValue | undefined {
  const parts = lastStep(turn.conversation.messages.at(-1));
  if (block.responseType === undefined) return parts.map(asText).join("");
  return objectIn(parts)?.object;
}

function objectIn(parts: readonly StoredPart[]): ObjectPart | undefined {
  const object = parts.findLast((part) => part.type === "object");
  return object?.type === "object" ? object : undefined;
}

function asText(part: StoredPart): string {
  return part.type === "text" ? part.text : "";
}

function endOperation(turn: Turn): void {
  const id = turn.frame.open?.operationId;
  for (const { parts } of visibleMessages(turn)) {
    for (const part of parts) if (part.type === "operation" && part.operationId === id) part.status = "done";
  }
}

/**
 * Neither users nor the model of a later turn read an independent turn after its end. The stream has shown its
 * calls, so their ids stay reserved.
 */
function dropAside(turn: Turn): void {
  const { conversation, frame, firstMessage } = turn;
  const thread = frame.open?.asideThread;
  if (thread === undefined) return;
  const own = messagesOfTurn(turn);
  const aside = own.filter((message) => message.thread === thread);
  frame.retiredCallIds.push(...aside.flatMap(callIdsOf));
  conversation.messages.splice(
    firstMessage,
    own.length,
    ...own.filter((message) => message.thread !== thread),
  );
  forgetCallIds(turn);
}
