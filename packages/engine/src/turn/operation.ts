import type { Block } from "@muster/language";
import { labelOf } from "../shown/display.ts";
import { outputMessage, seenOn } from "./output.ts";
import type { Turn } from "./turn.ts";

/** Adds the part that users see instead of the block's text. */
export function addOperation(
  turn: Turn,
  block: Block,
  operationId: string,
  status: "running" | "done",
): void {
  outputMessage(turn, seenOn(block.thread)).parts.push({
    type: "operation",
    operationId,
    name: labelOf(block) ?? block.name,
    operationType: block.kind,
    status,
    display: block.display,
  });
}
