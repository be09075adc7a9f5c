import type { JsonValue, Program } from "@muster/language";
import type { ToolCallPart } from "../conversation/conversation.ts";

export type References = Program["references"];

/** Instead of the result of a restored call. */
const notKept = "The call succeeded. Its result was not kept.";

/** The result of a finished call; null if it has none. `references`: the program's references. */
export function resultOf({ result, reference, restored }: ToolCallPart, references: References): JsonValue {
  if (restored) return notKept;
  if (reference === undefined) return result ?? null;
  return Object.hasOwn(references, reference) ? (references[reference]?.content ?? null) : null;
}
