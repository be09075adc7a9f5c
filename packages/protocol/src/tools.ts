import type { Context } from "./context.ts";
import type { JsonSchema } from "./json.ts";
import type { Display, ToolSpec } from "./program.ts";
import { defaulted, defined, mapOf, object, optional, required } from "./readers.ts";
import type { SyntaxNode } from "./syntax.ts";
import { described, typeUse } from "./types.ts";
import { flag, nonEmptyText, oneOf, text } from "./value-readers.ts";

export const display = oneOf("hidden", "name", "description", "stream", "title");

const parameter = object({
  type: required(typeUse),
  description: optional(text),
  optional: defaulted(flag, false),
});

const parameters = mapOf("parameter", parameter);

const form = object({
  description: required(nonEmptyText),
  parameters: defaulted(parameters, {}),
  display: defaulted<Display>(display, "description"),
  title: optional(nonEmptyText),
});

/** Reads `tools`. The platform's own tools start with `platform_`. */
export const toolSpecs = mapOf("tool", readTool, "platform_");

function readTool(node: SyntaxNode, context: Context, name: string): ToolSpec | undefined {
  const values = form(node, context);
  if (values === undefined) return undefined;
  checkTitle(values, node, context);
  const { parameters: declared, ...rest } = values;
  return defined({ name, ...rest, inputSchema: inputSchema(declared) });
}

function inputSchema(
  declared: Readonly<Record<string, NonNullable<ReturnType<typeof parameter>>>>,
): JsonSchema {
  const entries = Object.entries(declared);
  const properties = entries.map(([name, { type, description }]) => [
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
  report.add("MISSING_DISPLAY_TITLE", node, "display is title, but there is no title.");
}
