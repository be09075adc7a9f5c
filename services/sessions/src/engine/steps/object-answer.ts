import { checkValue, type JsonSchema, type ValueIssue } from "@muster/protocol";
import { parseObjectText } from "@muster/stream-events";
import type { ObjectPart } from "../conversation/conversation.ts";

/** Parses the object from the text, which must be JSON that matches the schema. */
export function completeObject(part: ObjectPart, schema: JsonSchema | undefined): void {
  const parsed = parseObjectText(part.text);
  const issues: ValueIssue[] = [];
  if (parsed.ok && schema !== undefined) checkValue(schema, parsed.value, "", issues);
  if (!parsed.ok || issues.length > 0) {
    part.status = "error";
    return;
  }
  part.object = parsed.value;
  part.status = "done";
}
