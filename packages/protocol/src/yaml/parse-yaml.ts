import { type CST, LineCounter } from "yaml";
import type { Position, Report } from "../diagnostics.ts";
import { findUnreadable } from "../source.ts";
import { boundedTokens } from "./bounded-tokens.ts";
import { composeTree } from "./compose-tree.ts";
import { readTokens } from "./read-tokens.ts";
import { rootPath, type SyntaxNode } from "./syntax.ts";
import { YamlProblem } from "./yaml-problem.ts";

/**
 * Parses one YAML document without aliases, tags or non-JSON values. The effort is bounded by the number of
 * tokens and the depth, which are counted while the text is read. Returns undefined if the text is not usable;
 * then exactly one INVALID_YAML has been reported.
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
  const tokens = boundedTokens(text, lines);
  const first = throughDocument(tokens);
  const next = tokens.next();
  if (!next.done) return composeTree(chained([...first, next.value], tokens), text, lines, report);
  return readTokens(first, lines) ?? composeTree(first, text, lines, report);
}

/** The tokens up to the end of the first document. */
function throughDocument(tokens: Iterator<CST.Token>): CST.Token[] {
  const first: CST.Token[] = [];
  for (let next = tokens.next(); !next.done; next = tokens.next()) {
    first.push(next.value);
    if (next.value.type === "document") break;
  }
  return first;
}

function* chained(first: readonly CST.Token[], rest: Iterable<CST.Token>): Generator<CST.Token> {
  yield* first;
  yield* rest;
}

/** Also correct for offsets that the parser has not reached yet. */
function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  return { line: before.split("\n").length, column: offset - before.lastIndexOf("\n") };
}
