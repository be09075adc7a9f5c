import { isDeepStrictEqual } from "node:util";
import { parseDocument, stringify } from "yaml";
import type { JsonValue } from "../../src/values/json.ts";
import { printProtocol } from "../../src/yaml/print-protocol.ts";
import type { SyntaxNode } from "../../src/yaml/syntax.ts";
import type { Choices } from "./choices.ts";

/** Writes a value in one of the many ways that YAML has for it. */
export function yamlText(value: JsonValue, choices: Choices): string {
  const style = choices.pick(styles);
  if (style === "print") return printProtocol(treeOf(value));
  // Characters that the parser refuses or normalises in raw text must be escaped.
  if (style === "json" || needsEscapes(value)) return asJson(value);
  const text = libraryText(value, style, choices);
  // The library's flow and folded styles are not exact for every key.
  return isExact(text, value) ? text : asJson(value);
}

const styles = ["print", "json", "flow", "block", "folded", "quoted"] as const;
type LibraryStyle = Exclude<(typeof styles)[number], "print" | "json">;

function libraryText(value: JsonValue, style: LibraryStyle, choices: Choices): string {
  const common = { aliasDuplicateObjects: false };
  switch (style) {
    case "flow":
      return stringify(value, {
        ...common,
        collectionStyle: "flow",
        lineWidth: choices.pick([0, 80]),
        indent: 4,
      });
    case "block":
      return `# A comment\n${stringify(value, { ...common, lineWidth: 0, indentSeq: choices.chance(50) })}`;
    case "folded":
      return stringify(value, { ...common, lineWidth: 40, blockQuote: "folded" });
    case "quoted":
      return stringify(value, {
        ...common,
        defaultStringType: "QUOTE_DOUBLE",
        defaultKeyType: "QUOTE_SINGLE",
        lineWidth: 60,
      });
    default:
      return style satisfies never;
  }
}

function isExact(text: string, value: JsonValue): boolean {
  const document = parseDocument(text, { uniqueKeys: false, stringKeys: true });
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), value);
}

/** The syntax tree of a value, with a single position for all nodes. */
export function treeOf(value: JsonValue, path = "protocol"): SyntaxNode {
  const base = { path, position: { line: 1, column: 1 } };
  if (Array.isArray(value)) return { ...base, kind: "list", items: value.map((item) => treeOf(item)) };
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(
      ([key, item]) => [key, { key: base, value: treeOf(item) }] as const,
    );
    return { ...base, kind: "map", entries: new Map(entries) };
  }
  return { ...base, kind: "scalar", value: isScalar(value) ? value : null };
}

/** JSON in the form that the parser accepts. */
export function asJson(value: JsonValue): string {
  return JSON.stringify(value).replace(
    delicate,
    (piece) => `\\u${piece.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const delicate = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

function needsEscapes(value: JsonValue): boolean {
  const json = JSON.stringify(value);
  return json.search(delicate) >= 0 || /\\[rubf]/.test(json);
}

function isScalar(value: JsonValue): value is string | number | boolean | null {
  return value === null || typeof value !== "object";
}
