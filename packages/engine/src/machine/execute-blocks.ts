import {
  type Block,
  type BlockOf,
  blocksNotRunYet,
  isRunYet,
  type KindRunYet,
  type SerializeThreadBlock,
  type SetResourceBlock,
  type StartThreadBlock,
} from "@muster/language";
import { addMessage } from "../blocks/add-message.ts";
import {
  callTool,
  receiveToolResult,
  receiveWorkerResult,
  reopenToolCall,
  runWorker,
} from "../blocks/block-calls.ts";
import { cannotRun, done, type Executor, type StepOutcome } from "../blocks/executor.ts";
import { afterWait, beginNextMessage, reopenNextMessage } from "../blocks/next-message.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { serializedJson, serializedMarkdown } from "../prompt/serialize.ts";
import { makeCalls } from "../tools/remote-calls.ts";
import { addOperation } from "../turn/output.ts";
import { readVariable, writeVariable } from "../turn/scope.ts";
import { closeBlock, emit, openBlock, openWaitingBlock, type Turn } from "../turn/turn.ts";
import { isReady } from "../workers/end-worker.ts";
import { fail, finish, problemEvent } from "./turn-end.ts";

/** Every kind of block has an entry here, or in `blocksNotRunYet` of the language. */
const executors: { readonly [Kind in KindRunYet]: Executor<BlockOf<Kind>> } = {
  "add-message": atOnce(addMessage),
  "next-message": { begin: beginNextMessage, reopen: reopenNextMessage, endWait: afterWait },
  "tool-call": { begin: callTool, reopen: reopenToolCall, endWait: receiveToolResult },
  "start-thread": asOperation(startThread),
  "serialize-thread": asOperation(serializeThread),
  "set-resource": asOperation(setResource),
  "run-worker": { begin: runWorker, reopen: openWaitingBlock, endWait: receiveWorkerResult },
};

function executorOf<Kind extends KindRunYet>(kind: Kind): Executor<BlockOf<Kind>> {
  return executors[kind];
}

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
  if (isRunYet(block)) return isDone(turn, block, executorOf(block.kind).begin(turn, block));
  const missing = blocksNotRunYet[block.kind].toLowerCase();
  return isDone(turn, block, cannotRun(block, `${missing} is not available on this server yet.`));
}

/** Waits for the calls, which are requested when all that runs has ended or waits too, and for workers. */
function park(turn: Turn, calls: readonly ToolCallPart[], thread: string): void {
  makeCalls(turn, calls, thread);
  turn.frame.phase = "parked";
  if (isReady(turn)) turn.tree.due.push(turn);
}

/** Opens the block of a parked turn in the stream that continues after a pause. */
export function reopenBlock(turn: Turn): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block !== undefined && isRunYet(block)) executorOf(block.kind).reopen(turn, block);
}

/** Continues the block that had to wait. */
export function endWait(turn: Turn): void {
  const block = turn.blocks[turn.frame.blockIndex];
  if (block !== undefined && isRunYet(block))
    settleOutcome(turn, block, executorOf(block.kind).endWait(turn, block));
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

/** Configures the thread from now on, in later turns too. Its messages stay. */
function startThread({ conversation }: Turn, { thread, id }: StartThreadBlock): void {
  conversation.threads = { ...conversation.threads, [thread]: id };
}

/** A thread without messages becomes an empty text, or an empty list. */
function serializeThread(turn: Turn, { format, output, thread }: SerializeThreadBlock): void {
  const write = format === "json" ? serializedJson : serializedMarkdown;
  const { program, conversation, tree } = turn;
  const writing = { references: program.references, fence: tree.root.conversation.fence };
  writeVariable(turn, output, write(conversation, thread, writing));
}

/** Every write is announced, regardless of the block's display, because clients keep their resources in step with it. */
function setResource(turn: Turn, { resource, value: name }: SetResourceBlock): void {
  const value = readVariable(turn, name) ?? null;
  turn.conversation.resources[resource] = value;
  emit(turn, { type: "resource-update", name: resource, value });
}

/** A block that never waits. */
function atOnce<B extends Block>(act: (turn: Turn, block: B) => void): Executor<B> {
  return {
    begin: (turn, block) => {
      act(turn, block);
      return done;
    },
    reopen: neverWaits,
    endWait: neverWaits,
  };
}

/** A block that never waits, and that users see as an operation unless `display` hides it. */
function asOperation<B extends Block>(act: (turn: Turn, block: B) => void): Executor<B> {
  return atOnce((turn, block) => {
    const operationId = openBlock(turn, block);
    act(turn, block);
    if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
    closeBlock(turn);
  });
}

function neverWaits(_turn: Turn, { kind }: Block): never {
  throw new Error(`A ${kind} block never waits.`);
}
