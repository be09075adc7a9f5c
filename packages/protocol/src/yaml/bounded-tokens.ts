import { type CST, Lexer, type LineCounter, Parser } from "yaml";
import { definitionLimits } from "../limits.ts";
import { sentence, tooDeep, YamlProblem } from "./yaml-problem.ts";

/** Feeds the parser token by token and stops as soon as the text is too deep or has too many tokens. */
export function* boundedTokens(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
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
