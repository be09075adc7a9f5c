import type { Context } from "../context.ts";
import { quote } from "../diagnostics.ts";
import { forbiddenKeys, type JsonValue } from "../values/json.ts";
import type { ListNode, MapNode, SyntaxNode } from "../yaml/syntax.ts";
import { type Reader, reader, wrongType } from "./readers.ts";

export const text = reader({ kind: "text", nonEmpty: false }, readText);

export const nonEmptyText = reader({ kind: "text", nonEmpty: true }, (node, context) => {
  const value = readText(node, context);
  return value === "" ? wrongType(node, context, "text that is not empty") : value;
});

function readText(node: SyntaxNode, context: Context): string | undefined {
  return node.kind === "scalar" && typeof node.value === "string"
    ? node.value
    : wrongType(node, context, "text");
}

/** Text of a form; `expected` completes "This must be …". */
export function matching(pattern: RegExp, expected: string): Reader<string> {
  return reader({ kind: "text", nonEmpty: true, pattern: pattern.source }, (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    return typeof value === "string" && pattern.test(value) ? value : wrongType(node, context, expected);
  });
}

export const flag: Reader<boolean> = reader({ kind: "flag" }, (node, context) =>
  node.kind === "scalar" && typeof node.value === "boolean"
    ? node.value
    : wrongType(node, context, "true or false"),
);

/** A number from `min` to `max`, both included. */
export function number(min: number, max: number): Reader<number> {
  return reader({ kind: "number", integer: false, min, max }, (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value === "number" && value >= min && value <= max) return value;
    return wrongType(node, context, `a number from ${min} to ${max}`);
  });
}

/** A whole number from `min` to `max`, both included. */
export function integer(min: number, max: number): Reader<number> {
  return reader({ kind: "number", integer: true, min, max }, (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
    return wrongType(node, context, `a whole number from ${min} to ${max}`);
  });
}

/** One of the words. If `off` is one of them, it stays a word, although YAML 1.1 would read it as false. */
export function oneOf<const T extends string>(...words: readonly T[]): Reader<T> {
  return reader({ kind: "words", words }, (node, context) => {
    const value = node.kind === "scalar" ? node.value : undefined;
    const word = words.find((candidate) => candidate === value);
    if (word !== undefined) return word;
    const known = typeof value === "string" ? { name: value, among: words } : undefined;
    context.report.add("WRONG_TYPE", node, `This must be one of ${words.join(", ")}.`, known);
    return undefined;
  });
}

/** Any JSON, for defaults and literals. */
export const json: Reader<JsonValue> = reader({ kind: "json" }, readJson);

function readJson(node: SyntaxNode, context: Context): JsonValue | undefined {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "list":
      return readJsonList(node, context);
    case "map":
      return readJsonObject(node, context);
    default:
      return node satisfies never;
  }
}

function readJsonList(node: ListNode, context: Context): JsonValue | undefined {
  const items = node.items.map((item) => readJson(item, context));
  const good = items.filter((item) => item !== undefined);
  return good.length === items.length ? good : undefined;
}

function readJsonObject(node: MapNode, context: Context): JsonValue | undefined {
  const values: Record<string, JsonValue> = {};
  let complete = true;
  for (const [name, { key, value }] of node.entries) {
    const allowed = !forbiddenKeys.has(name);
    if (!allowed) context.report.add("INVALID_NAME", key, `The key ${quote(name)} is not allowed.`);
    const item = readJson(value, context);
    if (allowed && item !== undefined) values[name] = item;
    else complete = false;
  }
  return complete ? values : undefined;
}
