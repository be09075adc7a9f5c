import type { JsonValue, Program } from "@muster/protocol";
import type { ToolCallPart } from "../conversation/conversation.ts";

export type References = Program["references"];

/** What a call that is done has given; null for nothing. `references` are those of the program. */
export function resultOf({ result, reference }: ToolCallPart, references: References): JsonValue {
  if (reference === undefined) return result ?? null;
  return Object.hasOwn(references, reference) ? (references[reference]?.content ?? null) : null;
}
