import type { Context } from "../context.ts";
import { quote, Report } from "../diagnostics.ts";
import { section } from "../names/collect-names.ts";
import { isName } from "../names/names.ts";
import { findVariable } from "../names/scope.ts";
import { pairsOf } from "../readers/input-mapping.ts";
import { typeOf } from "../readers/lookups.ts";
import { json } from "../readers/value-readers.ts";
import { isJsonSchema } from "../types/json-schema.ts";
import { mayFit } from "../types/may-fit.ts";
import { resolveType, type TypeUse } from "../types/resolve-type.ts";
import { checkValue, type ValueIssue } from "../values/check-value.ts";
import type { MapEntry, MapNode, SyntaxNode } from "../yaml/syntax.ts";
import { placeOf, scalarAt } from "../yaml/syntax.ts";

/** Checks the arguments of a tool-call block against the parameters that the tool declares. */
export function checkToolArguments(block: MapNode, context: Context): void {
  const name = scalarAt(block, "tool");
  const tool = typeof name === "string" ? context.names.tools.get(name) : undefined;
  if (typeof name !== "string" || tool === undefined) return;
  // Parameters that are not listed by name have been reported.
  if (isJsonSchema(placeOf(tool.value, "parameters"))) return;
  const declared = section(tool.value, "parameters");
  const input = block.entries.get("input")?.value;
  const pairs = input === undefined ? [] : pairsOf(input);
  if (!Array.isArray(pairs)) return;
  for (const { label, source } of pairs) {
    const parameter = declared.get(label);
    if (parameter !== undefined) checkArgument(label, source, parameter, context);
    else reportUnknown(name, label, source, declared, context);
  }
  const given = new Set(pairs.map(({ label }) => label));
  for (const parameter of missingOf(declared, given)) {
    const text = `The tool ${quote(name)} requires the argument ${quote(parameter)}.`;
    const place = { ...placeOf(block, "input"), path: `${block.path}.input.${parameter}` };
    context.report.add("MISSING_FIELD", place, text);
  }
}

/** A thousand calls of a tool with a thousand parameters would be slow to check, and such a long list would not help. */
const maxMissing = 20;

function missingOf(declared: ReadonlyMap<string, MapEntry>, given: ReadonlySet<string>): string[] {
  const missing: string[] = [];
  for (const [parameter, { value }] of declared) {
    if (missing.length === maxMissing) break;
    if (!given.has(parameter) && scalarAt(value, "optional") !== true) missing.push(parameter);
  }
  return missing;
}

function reportUnknown(
  tool: string,
  label: string,
  place: SyntaxNode,
  declared: ReadonlyMap<string, MapEntry>,
  { report }: Context,
): void {
  const text = `The tool ${quote(tool)} has no parameter ${quote(label)}.`;
  report.add("UNKNOWN_KEY", place, text, { name: label, among: declared.keys() });
}

function checkArgument(label: string, source: SyntaxNode, parameter: MapEntry, context: Context): void {
  const written = scalarAt(parameter.value, "type");
  const type = typeof written === "string" ? resolveType(written, context.types) : undefined;
  const problem = type && problemOf(label, source, type, context);
  if (problem !== undefined) context.report.add("WRONG_TYPE", source, problem);
}

function problemOf(label: string, node: SyntaxNode, type: TypeUse, context: Context): string | undefined {
  const text = node.kind === "scalar" && typeof node.value === "string" ? node.value : "";
  if (isName("variable", text)) return variableProblem(label, text, type, context);
  // Problems with the value itself have been reported.
  const literal = json.read(node, { ...context, report: new Report() });
  if (literal === undefined) return undefined;
  const issues: ValueIssue[] = [];
  checkValue(type.resolved.schema, literal, label, issues);
  return issues[0]?.message;
}

/** Text in capitals that is not a variable may be a misspelt variable, so its type is unknown. */
function variableProblem(label: string, name: string, type: TypeUse, context: Context): string | undefined {
  const variable = findVariable(name, context.scope);
  const from = variable && typeOf(variable, context);
  if (variable === undefined || from === undefined || mayFit(from, type, context.types)) return undefined;
  return `${quote(name)} has type ${scalarAt(variable.declaration, "type")}, which does not fit the parameter ${label}.`;
}
