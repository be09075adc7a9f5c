import { type Context, checkReadable } from "./context.ts";
import { quote } from "./diagnostics.ts";
import { isName, type NameKind, nameHint } from "./names.ts";
import type { ArgumentSource, InputMapping } from "./program.ts";
import { type Reader, wrongType } from "./readers.ts";
import { closest } from "./suggest.ts";
import type { SyntaxNode } from "./syntax.ts";
import { json } from "./value-readers.ts";

/** A name that is readable here. */
export const variableName: Reader<string> = (node, context) => {
  const name = node.kind === "scalar" ? node.value : undefined;
  if (typeof name !== "string") return wrongType(node, context, "the name of a variable");
  return checkReadable(name, node, context) ? name : undefined;
};

/** Reads `[A, B]`, `[LABEL: SOURCE]` or `{LABEL: SOURCE}`: which variable fills which placeholder. */
export const inputMapping: Reader<InputMapping> = (node, context) =>
  readPairs(node, context, "variable", (source) => {
    const name = variableName(source, context);
    return name === undefined ? undefined : { source: name };
  });

/** Reads the arguments of a tool call: the same forms, where a source may also be a literal. */
export const argumentMapping: Reader<ReadonlyArray<{ readonly name: string } & ArgumentSource>> = (
  node,
  context,
) => readPairs(node, context, undefined, (source) => argument(source, context));

function argument(node: SyntaxNode, context: Context): ArgumentSource | undefined {
  const literal = json(node, context);
  if (literal === undefined) return undefined;
  if (typeof literal !== "string" || !isName("variable", literal)) return { literal };
  if (context.readable.has(literal)) return { source: literal };
  // Text in capitals, such as a currency, is a literal, unless it is one slip away from a variable.
  if (closest(literal, context.readable).length === 0) return { literal };
  checkReadable(literal, node, context);
  return undefined;
}

function readPairs<T extends object>(
  node: SyntaxNode,
  context: Context,
  labels: NameKind | undefined,
  readSource: (node: SyntaxNode) => T | undefined,
): Array<{ name: string } & T> | undefined {
  const pairs = pairsOf(node, context);
  if (pairs === undefined) return undefined;
  const seen = new Set<string>();
  const result: Array<{ name: string } & T> = [];
  for (const { label, at, source } of pairs) {
    const value = readSource(source);
    if (checkLabel(label, at, labels, seen, context) && value !== undefined)
      result.push({ name: label, ...value });
  }
  return result.length === pairs.length ? result : undefined;
}

interface Pair {
  readonly label: string;
  readonly at: SyntaxNode;
  readonly source: SyntaxNode;
}

function pairsOf(node: SyntaxNode, context: Context): Pair[] | undefined {
  if (node.kind === "map")
    return [...node.entries].map(([label, { value }]) => ({ label, at: value, source: value }));
  if (node.kind !== "list")
    return wrongType(node, context, "a list of variables, or a map from labels to variables");
  const pairs: Pair[] = [];
  for (const item of node.items) {
    if (item.kind === "scalar" && typeof item.value === "string") {
      pairs.push({ label: item.value, at: item, source: item });
    } else if (item.kind === "map") {
      for (const [label, { value }] of item.entries) pairs.push({ label, at: value, source: value });
    } else {
      return wrongType(item, context, "the name of a variable, or LABEL: SOURCE");
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
    report.add("DUPLICATE_KEY", at, `The label ${quote(label)} is given twice.`);
    return false;
  }
  seen.add(label);
  if (kind === undefined || isName(kind, label)) return true;
  report.add("INVALID_NAME", at, `The label ${quote(label)} must be ${nameHint(kind)}.`);
  return false;
}
