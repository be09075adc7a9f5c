import { expiryLimits } from "../approval.ts";
import type { Context } from "../context.ts";
import type { Display, HttpToolSpec, ToolSpec } from "../program.ts";
import { defaulted, object, optional, required } from "../readers/fields.ts";
import { defined, made, mapOf, type Reader, reader, wrongType } from "../readers/readers.ts";
import { flag, integer, nonEmptyText, oneOf, text } from "../readers/value-readers.ts";
import { isJsonSchema, reportJsonSchema } from "../types/json-schema.ts";
import { described, type TypeUse } from "../types/resolve-type.ts";
import { typeUse } from "../types/type-use.ts";
import type { JsonSchema } from "../values/json.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { approval, approvalDoc, checkApproval, waitingTime } from "./approvals.ts";

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

const urlPattern = /^https?:\/\/[^\s/?#@]+(?:[/?][^\s#]*)?$/;
const maxUrlLength = 2_000;

const url: Reader<string> = reader(
  { kind: "text", nonEmpty: true, pattern: urlPattern.source, maxLength: maxUrlLength },
  (node, context) => {
    const value = node.kind === "scalar" ? String(node.value) : "";
    const isUrl = value.length <= maxUrlLength && urlPattern.test(value) && URL.canParse(value);
    return isUrl ? value : wrongType(node, context, "a URL such as https://billing.example/refunds");
  },
);

const httpForm = object({
  url: required(url, "Where the platform sends the call. An administrator allows its host for the project."),
  method: defaulted<HttpToolSpec["method"]>(
    oneOf("POST", "PUT", "PATCH", "DELETE"),
    "POST",
    "The method of the request.",
  ),
  timeoutMs: defaulted(integer(1_000, 600_000), 30_000, "How long the response may take."),
  idempotent: defaulted(
    flag,
    false,
    "Whether repeating a call has no further effect: only then is it sent again if its response is lost.",
  ),
  openFor: optional(
    waitingTime,
    "How long the service may take for the result of a call that it has accepted, from 1m to 30d. Default: 24h.",
  ),
});

const http: Reader<HttpToolSpec> = made(httpForm, ({ openFor, ...values }) => ({
  ...values,
  openForMs: openFor ?? expiryLimits.defaultMs,
}));

const form = object({
  description: required(nonEmptyText, "What the tool does and when to call it, for the model."),
  parameters: defaulted(parameters, {}, "The arguments of the tool, by name."),
  display: defaulted<Display>(display, "description", "What clients see of a call."),
  title: optional(nonEmptyText, "The title that clients show instead of the tool's name."),
  approval: optional(approval, approvalDoc),
  http: optional(http, "A service that runs the tool for the platform. Without it, the turn's caller does."),
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
