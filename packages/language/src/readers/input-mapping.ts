import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import type { Shape } from "../grammar/shapes.ts";
import { checkName, isName, type NameKind } from "../names/names.ts";
import { findVariable, namesOf } from "../names/scope.ts";
import type { ArgumentSource } from "../program.ts";
import type { InputMapping } from "../prompts/template.ts";
import type { SyntaxNode } from "../yaml/syntax.ts";
import { useVariable } from "./lookups.ts";
import { variableName } from "./name-readers.ts";
import { type Reader, reader, wrongType } from "./readers.ts";
import { json } from "./value-readers.ts";

function mappingShape(values: Shape, keys?: NameKind): Shape {
  const pairs: Shape = { kind: "map", values, ...(keys && { keys }) };
  const items: Shape = { kind: "anyOf", shapes: [variableName.shape, pairs] };
  return { kind: "anyOf", shapes: [{ kind: "list", items }, pairs] };
}

/** Reads the variable for each placeholder: `[A, B]`, `[LABEL: SOURCE]` or `{LABEL: SOURCE}`. */
export const inputMapping: Reader<InputMapping> = reader(
  mappingShape(variableName.shape, "variable"),
  (node, context) =>
    readPairs(node, context, "variable", (source) => {
      const name = variableName.read(source, context);
      return name === undefined ? undefined : { source: name };
    }),
);

/** Reads the arguments of a tool call: the same forms, but a source may also be a literal. */
export const argumentMapping: Reader<ReadonlyArray<{ readonly name: string } & ArgumentSource>> = reader(
  mappingShape(json.shape),
  (node, context) => readPairs(node, context, undefined, (source) => readArgument(source, context)),
);

function readArgument(node: SyntaxNode, context: Context): ArgumentSource | undefined {
  const literal = json.read(node, context);
  if (literal === undefined) return undefined;
  if (typeof literal !== "string" || !isName("variable", literal)) return { literal };
  if (findVariable(literal, context.scope) === undefined && !isSlip(literal, context)) return { literal };
  return useVariable(literal, node, context) && { source: literal };
}

/** Text in capitals, such as a currency, is a literal unless it closely resembles a variable. */
function isSlip(text: string, { report, scope }: Context): boolean {
  return report.closest(text, namesOf(scope), 2).length > 0;
}

function readPairs<T extends object>(
  node: SyntaxNode,
  context: Context,
  labels: NameKind | undefined,
  readSource: (node: SyntaxNode) => T | undefined,
): Array<{ name: string } & T> | undefined {
  const pairs = pairsOf(node);
  if (!Array.isArray(pairs)) return wrongType(pairs.wrong, context, pairs.expected);
  const seen = new Set<string>();
  const result: Array<{ name: string } & T> = [];
  for (const { label, source } of pairs) {
    const value = readSource(source);
    // In `[A]`, label and source are the same text, and a problem with it has been reported.
    const isSaid = value === undefined && source.kind === "scalar" && source.value === label;
    if (checkLabel(label, source, isSaid ? undefined : labels, seen, context) && value !== undefined)
      result.push({ name: label, ...value });
  }
  return result.length === pairs.length ? result : undefined;
}

export interface Pair {
  readonly label: string;
  readonly source: SyntaxNode;
}

/** The pairs of a mapping as written, or the part that is not a pair. */
export function pairsOf(
  node: SyntaxNode,
): Pair[] | { readonly wrong: SyntaxNode; readonly expected: string } {
  if (node.kind === "map") return [...node.entries].map(([label, { value }]) => ({ label, source: value }));
  if (node.kind !== "list")
    return { wrong: node, expected: "a list of variables, or a map from labels to variables" };
  const pairs: Pair[] = [];
  for (const item of node.items) {
    if (item.kind === "scalar" && typeof item.value === "string") {
      pairs.push({ label: item.value, source: item });
    } else if (item.kind === "map") {
      for (const [label, { value }] of item.entries) pairs.push({ label, source: value });
    } else {
      return { wrong: item, expected: "the name of a variable, or LABEL: SOURCE" };
    }
  }
  return pairs;
}

function checkLabel(
  label: string,
  at: SyntaxNode,
  kind: NameKind | undefined,
  seen: Set<string>,
  { report }: Context,
): boolean {
  if (seen.has(label)) {
    report.add("DUPLICATE_KEY", at, `The label ${quote(label)} appears twice.`);
    return false;
  }
  seen.add(label);
  return kind === undefined || checkName(kind, label, at, report, "The label");
}
