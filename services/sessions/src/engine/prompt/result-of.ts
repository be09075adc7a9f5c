import type { JsonValue, Program } from "@muster/protocol";
import type { ToolCallPart } from "../conversation/conversation.ts";

export type References = Program["references"];

/** The result of a finished call; null if it has none. `references`: the program's references. */
export function resultOf({ result, reference }: ToolCallPart, references: References): JsonValue {
  if (reference === undefined) return result ?? null;
  return Object.hasOwn(references, reference) ? (references[reference]?.content ?? null) : null;
}
