import type { JsonValue } from "@muster/protocol";
import type { ToolCallPart } from "../conversation/conversation.ts";
import { boundOutput, boundResult } from "../prompt/bound-output.ts";

/* What users see of the outcome of a call, if its display shows it: not more than models read. */

export function shownResult({ result, maxToolOutputTokens }: ToolCallPart): JsonValue | undefined {
  if (result === undefined || maxToolOutputTokens === undefined) return result;
  return boundResult(result, (text) => boundOutput(text, maxToolOutputTokens));
}

export function shownError({ error, maxToolOutputTokens }: ToolCallPart): string | undefined {
  return error === undefined ? undefined : boundOutput(error, maxToolOutputTokens);
}
