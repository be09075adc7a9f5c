import {
  type Block,
  notRunYet,
  type SerializeThreadBlock,
  type SetResourceBlock,
  type StartThreadBlock,
} from "@muster/language";
import { addMessage } from "../blocks/add-message.ts";
import { callTool, receiveToolResult, receiveWorkerResult, runWorker } from "../blocks/block-calls.ts";
import { afterWait, beginNextMessage, reopenNextMessage, type StepOutcome } from "../blocks/next-message.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { serializedJson, serializedMarkdown } from "../prompt/serialize.ts";
import { requestCalls } from "../tools/tool-results.ts";
import { addOperation } from "../turn/output.ts";
import { readVariable, writeVariable } from "../turn/scope.ts";
import { configOf } from "../turn/threads.ts";
import { closeBlock, emit, openBlock, openWaitingBlock, type Turn } from "../turn/turn.ts";
import { isReady } from "../workers/end-worker.ts";
import { isSummarizing, noClientTools, type Obstacle } from "../workers/library.ts";
import { fail, finish, problemEvent } from "./turn-end.ts";

/** Runs blocks until one must wait or the last has ended. */
export function execute(turn: Turn): void {
  const { blocks, frame } = turn;
  while (frame.blockIndex < blocks.length) {
    const block = blocks[frame.blockIndex];
    if (block === undefined || !executeBlock(turn, block)) return;
    frame.blockIndex += 1;
  }
  finish(turn);
}

/** False if the turn waits or has ended. */
function executeBlock(turn: Turn, block: Block): boolean {
  const obstacle = obstacleTo(turn, block);
  if (obstacle !== undefined) return refuse(turn, obstacle);
  switch (block.kind) {
    case "add-message":
      addMessage(turn, block);
      return true;
    case "set-resource":
      setResource(turn, block);
      return true;
    case "tool-call":
      park(turn, [callTool(turn, block)], block.thread);
      return false;
    case "next-message":
      return isDone(turn, block, beginNextMessage(turn, block));
    case "start-thread":
      startThread(turn, block);
      return true;
    case "serialize-thread":
      serializeThread(turn, block);
      return true;
    case "run-worker":
      return isRunning(turn, block, runWorker(turn, block));
    case "generate-image":
    case "generate-speech":
    case "transcribe-audio":
      throw new Error(`The engine cannot run ${block.kind}, and no obstacle was reported.`);
    default:
      return block satisfies never;
  }
}

/** Always false: the turn waits for the worker, or cannot run it. */
function isRunning(turn: Turn, block: Block, obstacle: Obstacle | undefined): false {
  if (obstacle === undefined) park(turn, [], block.thread);
  else {
    const problem = `Block ${JSON.stringify(block.name)} cannot run: ${obstacle.problem}`;
    fail(turn, problemEvent(obstacle.retryable ? "execution_error" : "protocol_error", problem));
  }
  return false;
}

/** Waits for the calls, which are requested when all that runs has ended or waits too, and for workers. */
function park(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  requestCalls(turn, calls, thread);
  turn.frame.phase = "parked";
  if (isReady(turn)) turn.tree.due.push(turn);
}

/** Opens the block of a parked turn in the stream that continues after a pause. */
export function reopenBlock(turn: Turn): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") reopenNextMessage(turn, block);
  else if (block?.kind === "run-worker") openWaitingBlock(turn, block);
}

/** Continues the block that had to wait. */
export function endWait(turn: Turn): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block?.kind === "next-message") {
    settleOutcome(turn, block, afterWait(turn, block));
    return;
  }
  if (block?.kind === "tool-call") receiveToolResult(turn, block, turn.answered[0]);
  else if (block?.kind === "run-worker") receiveWorkerResult(turn, block);
  turn.frame.blockIndex += 1;
  execute(turn);
}

function refuse(turn: Turn, problem: string): false {
  fail(turn, problemEvent("protocol_error", problem));
  return false;
}

/** Acts on the outcome of the block's step: the next blocks, a pause, or the end. */
export function settleOutcome(turn: Turn, block: Block, outcome: StepOutcome): void {
  if (!isDone(turn, block, outcome)) return;
  turn.frame.blockIndex += 1;
  execute(turn);
}

function isDone(turn: Turn, block: Block, outcome: StepOutcome): boolean {
  switch (outcome.type) {
    case "done":
      return true;
    case "called":
      return false;
    case "wait":
      park(turn, outcome.calls, block.thread);
      return false;
    case "problem":
      fail(turn, problemEvent(outcome.errorType, outcome.problem));
      return false;
    default:
      return outcome satisfies never;
  }
}

/** Explains in a sentence why a block cannot run; undefined if it can. Checked before the block does anything. */
function obstacleTo(turn: Turn, block: Block): string | undefined {
  const config = configOf(turn, block.thread);
  if (block.kind === "next-message" && config === undefined) {
    const thread = JSON.stringify(block.thread);
    return `${cannotExecute(block)} the thread ${thread} has not been started. Run a start-thread block before it.`;
  }
  if (block.kind === "tool-call" && isSummarizing(turn)) return `${cannotExecute(block)} ${noClientTools}`;
  const missing = notRunYet(block);
  if (missing === undefined) return undefined;
  return `${cannotExecute(block)} ${asSubject(missing)} not available on this server yet.`;
}

function cannotExecute({ name }: Block): string {
  return `Block ${JSON.stringify(name)} cannot run:`;
}

/** `Generating images` is singular, `Skills` is plural; `MCP` keeps its capitals. */
function asSubject(what: string): string {
  const [first = ""] = what.split(" ");
  const isMany = what.endsWith("s") && !first.endsWith("ing");
  const start = first === first.toUpperCase() ? first : first.toLowerCase();
  return `${start}${what.slice(first.length)} ${isMany ? "are" : "is"}`;
}

/** A thread without messages becomes an empty text, or an empty list. */
function serializeThread(turn: Turn, block: SerializeThreadBlock): void {
  const operationId = openBlock(turn, block);
  const write = block.format === "json" ? serializedJson : serializedMarkdown;
  writeVariable(turn, block.output, write(turn.conversation, block.thread, turn.program.references));
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}

/** Every write is announced, regardless of the block's display, because clients keep their resources in step with it. */
function setResource(turn: Turn, block: SetResourceBlock): void {
  const operationId = openBlock(turn, block);
  const value = readVariable(turn, block.value) ?? null;
  turn.conversation.resources[block.resource] = value;
  emit(turn, { type: "resource-update", name: block.resource, value });
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}

/** Configures the thread from now on, in later turns too. Its messages stay. */
function startThread(turn: Turn, block: StartThreadBlock): void {
  const operationId = openBlock(turn, block);
  const { conversation } = turn;
  conversation.threads = { ...conversation.threads, [block.thread]: block.id };
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}
