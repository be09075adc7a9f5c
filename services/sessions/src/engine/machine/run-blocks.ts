import type { Block } from "@muster/protocol";
import { addMessage } from "../blocks/add-message.ts";
import { beginNextMessage, type StepOutcome } from "../blocks/next-message.ts";
import { serializeThread } from "../blocks/serialize-thread.ts";
import { setResource } from "../blocks/set-resource.ts";
import { startThread } from "../blocks/start-thread.ts";
import { callTool } from "../blocks/tool-call.ts";
import { problemEvent } from "../shown/failure-event.ts";
import type { Turn } from "../turn/turn.ts";
import { obstacleTo } from "./runnable.ts";
import { fail, finish, pause } from "./turn-end.ts";

/** Runs blocks until one must wait or the last has ended. */
export function run(turn: Turn): void {
  const { blocks, frame } = turn;
  while (frame.blockIndex < blocks.length) {
    const block = blocks[frame.blockIndex];
    if (block === undefined || !runBlock(turn, block)) return;
    frame.blockIndex += 1;
  }
  finish(turn);
}

/** False if the turn waits or has ended. */
function runBlock(turn: Turn, block: Block): boolean {
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
      pause(turn, [callTool(turn, block)], block.thread);
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
    case "generate-image":
    case "generate-speech":
    case "transcribe-audio":
      throw new Error(`The engine cannot run ${block.kind}, and no obstacle was reported.`);
    default:
      return block satisfies never;
  }
}

function refuse(turn: Turn, problem: string): false {
  fail(turn, problemEvent("protocol_error", problem));
  return false;
}

/** Acts on the outcome of the block's step: the next blocks, a pause, or the end. */
export function settleOutcome(turn: Turn, block: Block, outcome: StepOutcome): void {
  if (!isDone(turn, block, outcome)) return;
  turn.frame.blockIndex += 1;
  run(turn);
}

function isDone(turn: Turn, block: Block, outcome: StepOutcome): boolean {
  switch (outcome.type) {
    case "done":
      return true;
    case "called":
      return false;
    case "pause":
      pause(turn, outcome.calls, block.thread);
      return false;
    case "problem":
      fail(turn, problemEvent(outcome.errorType, outcome.problem));
      return false;
    default:
      return outcome satisfies never;
  }
}
