import type { Block } from "@muster/language";
import { closeBlock, openBlock, type Turn } from "./turn.ts";

/**
 * Opens a block that waits for results without calling a model, for the first time or again after a pause. The frame has its
 * id, so that a process that continues the turn meanwhile can end the block in the stream.
 */
export function openWaitingBlock(turn: Turn, block: Block): void {
  const runId = openBlock(turn, block);
  turn.frame.open = { runId, operationId: runId, steps: 0, maxSteps: 0, onBackup: false };
}

export function closeWaitingBlock(turn: Turn): void {
  closeBlock(turn);
  delete turn.frame.open;
}
