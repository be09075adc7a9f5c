import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { hostileStrings } from "../../test/support/strings.ts";
import { plainTree } from "../../test/support/trees.ts";
import { definitionLimits } from "../definition-limits.ts";
import { Report } from "../diagnostics.ts";
import { parseYaml } from "./parse-yaml.ts";
import { printProtocol } from "./print-protocol.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 300 * Number(process.env.LONG_RUN ?? 1);

/** The tree; undefined if the text is not YAML that the parser accepts. */
function parse(text: string) {
  const report = new Report();
  const tree = parseYaml(text, report);
  return report.failed ? undefined : tree;
}

function assertPrinted(text: string): void {
  const tree = parse(text);
  if (tree === undefined) return;
  const printed = printProtocol(tree);
  const again = parse(printed);
  assert.ok(again, `the printed text no longer parses:\n${printed}`);
  assert.deepEqual(plainTree(again), plainTree(tree));
  assert.equal(printProtocol(again), printed);
}

/** JSON that the parser reads unchanged: everything that it refuses or folds is escaped. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (piece) => `\\u${piece.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

test("printing and parsing keeps any tree with any strings", () => {
  const leaf = fc.oneof(
    { arbitrary: hostileStrings, weight: 4 },
    fc.constantFrom(null, true, false, 0, -0),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.integer(),
  );
  const trees = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      leaf,
      fc.array(tie("tree"), { maxLength: 5 }),
      fc
        .uniqueArray(fc.tuple(hostileStrings, tie("tree")), { selector: ([key]) => key, maxLength: 5 })
        .map((entries) => Object.fromEntries(entries)),
    ),
  })).tree;
  fc.assert(
    fc.property(trees, (tree) => {
      const text = toJson(tree);
      assert.ok(parse(text), text);
      assertPrinted(text);
    }),
    { numRuns },
  );
});

test("printing and parsing keeps the values of every YAML style", () => {
  const piece = fc.constantFrom(
    ..."a|b: |c |'d' |\"e\\n\" |- |? |: |, |[ |] |{ |} |\n|\n|\n  |\n    |\\|\n |>-\n  f\n |# g\n|0|~|off|*|&h |!!str |%|''".split(
      "|",
    ),
    "|\n   i\n\n",
    "|2+\n   j\n\n",
  );
  const texts = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
  fc.assert(fc.property(texts, assertPrinted), { numRuns: numRuns * 2 });
});

test("printing and parsing keeps the deepest accepted trees, in every style", () => {
  const { depth } = definitionLimits;
  const styles: Array<(levels: number) => string> = [
    (levels) => `${"[".repeat(levels)}a${"]".repeat(levels)}`,
    (levels) => `${"{a: ".repeat(levels)}b${"}".repeat(levels)}`,
    (levels) => `${"[a: ".repeat(levels)}b${"]".repeat(levels)}`,
    (levels) => `${"- ".repeat(levels)}a`,
    (levels) => `${"? ".repeat(levels)}a`,
    (levels) => Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
  ];
  for (const style of styles) {
    for (let levels = 1; levels <= depth + 2; levels++) assertPrinted(style(levels));
  }
});
