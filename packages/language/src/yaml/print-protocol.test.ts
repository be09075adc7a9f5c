import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, protocol } from "../../test/support/support-chat.ts";
import { plainTree } from "../../test/support/trees.ts";
import { Report } from "../diagnostics.ts";
import { parseYaml } from "./parse-yaml.ts";
import { printProtocol } from "./print-protocol.ts";
import type { SyntaxNode } from "./syntax.ts";

function parse(text: string): SyntaxNode {
  const report = new Report();
  const tree = parseYaml(text, report);
  assert.deepEqual(report.list(), [], text);
  assert.ok(tree);
  return tree;
}

test("printProtocol writes blocks, short lists on one line and an empty line between sections", () => {
  const text = `input: { A: { type: string } }\nagent: { model: demo/echo, input: [A, B],
      description: "first\\nsecond\\n" }\ntriggers: {go: , stop: null}\nnothing: { list: [], map: {} }`;
  assert.equal(
    printProtocol(parse(text)),
    `input:
  A:
    type: string

agent:
  model: demo/echo
  input: [A, B]
  description: |
    first
    second

triggers:
  go:
  stop:

nothing:
  list: []
  map: {}
`,
  );
});

const texts: Record<string, string> = {
  "a word that YAML 1.1 reads as a boolean": "off",
  "another word that YAML 1.1 reads as a boolean": "yes",
  "the name of a boolean": "true",
  "the name of the null value": "null",
  "the sign of the null value": "~",
  "a whole number": "12",
  "an octal number": "0o17",
  "a number with an exponent": "1e3",
  "the sign of NaN": ".nan",
  "an empty string": "",
  "a space": " ",
  "leading and trailing spaces": "  a  ",
  "a colon with a space": "a: b",
  "a colon at the end": "a:",
  "text that looks like a comment": "a # b",
  "text that looks like a list": "- a",
  "text that looks like flow style": "[a, {b: c}]",
  "text that looks like an alias": "*a",
  "text that looks like an anchor": "&a b",
  "text that looks like a tag": "!!binary aGk=",
  "text that looks like a block": "|\n  a",
  "text that looks like a directive": "%YAML 1.1",
  "the beginning of a document": "---",
  "the end of a document": "...",
  "a merge key": "<<",
  quotes: `'a' "b" \\`,
  "text of line breaks only": "\n\n",
  "lines surrounded by spaces": "  a\n\n b \n",
  "a line of only a space": "a\n \nb",
  "a trailing space before the last break": "a \n",
  "no break at the end": "a\nb",
  "several breaks at the end": "a\nb\n\n",
  "a carriage return": "a\r\nb",
  "a leading tab": "\ta",
  "tabs in lines": "a\tb\n\tc",
  "markers in lines": "a\n---\n...\n%b",
  "allowed control characters": "\u0080\u0085\u009f\t",
  "Unicode line breaks": "a\u2028b\u2029c\nd",
  "a byte order mark": "\ufeffa\ufeff",
  "text beyond ASCII": "Grüße, 世界 👋🏽 \u00a0",
  "a very long line": "word ".repeat(2_000),
  "very long lines": `${"word ".repeat(50)}end\n`.repeat(50),
};
for (const [what, text] of Object.entries(texts)) {
  test(`printProtocol keeps ${what}, as value, key and item, at any level`, () => {
    for (const shape of [text, [text], { a: text }, { [text]: { [text]: [text, [text]] } }]) {
      const tree = parse(JSON.stringify(shape).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escaped));
      assert.deepEqual(plainTree(parse(printProtocol(tree))), plainTree(tree));
    }
  });
}

test("printProtocol keeps numbers to the last bit", () => {
  const tree = parse("[0, -0, 0.1, 1e21, 1.5e-9, 9007199254740993, 0x1F, 1.0]");
  assert.deepEqual(plainTree(parse(printProtocol(tree))), plainTree(tree));
});

test("printProtocol keeps a key that is too long for one line", () => {
  const tree = parse(`? ${"k".repeat(2_000)}\n: [a]`);
  assert.deepEqual(plainTree(parse(printProtocol(tree))), plainTree(tree));
});

test("a printed protocol compiles to the same program and prints the same again", () => {
  const once = printProtocol(parse(protocol));
  const [before, after] = [compile(), compile({ protocol: once })];
  assert.ok(before.ok && after.ok);
  assert.deepEqual(after.program, before.program);
  assert.equal(printProtocol(parse(once)), once);
});

function escaped(piece: string): string {
  return `\\u${piece.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
