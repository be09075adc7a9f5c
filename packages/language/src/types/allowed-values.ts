import type { Context } from "../context.ts";
import { checkValue, type ValueIssue } from "../values/check-value.ts";
import { equalJson, type JsonSchema, type JsonValue } from "../values/json.ts";
import { placeOf, type SyntaxNode } from "../yaml/syntax.ts";

/** Reports every value of `enum` that the type does not have. */
export function checkEnum(
  node: SyntaxNode,
  type: JsonSchema,
  allowed: readonly JsonValue[] | undefined,
  { report }: Context,
): boolean {
  if (allowed === undefined) return true;
  const list = placeOf(node, "enum");
  if (allowed.length === 0) report.add("ENUM_MISMATCH", list, "An enum needs at least one value.");
  let fits = allowed.length > 0;
  for (const [index, value] of allowed.entries()) {
    const problem = problemOf(type, value, "value");
    if (problem === undefined) continue;
    fits = false;
    report.add("ENUM_MISMATCH", (list.kind === "list" ? list.items[index] : undefined) ?? list, problem);
  }
  return fits;
}

/** Reports a `default` or `const` that the type does not have, or that `enum` does not list. */
export function checkSingle(
  key: "default" | "const",
  node: SyntaxNode,
  type: JsonSchema,
  { value, allowed }: { value: JsonValue | undefined; allowed: readonly JsonValue[] | undefined },
  { report }: Context,
): boolean {
  if (value === undefined) return true;
  const problem = problemOf(allowed === undefined ? type : { ...type, enum: allowed }, value, key);
  if (problem === undefined) return true;
  const isListed = allowed === undefined || allowed.some((item) => equalJson(item, value));
  report.add(isListed ? "WRONG_TYPE" : "ENUM_MISMATCH", placeOf(node, key), problem);
  return false;
}

function problemOf(schema: JsonSchema, value: JsonValue, name: string): string | undefined {
  const issues: ValueIssue[] = [];
  checkValue(schema, value, name, issues);
  return issues[0] && `The ${issues[0].message}`;
}
