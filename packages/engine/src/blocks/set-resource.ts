import type { SetResourceBlock } from "@muster/language";
import { addOperation } from "../turn/operation.ts";
import { readVariable } from "../turn/scope.ts";
import { closeBlock, emit, openBlock, type Turn } from "../turn/turn.ts";

/** Every write is announced, regardless of the block's display, because clients keep their resources in step with it. */
export function setResource(turn: Turn, block: SetResourceBlock): void {
  const operationId = openBlock(turn, block);
  const value = readVariable(turn, block.value) ?? null;
  turn.conversation.resources[block.resource] = value;
  emit(turn, { type: "resource-update", name: block.resource, value });
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}
