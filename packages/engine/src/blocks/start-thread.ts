import type { StartThreadBlock } from "@muster/language";
import { addOperation } from "../turn/operation.ts";
import { closeBlock, openBlock, type Turn } from "../turn/turn.ts";

/** Configures the thread from now on, in later turns too. Its messages stay. */
export function startThread(turn: Turn, block: StartThreadBlock): void {
  const operationId = openBlock(turn, block);
  const { conversation } = turn;
  conversation.threads = { ...conversation.threads, [block.thread]: block.id };
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}
