import { checkValue, type JsonSchema, type JsonValue, type ValueIssue } from "@muster/language";
import { parseObjectText } from "@muster/wire/events";
import type { Repair } from "../boundary/frame.ts";
import type { ObjectPart } from "../conversation/conversation.ts";

/** Parses the object from the text, which must be JSON that matches the schema. */
export function completeObject(part: ObjectPart, schema: JsonSchema | undefined): void {
  const parsed = parseObjectText(part.text);
  if (!parsed.ok || issuesOf(parsed.value, schema, part.typeName).length > 0) {
    part.status = "error";
    return;
  }
  part.object = parsed.value;
  part.status = "done";
}

/** Characters of a failed object that the model reads again. */
const maxText = 32 * 1024;
const maxIssues = 10;

/** The mistake that the model has to correct. */
export function repairOf(
  { text, typeName }: ObjectPart,
  schema: JsonSchema | undefined,
): Pick<Repair, "text" | "problem"> {
  const parsed = parseObjectText(text);
  const issues = parsed.ok ? issuesOf(parsed.value, schema, typeName) : [];
  const problem = parsed.ok
    ? issues
        .slice(0, maxIssues)
        .map(({ message }) => message)
        .join(" ")
    : "It is not complete JSON.";
  return { text: text.slice(0, maxText).toWellFormed(), problem };
}

function issuesOf(value: JsonValue, schema: JsonSchema | undefined, name: string): ValueIssue[] {
  const issues: ValueIssue[] = [];
  if (schema !== undefined) checkValue(schema, value, name, issues);
  return issues;
}
