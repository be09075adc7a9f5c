import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type ParsedNode,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { definitionLimits } from "../definition-limits.ts";
import { type Place, type Position, quote, type Report } from "../diagnostics.ts";
import { findUnreadable } from "../source.ts";
import { type MapEntry, type MapNode, rootPath, type SyntaxNode } from "./syntax.ts";
import { explained, inQuotes, tooDeep, YamlProblem } from "./yaml-problem.ts";

/**
 * Builds the syntax tree with the library's composer. Throws YamlProblem.
 */
export function composeTree(
  tokens: Iterable<CST.Token>,
  text: string,
  lines: LineCounter,
  report: Report,
): SyntaxNode {
  const { contents } = compose(tokens, text.length);
  return contents === null
    ? { kind: "scalar", value: null, path: rootPath, position: { line: 1, column: 1 } }
    : new Converter(text, lines, report).convert(contents, "");
}

function compose(tokens: Iterable<CST.Token>, length: number): Document.Parsed {
  const composer = new Composer({ schema: "core", merge: false, uniqueKeys: false, stringKeys: true });
  const documents = composer.compose(tokens, true, length);
  const { value: document } = documents.next();
  if (document === undefined) throw new YamlProblem("There is no document.", 0);
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw new YamlProblem(explained(problem), problem.pos[0]);
  // Other versions of YAML read dates, binary data and merge keys out of plain text.
  const { version, explicit } = document.directives.yaml;
  if (explicit === true && version !== "1.2") throw new YamlProblem("Only YAML 1.2 is supported.", 0);
  const second = documents.next().value;
  if (second !== undefined) throw new YamlProblem("Only one document is allowed.", second.range[0]);
  return document;
}

class Converter {
  readonly #lines: LineCounter;
  readonly #report: Report;
  /** An escape can still produce a character that the text must not contain. */
  readonly #hasEscapes: boolean;
  /** Lists and maps around the node that is being converted. */
  #depth = 0;

  constructor(text: string, lines: LineCounter, report: Report) {
    this.#lines = lines;
    this.#report = report;
    this.#hasEscapes = text.includes("\\");
  }

  convert(node: ParsedNode, path: string): SyntaxNode {
    const place = placeAt(this.#lines, node.range[0], path);
    if (isAlias(node)) throw new YamlProblem(`Aliases are not allowed. ${inQuotes("*")}`, node.range[0]);
    if (isMap(node) || isSeq(node)) {
      // The exact depth; the parser's stack has no map for `[a: b]`.
      if (++this.#depth > definitionLimits.depth) throw tooDeep(node.range[0]);
      const collection: SyntaxNode = isMap(node)
        ? { kind: "map", ...place, ...this.#entries(node, path) }
        : { kind: "list", ...place, items: this.#items(node, path, place) };
      this.#depth -= 1;
      return collection;
    }
    const value: unknown = node.value;
    if (typeof value === "number" && !Number.isFinite(value)) {
      throw new YamlProblem("Only finite numbers are allowed.", node.range[0]);
    }
    if (
      value === null ||
      typeof value === "string" ||
      typeof value === "number" ||
      typeof value === "boolean"
    ) {
      if (typeof value === "string") this.#checkText(value, place);
      return { kind: "scalar", ...place, value };
    }
    throw new YamlProblem("Only text, numbers, true, false and null are allowed.", node.range[0]);
  }

  #items(node: YAMLSeq.Parsed, path: string, place: Place & { position: Position }): SyntaxNode[] {
    return node.items.map((item, index) => this.#child(item, pathIn(path, index), place));
  }

  #entries(node: YAMLMap.Parsed, path: string): Pick<MapNode, "entries" | "repeated"> {
    const entries = new Map<string, MapEntry>();
    const repeated: SyntaxNode[] = [];
    for (const pair of node.items) {
      const name: unknown = isScalar(pair.key) ? pair.key.value : undefined;
      const offset = pair.key?.range?.[0] ?? node.range[0];
      if (typeof name !== "string") throw new YamlProblem("A key must be text.", offset);
      // Paths are sent to clients, so they must not contain unpaired surrogates either.
      const inner = pathIn(path, name.toWellFormed());
      // An empty key at the top has no path of its own.
      const key = placeAt(this.#lines, offset, inner);
      this.#checkText(name, key);
      const value = this.#child(pair.value, inner, key);
      if (entries.has(name)) {
        this.#report.add("DUPLICATE_KEY", key, `The key ${quote(name)} appears twice.`);
        repeated.push(value);
      } else entries.set(name, { key, value });
    }
    return repeated.length === 0 ? { entries } : { entries, repeated };
  }

  #checkText(text: string, place: Place): void {
    if (!this.#hasEscapes || findUnreadable(text) < 0) return;
    const problem = "Control characters and unpaired surrogates are not allowed, not even as escapes.";
    this.#report.add("INVALID_TEXT", place, problem);
  }

  /** An omitted value has the position of its parent or key. */
  #child(node: ParsedNode | null, path: string, fallback: Place & { position: Position }): SyntaxNode {
    return node === null
      ? { kind: "scalar", value: null, path: path === "" ? rootPath : path, position: fallback.position }
      : this.convert(node, path);
  }
}

/** The path of an entry of a list or map; the root itself has the path "". */
function pathIn(outer: string, key: string | number): string {
  return outer === "" ? `${key}` : `${outer}.${key}`;
}

/** The place of a piece of the text. The root has its own name, as has an empty key at the top, which has no other path. */
function placeAt(
  lines: LineCounter,
  offset: number,
  path: string,
): { readonly path: string; readonly position: Position } {
  const { line, col } = lines.linePos(offset);
  const position = { line: Math.max(line, 1), column: Math.max(col, 1) };
  return { path: path === "" ? rootPath : path, position };
}
