import type { VariableSpec } from "../program.ts";
import { checkValue, type ValueIssue } from "./check-value.ts";
import { findJsonProblem, isJsonValue, isPlainObject, type JsonSchema, type JsonValue } from "./json.ts";

export type InputCheck =
  | { readonly ok: true; readonly values: Record<string, JsonValue> }
  | { readonly ok: false; readonly issues: readonly ValueIssue[] };

/**
 * Checks session or trigger input against its declarations and fills in defaults. Names that are not declared
 * are dropped. An optional one without a default stays absent; `mapInput` makes it read as NONE.
 */
export function checkInput(specs: Readonly<Record<string, VariableSpec>>, input: unknown): InputCheck {
  if (input !== undefined && !isPlainObject(input)) {
    return { ok: false, issues: [{ path: "", message: "Input must be an object of values by name." }] };
  }
  const issues: ValueIssue[] = [];
  const values: Record<string, JsonValue> = {};
  for (const [name, spec] of Object.entries(specs)) {
    const given = input !== undefined && Object.hasOwn(input, name) ? input[name] : undefined;
    const value = given === undefined || (given === null && spec.optional) ? spec.default : given;
    if (value === undefined) {
      if (!spec.optional) issues.push({ path: name, message: `${name} is required.` });
    } else if (accepts(spec.schema, value, name, issues)) {
      values[name] = value;
    }
  }
  return issues.length === 0 ? { ok: true, values } : { ok: false, issues };
}

function accepts(schema: JsonSchema, value: unknown, path: string, issues: ValueIssue[]): value is JsonValue {
  if (!isJsonValue(value)) {
    issues.push({ path, message: `${path} ${findJsonProblem(value) ?? "must be JSON"}.` });
    return false;
  }
  const before = issues.length;
  checkValue(schema, value, path, issues);
  return issues.length === before;
}
