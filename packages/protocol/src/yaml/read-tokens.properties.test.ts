import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { type CST, LineCounter } from "yaml";
import { Report } from "../diagnostics.ts";
import { findUnreadable } from "../source.ts";
import { validDefinitions, wildDefinitions } from "../testing/definitions.ts";
import { protocol } from "../testing.ts";
import { boundedTokens } from "./bounded-tokens.ts";
import { composeTree } from "./compose-tree.ts";
import { readTokens } from "./read-tokens.ts";
import type { SyntaxNode } from "./syntax.ts";
import { YamlProblem } from "./yaml-problem.ts";

/** `PROPERTY_RUNS=100000 npm test -- read-tokens` runs more cases. */
const numRuns = Number(process.env.PROPERTY_RUNS ?? 3_000);

/** The tokens of a text; undefined if it cannot be tokenised. */
function tokensOf(text: string): { tokens: CST.Token[]; lines: LineCounter } | undefined {
  const lines = new LineCounter();
  try {
    return findUnreadable(text) < 0 ? { tokens: [...boundedTokens(text, lines)], lines } : undefined;
  } catch (error) {
    if (error instanceof YamlProblem) return undefined;
    throw error;
  }
}

/** Compares the two trees if `readTokens` accepts the text, and returns whether it does. */
function agrees(text: string): boolean {
  const read = tokensOf(text);
  const tree = read && readTokens(read.tokens, read.lines);
  if (read === undefined || tree === undefined) return false;
  const report = new Report();
  let composed: SyntaxNode | undefined;
  assert.doesNotThrow(
    () => {
      composed = composeTree(read.tokens, text, read.lines, report);
    },
    `the library refuses ${JSON.stringify(text)}`,
  );
  assert.deepEqual(report.list(), []);
  assert.deepEqual(tree, composed, JSON.stringify(text));
  return true;
}

const pieces = [
  ..."aA0:-?,[]{}#&*!|>'\"%@`~.\\ \t\n",
  "\n",
  "\n  ",
  "\n    ",
  "\n- ",
  "\n  - ",
  "\r\n",
  "\r",
  "a: ",
  "b: ",
  "a:\n",
  "  b: c\n",
  "- a\n",
  "- - a",
  "- a: b",
  ", ",
  "{ a: b }",
  "[ a, b ]",
  "[a: b]",
  "{a}",
  '"a"',
  "'a''b'",
  '"a\\n"',
  '"\\ud800"',
  '"a\n  b"',
  "a\n  b",
  " # c",
  "#c\n",
  "|\n  x\n",
  "|-\n x\n\n",
  ">2\n    x\n   y\n",
  "null",
  "True",
  "-1.50",
  "1e3",
  ".5",
  "5.",
  "0x1F",
  "0o17",
  "+12",
  ".inf",
  "-.INF",
  ".NaN",
  "1e999",
  "~",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "\ufeff",
  "\u2028",
  "<<: ",
  "? a\n",
  ": b\n",
  "&x ",
  "*x",
  "!!str ",
  "!t ",
];

const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((parts) => parts.join(""));

const starts = ["", "", "- ", "a: ", "b: ", "c:", "-", "- d: ", "'e': ", "# "];
const ends = [
  "",
  "",
  "f",
  "1",
  "true",
  "[a, b]",
  "{ a: 1, b }",
  "[a,",
  "]",
  "{ a: [",
  "} ]",
  "'g",
  "|",
  ">-",
  "# h",
];
const line = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom(...starts), fc.constantFrom(...ends))
  .map(([depth, start, end]) => "  ".repeat(depth) + start + end);
const blocks = fc.array(line, { maxLength: 10 }).map((lines) => lines.join("\n"));

describe("readTokens", () => {
  test("readTokens builds the library's tree for any mixture of YAML pieces", () => {
    fc.assert(
      fc.property(fc.oneof(texts, blocks), (text) => void agrees(text)),
      { numRuns: numRuns * 3 },
    );
  });

  test("readTokens builds the library's tree for a definition with random edits", () => {
    const edit = fc.tuple(fc.nat(protocol.length), fc.nat(12), texts);
    const edits = fc.array(edit, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(edits, (changes) => {
        let text = protocol;
        for (const [at, count, piece] of changes) text = text.slice(0, at) + piece + text.slice(at + count);
        agrees(text);
      }),
      { numRuns },
    );
  });

  test("readTokens builds the library's tree for generated definitions and accepts most of them", () => {
    let read = 0;
    let all = 0;
    fc.assert(
      fc.property(fc.oneof(validDefinitions(), wildDefinitions()), (source) => {
        all += 1;
        if (agrees(source.protocol)) read += 1;
      }),
      { numRuns: Math.ceil(numRuns / 15) },
    );
    assert.ok(read > all / 2, `${read} of ${all}`);
  });

  test("readTokens reads an ordinary definition itself", () => {
    assert.ok(agrees(protocol));
    assert.ok(agrees(`# A comment\n\n${protocol}\n# the end\n`));
  });

  for (const [what, text] of Object.entries({
    "an entry on its key's line": "a: b: c",
    "a list on its key's line": "a: - b",
    "keys in different columns": "a: b\n  c: d",
    "a key without a colon": "a\nb: c",
    "a comment without a space": 'a: "b"#c',
    "an unclosed flow list": "a: [b",
    "a missing comma": "[a b: c]",
    "an unclosed quote": "a: 'b",
    "a tab as indentation": "a:\n\tb: c",
    "a long key": `${"a".repeat(1_100)}: b`,
    "a key on two lines": '"a\n b": c',
    "a reserved first character": "a: @b",
    "a duplicate key": "a: 1\na: 2",
    "two documents": "a: 1\n---\nb: 2",
    "an anchor": "a: &b c",
    "an infinite number": "a: .inf",
    "an escaped half of a character": 'a: "\\ud800"',
    "block text that is not indented": "a: |\nb",
  })) {
    test(`readTokens leaves ${what} to the library`, () => assert.equal(agrees(text), false));
  }
});
