import type { SerializeThreadBlock } from "@muster/language";
import { serializedJson, serializedMarkdown } from "../prompt/serialize.ts";
import { addOperation } from "../turn/operation.ts";
import { writeVariable } from "../turn/scope.ts";
import { closeBlock, openBlock, type Turn } from "../turn/turn.ts";

/** A thread without messages becomes an empty text, or an empty list. */
export function serializeThread(turn: Turn, block: SerializeThreadBlock): void {
  const operationId = openBlock(turn, block);
  const write = block.format === "json" ? serializedJson : serializedMarkdown;
  writeVariable(turn, block.output, write(turn.conversation, block.thread, turn.program.references));
  if (block.display !== "hidden") addOperation(turn, block, operationId, "done");
  closeBlock(turn);
}
