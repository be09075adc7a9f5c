import type { Context } from "../context.ts";
import type { ResourceSpec, VariableSpec } from "../program.ts";
import { defaulted, object, optional, required } from "../readers/fields.ts";
import { defined, listOf, mapOf } from "../readers/readers.ts";
import { flag, json, text } from "../readers/value-readers.ts";
import { typeUse } from "../types/types.ts";
import { checkValue } from "../values/check-value.ts";
import { equalJson, type JsonSchema, type JsonValue } from "../values/json.ts";
import { placeOf, type SyntaxNode } from "../yaml/syntax.ts";

const form = object({
  type: required(typeUse, "The type of the value."),
  description: optional(text, "What the value is."),
  optional: defaulted(flag, false, "Whether the value may be absent. Without a default it then reads NONE."),
  default: optional(json, "The value when none is given."),
  enum: optional(listOf(json, "values"), "The only values that are allowed."),
  readonly: defaulted(flag, false, "For resources: whether blocks may not write it."),
});

/** Reads `input`, `variables` and the input of triggers. */
export const variableSpecs = mapOf("variable", { shape: form.shape, read: readVariable });

/** Reads `resources`. */
export const resourceSpecs = mapOf("variable", { shape: form.shape, read: readResource });

function readVariable(node: SyntaxNode, context: Context): VariableSpec | undefined {
  const resource = readResource(node, context);
  if (resource === undefined) return undefined;
  const { readonly: _, ...variable } = resource;
  return variable;
}

function readResource(node: SyntaxNode, context: Context): ResourceSpec | undefined {
  const values = form.read(node, context);
  if (values === undefined) return undefined;
  const { type, enum: allowed, ...rest } = values;
  const schema = allowed === undefined ? type.resolved.schema : { ...type.resolved.schema, enum: allowed };
  const fits = checkEnum(node, type.resolved.schema, allowed, context);
  if (!fits || !checkDefault(node, schema, allowed, rest.default, context)) return undefined;
  return defined({ ...rest, type: type.ref, schema, enum: allowed });
}

function checkEnum(
  node: SyntaxNode,
  schema: JsonSchema,
  allowed: readonly JsonValue[] | undefined,
  { report }: Context,
): boolean {
  if (allowed === undefined) return true;
  const wrong = allowed.find((value) => problem(schema, value) !== undefined);
  if (wrong === undefined && allowed.length > 0) return true;
  const text =
    allowed.length === 0 ? "An enum needs at least one value." : "Every value of an enum must fit the type.";
  report.add("ENUM_MISMATCH", placeOf(node, "enum"), text);
  return false;
}

function checkDefault(
  node: SyntaxNode,
  schema: JsonSchema,
  allowed: readonly JsonValue[] | undefined,
  value: JsonValue | undefined,
  { report }: Context,
): boolean {
  const wrong = value === undefined ? undefined : problem(schema, value);
  if (value === undefined || wrong === undefined) return true;
  const listed = allowed === undefined || allowed.some((item) => equalJson(item, value));
  report.add(listed ? "WRONG_TYPE" : "ENUM_MISMATCH", placeOf(node, "default"), `The ${wrong}`);
  return false;
}

function problem(schema: JsonSchema, value: JsonValue): string | undefined {
  const issues: Array<{ path: string; message: string }> = [];
  checkValue(schema, value, "default", issues);
  return issues[0]?.message;
}
