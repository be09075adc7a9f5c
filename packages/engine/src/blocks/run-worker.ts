import type { JsonObject, RunWorkerBlock } from "@muster/language";
import type { StoredPart } from "../conversation/conversation.ts";
import { isOfWorker, type WorkerCallPart } from "../conversation/worker-call.ts";
import { labelOf } from "../shown/display.ts";
import { lookOf } from "../tools/offered-tools.ts";
import { outputMessage, seenOn } from "../turn/output.ts";
import { writeVariable } from "../turn/scope.ts";
import { boundOn } from "../turn/threads.ts";
import type { Turn } from "../turn/turn.ts";
import { closeWaitingBlock, openWaitingBlock } from "../turn/waiting-block.ts";
import { beginWorker } from "../workers/begin-worker.ts";
import type { Obstacle } from "../workers/library.ts";
import { readArguments } from "./block-arguments.ts";

/** Undefined if the worker runs. */
export function runWorker(turn: Turn, block: RunWorkerBlock): Obstacle | undefined {
  openWaitingBlock(turn, block);
  const part = composeCall(turn, block);
  const obstacle = beginWorker(turn, part, block.thread);
  if (obstacle === undefined) outputMessage(turn, seenOn(block.thread)).parts.push(part);
  return obstacle;
}

/** A worker that failed leaves its variable without a value, which reads as NONE. */
export function receiveWorkerResult(turn: Turn, block: RunWorkerBlock): void {
  const { parts = [] } = turn.conversation.messages.findLast(({ parts }) => parts.some(isOfBlock)) ?? {};
  const part = parts.findLast(isOfBlock);
  writeVariable(turn, block.output, part?.result ?? null);
  closeWaitingBlock(turn);
}

function isOfBlock(part: StoredPart): part is WorkerCallPart {
  return part.type === "tool-call" && part.source === "block" && isOfWorker(part);
}

function composeCall(turn: Turn, block: RunWorkerBlock): WorkerCallPart {
  const look = lookOf(turn, block.worker);
  const display = look.display === "hidden" ? "hidden" : block.display;
  const title = labelOf({
    display,
    title: block.title ?? look.title,
    description: block.description ?? look.description,
  });
  const args: JsonObject = readArguments(turn, block.input);
  return {
    type: "tool-call",
    toolCallId: turn.environment.newId("call"),
    toolName: block.worker,
    ...(title !== undefined && { title }),
    display,
    source: "block",
    ...boundOn(turn, block.thread),
    args,
    status: "pending",
    worker: { workerId: turn.environment.newId("run"), hasInput: true, messages: [] },
  };
}
