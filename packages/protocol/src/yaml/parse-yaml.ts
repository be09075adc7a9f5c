import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type Place, type Position, quote, type Report } from "../diagnostics.ts";
import { definitionLimits } from "../limits.ts";
import { findUnreadable } from "../source.ts";
import { type MapEntry, type MapNode, rootPath, type SyntaxNode } from "./syntax.ts";
import { explained, inQuotes, sentence, YamlProblem } from "./yaml-problem.ts";

/**
 * Parses one YAML document without aliases, tags or non-JSON values. The effort is bounded by the number of
 * tokens and the depth, which are counted while the text is read. Returns undefined when it is not usable;
 * then exactly one INVALID_YAML has been reported.
 */
export function parseYaml(text: string, report: Report): SyntaxNode | undefined {
  const lines = new LineCounter();
  try {
    const document = compose(text, lines);
    return document.contents === null
      ? { kind: "scalar", value: null, path: rootPath, position: { line: 1, column: 1 } }
      : new Converter(text, lines, report).convert(document.contents, "");
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    report.add("INVALID_YAML", { path: rootPath, position: positionIn(text, error.offset) }, error.message);
    return undefined;
  }
}

function compose(text: string, lines: LineCounter): Document.Parsed {
  // The parser marks its own tokens with some of these; the rest YAML does not allow either.
  const forbidden = findUnreadable(text);
  if (forbidden >= 0)
    throw new YamlProblem("Control characters and halves of characters are not allowed.", forbidden);
  const composer = new Composer({ schema: "core", merge: false, uniqueKeys: false, stringKeys: true });
  const documents = composer.compose(boundedTokens(text, lines), true, text.length);
  const { value: document } = documents.next();
  if (document === undefined) throw new YamlProblem("There is no document.", 0);
  const problem = document.errors[0] ?? document.warnings[0];
  if (problem !== undefined) throw new YamlProblem(explained(problem), problem.pos[0]);
  // Other versions of YAML read dates, binary data and merge keys out of plain text.
  const { version, explicit } = document.directives.yaml;
  if (explicit === true && version !== "1.2") throw new YamlProblem("Only YAML 1.2 is understood.", 0);
  const second = documents.next().value;
  if (second !== undefined) throw new YamlProblem("Only one document is allowed.", second.range[0]);
  return document;
}

/** Feeds the parser token by token and gives up as soon as the text is too deep or has too many of them. */
function* boundedTokens(text: string, lines: LineCounter) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) {
      // Each would cost more than the one before, and the first says it all.
      if (token.type === "error") throw new YamlProblem(sentence(token.message), token.offset);
      yield token;
    }
    if (++count > definitionLimits.lexemes)
      throw new YamlProblem("The document is too complex.", parser.offset);
    // A level takes one entry of the stack; the document and the innermost scalar may take one each.
    if (parser.stack.length > definitionLimits.depth + 2) throw tooDeep(parser.offset);
  }
  yield* parser.end();
}

function tooDeep(offset: number): YamlProblem {
  return new YamlProblem(`At most ${definitionLimits.depth} levels of nesting are allowed.`, offset);
}

class Converter {
  readonly #lines: LineCounter;
  readonly #report: Report;
  /** What may not stand in the text could still come out of an escape. */
  readonly #hasEscapes: boolean;
  /** Lists and maps around what is being converted. */
  #depth = 0;

  constructor(text: string, lines: LineCounter, report: Report) {
    this.#lines = lines;
    this.#report = report;
    this.#hasEscapes = text.includes("\\");
  }

  convert(node: ParsedNode, path: string): SyntaxNode {
    const position = positionAt(this.#lines, node.range[0]);
    const place = { path: path === "" ? rootPath : path, position };
    if (isAlias(node)) throw new YamlProblem(`Aliases are not allowed. ${inQuotes("*")}`, node.range[0]);
    if (isMap(node) || isSeq(node)) {
      // Exactly; the parser's stack shows no map for `[a: b]`.
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
    return node.items.map((item, index) => this.#child(item, `${prefix(path)}${index}`, place));
  }

  #entries(node: YAMLMap.Parsed, path: string): Pick<MapNode, "entries" | "repeated"> {
    const entries = new Map<string, MapEntry>();
    const repeated: SyntaxNode[] = [];
    for (const pair of node.items) {
      const name: unknown = isScalar(pair.key) ? pair.key.value : undefined;
      const offset = pair.key?.range?.[0] ?? node.range[0];
      if (typeof name !== "string") throw new YamlProblem("A key must be text.", offset);
      // Paths are sent to clients, so they hold no half characters either.
      const inner = `${prefix(path)}${name.toWellFormed()}`;
      // An empty key at the top has no path of its own.
      const key = { path: inner === "" ? rootPath : inner, position: positionAt(this.#lines, offset) };
      this.#checkText(name, key);
      const value = this.#child(pair.value, inner, key);
      if (entries.has(name)) {
        this.#report.add("DUPLICATE_KEY", key, `The key ${quote(name)} is given twice.`);
        repeated.push(value);
      } else entries.set(name, { key, value });
    }
    return repeated.length === 0 ? { entries } : { entries, repeated };
  }

  #checkText(text: string, place: Place): void {
    if (!this.#hasEscapes || findUnreadable(text) < 0) return;
    const problem = "Control characters and halves of characters are not allowed, escaped or not.";
    this.#report.add("INVALID_TEXT", place, problem);
  }

  /** A value that is left out entirely stands where its parent or key does. */
  #child(node: ParsedNode | null, path: string, fallback: Place & { position: Position }): SyntaxNode {
    return node === null
      ? { kind: "scalar", value: null, path: path === "" ? rootPath : path, position: fallback.position }
      : this.convert(node, path);
  }
}

function prefix(path: string): string {
  return path === "" ? "" : `${path}.`;
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}

/** Also right where the parser has not been yet. */
function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
