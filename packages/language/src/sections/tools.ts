import type { Context } from "../context.ts";
import type { Display, ToolSpec } from "../program.ts";
import { defaulted, object, optional, required } from "../readers/fields.ts";
import { defined, mapOf, reader } from "../readers/readers.ts";
import { flag, nonEmptyText, oneOf, text } from "../readers/value-readers.ts";
import { isJsonSchema, reportJsonSchema } from "../types/json-schema.ts";
import { described, type TypeUse } from "../types/resolve-type.ts";
import { typeUse } from "../types/type-use.ts";
import type { JsonSchema } from "../values/json.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { approval, approvalDoc, checkApproval } from "./approvals.ts";

export const display = oneOf("hidden", "name", "description", "stream", "title");

interface Parameter {
  readonly type: TypeUse;
  readonly description: string | undefined;
  readonly optional: boolean;
}

const parameter = object({
  type: required(typeUse, "The type of the argument."),
  description: optional(text, "What the argument means, for the model."),
  optional: defaulted(flag, false, "Whether the argument may be omitted."),
});

const byName = mapOf("parameter", parameter);
const parameters = reader(byName.shape, (node, context) =>
  isJsonSchema(node) ? reportJsonSchema(node, context) : byName.read(node, context),
);

const form = object({
  description: required(nonEmptyText, "What the tool does and when to call it, for the model."),
  parameters: defaulted(parameters, {}, "The arguments of the tool, by name."),
  display: defaulted<Display>(display, "description", "What clients see of a call."),
  title: optional(nonEmptyText, "The title that clients show instead of the tool's name."),
  approval: optional(approval, approvalDoc),
});

/** Reads `tools`. The platform's own tools start with `platform_`. */
export const toolSpecs = mapOf("tool", { shape: form.shape, read: readTool }, "platform_");

function readTool(node: SyntaxNode, context: Context, name: string): ToolSpec | undefined {
  const values = form.read(node, context);
  if (values === undefined) return undefined;
  checkTitle(values, node, context);
  const { parameters: declared, ...rest } = values;
  const schema = inputSchema(declared);
  checkApproval(rest.approval, node, schema.properties, context);
  return defined({ name, ...rest, inputSchema: schema });
}

function inputSchema(declared: Readonly<Record<string, Parameter>>) {
  const entries = Object.entries(declared);
  const properties: Array<[string, JsonSchema]> = entries.map(([name, { type, description }]) => [
    name,
    described(type.resolved.schema, description),
  ]);
  const required = entries.filter(([, { optional }]) => !optional).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required,
    additionalProperties: false,
  };
}

/** Without a title, `display: title` shows the name only. */
export function checkTitle(
  { display, title }: { display?: Display | undefined; title?: string | undefined },
  node: SyntaxNode,
  { report }: Context,
): void {
  if (display !== "title" || title !== undefined) return;
  report.add(
    "MISSING_DISPLAY_TITLE",
    node,
    "display is title, but no title is set, so clients see only the name.",
  );
}
