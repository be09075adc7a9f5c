import { expiryLimits, maxTitleLength, ruleOf } from "../approval.ts";
import type { Context } from "../context.ts";
import { definitionLimits } from "../definition-limits.ts";
import { quote } from "../diagnostics.ts";
import type { ApprovalRule } from "../program.ts";
import type { Template, TemplatePart } from "../prompts/template.ts";
import { defaulted, object, optional, required } from "../readers/fields.ts";
import { defined, made, type Reader, reader, wrongType } from "../readers/readers.ts";
import { flag, oneOf } from "../readers/value-readers.ts";
import type { JsonObject } from "../values/json.ts";
import { placeOf, type SyntaxNode } from "../yaml/syntax.ts";
import { argumentSchema, namedParameters } from "./argument-schema.ts";

const mode = oneOf("allow", "ask", "deny");

const asked: Reader<true | JsonObject> = reader(
  { kind: "anyOf", shapes: [flag.shape, argumentSchema.shape] },
  (node, context) => {
    if (node.kind === "map") return withinLimit(argumentSchema.read(node, context), node, context);
    return node.kind === "scalar" && node.value === true
      ? true
      : wrongType(node, context, "true, or a JSON Schema of the arguments that need approval");
  },
);

/** The effort of a check is that of the schema times that of the arguments, which may be large. */
function withinLimit(
  schema: JsonObject | undefined,
  node: SyntaxNode,
  { report }: Context,
): JsonObject | undefined {
  const { approvalSchemaLength: limit } = definitionLimits;
  if (schema === undefined || JSON.stringify(schema).length <= limit) return schema;
  report.add("LIMIT_EXCEEDED", node, `The schema must have at most ${limit} characters as JSON.`);
  return undefined;
}

const placeholder = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g;

const title: Reader<Template> = reader(
  { kind: "text", nonEmpty: true, maxLength: maxTitleLength },
  (node, context) => {
    const text = node.kind === "scalar" ? node.value : undefined;
    return typeof text === "string" && text !== "" && text.length <= maxTitleLength
      ? parseTitle(text)
      : wrongType(node, context, `text of 1 to ${maxTitleLength} characters`);
  },
);

/** Unlike prompts, titles have names of parameters in braces, and no conditionals. */
function parseTitle(text: string): Template {
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const { 0: raw, 1: name = "", index } of text.matchAll(placeholder)) {
    parts.push({ kind: "text", text: text.slice(end, index) }, { kind: "value", name, raw });
    end = index + raw.length;
  }
  return [...parts, { kind: "text", text: text.slice(end) }];
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const duration = /^([1-9][0-9]{0,4})([mhd])$/;

/** In ms. */
export const waitingTime: Reader<number> = reader(
  { kind: "text", nonEmpty: true, pattern: duration.source },
  (node, context) => {
    const written = node.kind === "scalar" ? duration.exec(String(node.value)) : null;
    const [, count, unit] = written ?? [];
    const ms = Number(count) * (unit === "m" || unit === "h" || unit === "d" ? unitMs[unit] : 0);
    return ms >= expiryLimits.minMs && ms <= expiryLimits.maxMs
      ? ms
      : wrongType(node, context, "a time from 1m to 30d, such as 90m, 24h or 7d");
  },
);

const form = object({
  ask: required(asked, "true, or a JSON Schema: then only calls whose arguments match it wait."),
  when: defaulted<ApprovalRule["when"]>(
    oneOf("always", "untrusted"),
    "always",
    "untrusted: calls wait only once the conversation has read text from outside, such as results of MCP servers.",
  ),
  title: optional(title, "The title for the user who decides, such as Refund {{amount}}."),
  expires: optional(waitingTime, "How long a call waits, from 1m to 30d. Default: 24h."),
  onExpiry: defaulted<ApprovalRule["onExpiry"]>(
    oneOf("deny", "fail"),
    "deny",
    "deny: the model reads that the call was denied. fail: the turn fails.",
  ),
});

const detailed: Reader<ApprovalRule> = made(form, ({ ask, expires, ...values }) =>
  defined({
    ...ruleOf("ask"),
    ...values,
    schema: ask === true ? undefined : ask,
    expiresMs: expires ?? expiryLimits.defaultMs,
  }),
);

/** Reads `approval` of a tool, worker, server or skill. */
export const approval: Reader<ApprovalRule> = reader(
  { kind: "anyOf", shapes: [mode.shape, detailed.shape] },
  (node, context) => {
    if (node.kind === "map") return detailed.read(node, context);
    const word = mode.read(node, context);
    return word && ruleOf(word);
  },
);

export const approvalDoc =
  "Whether calls wait for a user's decision: allow, ask, deny, or a map that says which calls ask.";

/** Checks the rule of an entry against the parameters of its tools, if these are known. */
export function checkApproval(
  rule: ApprovalRule | undefined,
  node: SyntaxNode,
  parameters: JsonObject | undefined,
  { report }: Context,
): void {
  if (rule === undefined || parameters === undefined) return;
  const written = placeOf(node, "approval");
  const named = [...namedParameters(placeOf(written, "ask"))];
  const shown = (rule.title ?? []).flatMap((part) => (part.kind === "value" ? [part.name] : []));
  const title = placeOf(written, "title");
  for (const { name, place } of [...named, ...shown.map((name) => ({ name, place: title }))]) {
    if (Object.hasOwn(parameters, name)) continue;
    const known = { name, among: Object.keys(parameters) };
    report.add("UNKNOWN_PARAMETER", place, `The tool has no parameter ${quote(name)}.`, known);
  }
}
