import { checkValue, type JsonSchema, parseJson, type ValueIssue } from "@muster/protocol";
import type { ObjectPart } from "../conversation/conversation.ts";

/** Parses the object from the text, which must be JSON that matches the schema. */
export function completeObject(part: ObjectPart, schema: JsonSchema | undefined): void {
  const parsed = parseJson(withoutFence(part.text));
  const issues: ValueIssue[] = [];
  if (parsed.ok && schema !== undefined) checkValue(schema, parsed.value, "", issues);
  if (!parsed.ok || issues.length > 0) {
    part.status = "error";
    return;
  }
  part.object = parsed.value;
  part.status = "done";
}

/** Models without a native JSON mode often wrap JSON in a Markdown fence. */
function withoutFence(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```") || !trimmed.includes("\n")) return trimmed;
  return trimmed.slice(trimmed.indexOf("\n") + 1, -3);
}
