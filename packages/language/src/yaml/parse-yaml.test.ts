import assert from "node:assert/strict";
import { test } from "vitest";
import { definitionLimits } from "../definition-limits.ts";
import { Report } from "../diagnostics.ts";
import { parseYaml } from "./parse-yaml.ts";

function issuesOf(text: string) {
  const report = new Report();
  parseYaml(text, report);
  return report
    .list()
    .map(({ code, path, message }) => [code, path, /^Line \d+, column \d+/.exec(message)?.[0]]);
}

test("parseYaml reports the position of a forbidden character before it parses anything", () => {
  assert.deepEqual(issuesOf("a: 1\nb:\n  c: x\u0000"), [["INVALID_YAML", "protocol", "Line 3, column 7"]]);
  assert.deepEqual(issuesOf("a: 1\nb: \ud800"), [["INVALID_YAML", "protocol", "Line 2, column 4"]]);
});

test("parseYaml reports every forbidden character that an escape produces, in keys and values", () => {
  assert.deepEqual(issuesOf('a: "x\\0"\n"b\\ud800": [c, "\\e"]\nd: "\\u00e4\\t\\n"'), [
    ["INVALID_TEXT", "a", "Line 1, column 4"],
    ["INVALID_TEXT", "b\ufffd", "Line 2, column 1"],
    ["INVALID_TEXT", "b\ufffd.1", "Line 2, column 16"],
  ]);
  assert.deepEqual(issuesOf('a: "\\ud83d\\ude00"'), []);
});

test("parseYaml reports a list type without quotes in braces, and reads it as the type that was meant", () => {
  const report = new Report();
  parseYaml("a: { x: Leg[], y: file[] }\nb: { x: [Leg[], z], y: [] }\nc: Leg[]", report);
  assert.deepEqual(
    report.list().map(({ message }) => message),
    [
      'Line 1, column 9: Put Leg[] in quotes: "Leg[]".',
      'Line 1, column 19: Put file[] in quotes: "file[]".',
      'Line 2, column 10: Put Leg[] in quotes: "Leg[]".',
    ],
  );
  const tree = (source: string) =>
    JSON.stringify(parseYaml(source, new Report()), (key, value) =>
      key === "position" ? undefined : value instanceof Map ? [...value] : value,
    );
  assert.equal(tree("a: { x: Leg[] }"), tree('a: { x: "Leg[]" }'));
  assert.equal(tree("a: b"), tree("a: b\n"));
  assert.equal(issuesOf("a: { x: Leg[1] }").length, 1, "it is not taken for a list type");
});

test("an empty key at the top level has the path of the whole protocol", () => {
  assert.deepEqual(issuesOf('"": 1\n"": 2'), [["DUPLICATE_KEY", "protocol", "Line 2, column 1"]]);
});

test("parseYaml counts nesting levels the same in every style", () => {
  const { depth } = definitionLimits;
  const styles: Array<(levels: number) => string> = [
    (levels) => `${"[".repeat(levels)}a${"]".repeat(levels)}`,
    (levels) => `${"[a: ".repeat(levels / 2)}b${"]".repeat(levels / 2)}`,
    (levels) => `${"- ".repeat(levels)}a`,
    (levels) => Array.from({ length: levels }, (_, level) => `${" ".repeat(level)}a:`).join("\n"),
  ];
  for (const style of styles) {
    assert.deepEqual(issuesOf(style(depth)), [], style(4));
    assert.equal(issuesOf(style(depth + 2))[0]?.[0], "INVALID_YAML", style(4));
  }
});
