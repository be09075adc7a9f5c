import type { Context } from "../context.ts";
import type { ResourceSpec, VariableSpec } from "../program.ts";
import { defaulted, object, optional, required, type Values } from "../readers/fields.ts";
import { defined, listOf, mapOf } from "../readers/readers.ts";
import { flag, json, text } from "../readers/value-readers.ts";
import { checkEnum, checkSingle } from "../types/allowed-values.ts";
import { implicitType, reportImplicitType, typeUse } from "../types/type-use.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";

const typeDoc = "The type of the value.";
const fields = {
  type: required(typeUse, typeDoc),
  description: optional(text, "What the value means."),
  optional: defaulted(
    flag,
    false,
    "Whether the value may be absent. It then reads as its default, or as NONE.",
  ),
  default: optional(json, "The value if none is set."),
  enum: optional(listOf(json, "values"), "The allowed values."),
  readonly: defaulted(flag, false, "Whether blocks are forbidden to write it. Input is always read-only."),
};
const form = object(fields);
const resourceForm = object({ ...fields, type: implicitType(typeDoc) });

/** Reads `input`, `variables` and the input of triggers. */
export const variableSpecs = mapOf("variable", { shape: form.shape, read: readVariable });

/** Reads `resources`. */
export const resourceSpecs = mapOf("variable", {
  shape: resourceForm.shape,
  read: readResource,
});

function readVariable(node: SyntaxNode, context: Context): VariableSpec | undefined {
  const resource = specOf(form.read(node, context), node, context);
  if (resource === undefined) return undefined;
  const { readonly: _, ...variable } = resource;
  return variable;
}

function readResource(node: SyntaxNode, context: Context): ResourceSpec | undefined {
  const values = resourceForm.read(node, context);
  if (values !== undefined) reportImplicitType(node, context);
  return specOf(values, node, context);
}

function specOf(
  values: Values<typeof fields> | undefined,
  node: SyntaxNode,
  context: Context,
): ResourceSpec | undefined {
  if (values === undefined) return undefined;
  const { type, enum: allowed, ...rest } = values;
  const schema = allowed === undefined ? type.resolved.schema : { ...type.resolved.schema, enum: allowed };
  const fits = checkEnum(node, type.resolved.schema, allowed, context);
  const given = { value: rest.default, allowed };
  if (!fits || !checkSingle("default", node, type.resolved.schema, given, context)) return undefined;
  return defined({ ...rest, type: type.ref, schema, enum: allowed });
}
