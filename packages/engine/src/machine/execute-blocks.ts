import { type Block, blocksNotRunYet, isRunYet } from "@muster/language";
import { cannotRun, type StepOutcome } from "../blocks/executor.ts";
import { executorOf } from "../blocks/executors.ts";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { requestCalls } from "../tools/tool-results.ts";
import type { Turn } from "../turn/turn.ts";
import { isReady } from "../workers/end-worker.ts";
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
  if (isRunYet(block)) return isDone(turn, block, executorOf(block.kind).begin(turn, block));
  const missing = blocksNotRunYet[block.kind].toLowerCase();
  return isDone(turn, block, cannotRun(block, `${missing} is not available on this server yet.`));
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
