import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { Report } from "../diagnostics.ts";
import type { JsonValue } from "../values/json.ts";
import { compilePrompts } from "./compile-prompts.ts";
import { mapInput, PromptTooLargeError, renderTemplate } from "./template.ts";

function render(
  content: string,
  values: Record<string, JsonValue> = {},
  others: Record<string, string> = {},
): string {
  const report = new Report();
  const sources = Object.entries({ it: content, ...others }).map(([name, text]) => ({ name, content: text }));
  const template = compilePrompts(sources, report).templates.get("it");
  assert.ok(template, JSON.stringify(report.list()));
  return renderTemplate(template, values);
}

const cases: Array<[content: string, values: Record<string, JsonValue>, expected: string]> = [
  ["Hi {{NAME}}!", { NAME: "Ada" }, "Hi Ada!"],
  ["{{ NAME }}{{NAME}}", { NAME: "x" }, "xx"],
  ["{{NAME}} {{OTHER}}", { NAME: "x" }, "x {{OTHER}}"],
  ["{{O}}", { O: { a: [1, null] } }, '{"a":[1,null]}'],
  ["{{N}} {{B}}", { N: 0.5, B: false }, "0.5 false"],
  ["{{ABSENT}}", { ABSENT: null }, "NONE"],
  ["{{lower}} {{#each X}} {{ }} {{}}", {}, "{{lower}} {{#each X}} {{ }} {{}}"],
  ["{{#if A}}a{{else if B}}b{{else}}c{{/if}}", { A: true, B: true }, "a"],
  ["{{#if A}}a{{else if B}}b{{else}}c{{/if}}", { A: false, B: 1 }, "b"],
  ["{{#if A}}a{{else if B}}b{{else}}c{{/if}}", {}, "c"],
  ["{{#if !A}}no{{/if}}", { A: "" }, "no"],
  ['{{#if A == "x y"}}same{{/if}}{{#if A != "z"}}other{{/if}}', { A: "x y" }, "sameother"],
  ['{{#if A == "NONE"}}none{{/if}}', { A: null }, "none"],
  ["{{#if A}}{{#if B}}both{{else}}one{{/if}}{{/if}}.", { A: "1", B: "0" }, "one."],
];
for (const [content, values, expected] of cases) {
  test(`the prompt ${content} with ${JSON.stringify(values)} renders as ${expected}`, () => {
    assert.equal(render(content, values), expected);
  });
}

for (const value of [null, false, "", "false", "0", 0]) {
  test(`the value ${JSON.stringify(value)} is falsy`, () => {
    assert.equal(render("{{#if A}}yes{{else}}no{{/if}}", { A: value }), "no");
  });
}

test("an included prompt uses the values of the including prompt", () => {
  const others = { "parts/tone": "Dear {{NAME}}{{@parts/end}}", "parts/end": "." };
  assert.equal(render("{{@parts/tone.md}}{{@parts/end}}", { NAME: "Ada" }, others), "Dear Ada..");
});

test("values are never evaluated as templates", () => {
  const pieces = [
    "{{",
    "}}",
    "{{NAME}}",
    "{{@secret}}",
    "{{#if NAME}}",
    "{{/if}}",
    "{{else}}",
    "$&",
    "$1",
    "\\",
    "x",
  ];
  const hostile = fc
    .array(fc.oneof(fc.constantFrom(...pieces), fc.string()), { maxLength: 8 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(hostile, hostile, (first, second) => {
      const content = "<{{NAME}}|{{OTHER}}{{#if NAME}}|{{NAME}}{{/if}}>";
      const expected = `<${first}|${second}${["", "0", "false"].includes(first) ? "" : `|${first}`}>`;
      assert.equal(render(content, { NAME: first, OTHER: second }, { secret: "SECRET" }), expected);
    }),
  );
});

test("a value that would make the prompt too large is rejected before it is written", () => {
  const value = "x".repeat(1024 * 1024);
  assert.throws(() => render("{{A}}".repeat(12_000), { A: value }), PromptTooLargeError);
});

test("a mapped name without a value renders as NONE and is falsy", () => {
  const values = mapInput([{ name: "LABEL", source: "SOURCE" }], () => undefined);
  assert.equal(render("{{LABEL}}{{#if LABEL}}!{{/if}}", values), "NONE");
});

test("template problems have the right line and column with every kind of line break", () => {
  const report = new Report();
  compilePrompts([{ name: "it", content: "{{#if A}}\n\n  {{/if}}\r\nä{{/if}} {{else}}\n{{/if}}" }], report);
  assert.deepEqual(
    report.list().map(({ path, message }) => `${path} ${message}`),
    [
      'prompts.0.content Line 4, column 2: In the prompt "it": This {{/if}} has no {{#if}}.',
      'prompts.0.content Line 4, column 10: In the prompt "it": This {{else}} has no {{#if}}.',
      'prompts.0.content Line 5, column 1: In the prompt "it": This {{/if}} has no {{#if}}.',
    ],
  );
});

const unbalanced = [
  "{{#if A}}",
  "{{/if}}",
  "{{else}}",
  "{{else if A}}",
  "{{#if A}}{{else}}{{else}}{{/if}}",
  "{{#if A = 1}}{{/if}}",
  "{{#if }}{{/if}}",
];
for (const content of unbalanced) {
  test(`the prompt ${content} has an unbalanced condition`, () => {
    const report = new Report();
    assert.equal(compilePrompts([{ name: "it", content }], report).templates.get("it"), undefined);
    assert.ok(report.list().every(({ code }) => code === "UNBALANCED_CONDITION"));
    assert.ok(report.failed);
  });
}
