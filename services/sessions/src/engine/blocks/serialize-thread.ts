import type { SerializeThreadBlock } from "@muster/protocol";
import { addOperation } from "../operation.ts";
import { serializedJson, serializedMarkdown } from "../projections/serialize.ts";
import { writeVariable } from "../scope.ts";
import { closeBlock, openBlock, type Turn } from "../turn.ts";

/** A thread on which nothing was said gives an empty text, or an empty list. */
export function serializeThread(turn: Turn, block: SerializeThreadBlock): void {
  const operationId = openBlock(turn, block);
  const write = block.format === "json" ? serializedJson : serializedMarkdown;
  writeVariable(turn, block.output, write(turn.conversation, block.thread, turn.program.references));
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}
