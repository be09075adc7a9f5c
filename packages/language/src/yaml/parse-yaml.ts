import { CST, Lexer, LineCounter, Parser } from "yaml";
import { definitionLimits } from "../definition-limits.ts";
import type { Position, Report } from "../diagnostics.ts";
import { findUnreadable } from "../source.ts";
import { composeTree } from "./compose-tree.ts";
import { rootPath, type SyntaxNode } from "./syntax.ts";
import { sentence, tooDeep, YamlProblem } from "./yaml-problem.ts";

/**
 * Parses one YAML document without aliases, tags or non-JSON values. The effort is bounded by the number of
 * tokens and the depth, which are counted while the text is read. Returns undefined if the text is not usable; then the
 * first error that cannot be read over is an INVALID_YAML, because what follows it is misread.
 */
export function parseYaml(text: string, report: Report): SyntaxNode | undefined {
  try {
    return read(text, report);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    report.add("INVALID_YAML", { path: rootPath, position: positionIn(text, error.offset) }, error.message);
    return undefined;
  }
}

function read(text: string, report: Report): SyntaxNode {
  // The parser marks its own tokens with some of these; YAML does not allow the others either.
  const forbidden = findUnreadable(text);
  if (forbidden >= 0)
    throw new YamlProblem("Control characters and unpaired surrogates are not allowed.", forbidden);
  const lines = new LineCounter();
  return composeTree(boundedTokens(text, lines, report), text, lines, report);
}

/** Feeds the parser token by token and stops as soon as the text is too deep or has too many tokens. */
function* boundedTokens(text: string, lines: LineCounter, report: Report): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of withListTypes(new Lexer().lex(text), lines, report)) {
    for (const token of parser.next(lexeme)) {
      // Each further error would cost more than the one before, and the first is enough.
      if (token.type === "error") throw new YamlProblem(sentence(token.message), token.offset);
      yield token;
    }
    if (++count > definitionLimits.lexemes)
      throw new YamlProblem(`More than ${definitionLimits.lexemes} tokens are not allowed.`, parser.offset);
    // A level takes one entry of the stack; the document and the innermost scalar may take one each.
    if (parser.stack.length > definitionLimits.depth + 2) throw tooDeep(parser.offset);
  }
  yield* parser.end();
}

/**
 * In braces, `[` ends a text without quotes, so `{ type: Leg[] }` is a syntax error. It is reported, and read as the
 * text that was meant, so that the problems of the rest are reported as well.
 */
function* withListTypes(lexemes: Iterable<string>, lines: LineCounter, report: Report): Generator<string> {
  let held: string[] = [];
  let offset = 0;
  for (const lexeme of lexemes) {
    held.push(lexeme);
    const [name = "", open, close] = held;
    if (open === undefined ? isName.test(name) : close === undefined && open === "[") continue;
    if (open === "[" && close === "]" && isName.test(name)) {
      const message = `Put ${name}[] in quotes: "${name}[]".`;
      // The parser has read all lines before this one.
      const { line, col } = lines.linePos(offset);
      report.add("INVALID_YAML", { path: rootPath, position: { line, column: col } }, message);
      held = [`${name}[]`];
    }
    for (const each of held) {
      yield each;
      offset += markers.has(each) ? 0 : each.length;
    }
    held = [];
  }
  yield* held;
}

const isName = /^[\w-]+$/;
/** The lexer's own signs, which are not in the text. */
const markers = new Set<string>([CST.DOCUMENT, CST.FLOW_END, CST.SCALAR]);

/** Also correct for offsets that the parser has not reached yet. */
function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
