import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { type ModelValue, modelValues, stringValue } from "../../test/support/template-values.ts";
import { expectedText, names, type Piece, templates, writePrompts } from "../../test/support/templates.ts";
import { Report } from "../diagnostics.ts";
import type { JsonValue } from "../values/json.ts";
import { compilePrompts } from "./compile-prompts.ts";
import {
  type InputMapping,
  mapInput,
  PromptTooLargeError,
  renderTemplate,
  type Template,
} from "./template.ts";

/** `npm run test:long` runs ten times as many cases. */
const numRuns = 300 * Number(process.env.LONG_RUN ?? 1);

const secret = { name: "secret", content: "SECRET{{A}}{{#if A}}YES{{/if}}" };

function compiled(pieces: readonly Piece[]): Template {
  const report = new Report();
  const template = compilePrompts([...writePrompts(pieces), secret], report).templates.get("it");
  assert.deepEqual(report.list(), []);
  assert.ok(template);
  return template;
}

/** Supplies values as at run time: a mapping reads them from a store under other names. */
function render(template: Template, values: ReadonlyMap<string, ModelValue>): string {
  const mapping: InputMapping = [...values.keys()].map((name) => ({ name, source: `FROM_${name}` }));
  const store = new Map<string, JsonValue | undefined>(names.map((name) => [name, "not mapped"]));
  for (const [name, { value }] of values) store.set(`FROM_${name}`, value);
  return renderTemplate(
    template,
    mapInput(mapping, (source) => store.get(source)),
  );
}

const valuesByName = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...names), modelValues), { selector: ([name]) => name })
  .map((entries) => new Map(entries));

describe("a rendered prompt", () => {
  test("a rendered prompt is its template with the values copied in and never evaluated", () => {
    fc.assert(
      fc.property(templates, valuesByName, (pieces, values) => {
        assert.equal(render(compiled(pieces), values), expectedText(pieces, values));
      }),
      { numRuns },
    );
  });

  test("a template renders the same after any number of earlier uses", () => {
    fc.assert(
      fc.property(templates, valuesByName, valuesByName, (pieces, first, second) => {
        const template = compiled(pieces);
        const before = JSON.stringify(template);
        const alone = render(template, second);
        render(template, first);
        assert.equal(render(template, second), alone);
        assert.equal(JSON.stringify(template), before);
      }),
      { numRuns: Math.ceil(numRuns / 4) },
    );
  });

  test("a rendered prompt contains a value once for each of its placeholders, at any length", () => {
    const text = "{{A}}{{@secret}}{{#if A}}".repeat(20_000);
    const pieces: Piece[] = [
      { kind: "value", name: "A", raw: "{{A}}" },
      { kind: "text", text: "|" },
      { kind: "value", name: "A", raw: "{{A}}" },
    ];
    assert.equal(render(compiled(pieces), new Map([["A", stringValue(text)]])), `${text}|${text}`);
  });

  test("a prompt that would become too large is rejected, whichever value causes it", () => {
    const many: Piece[] = Array.from({ length: 200 }, (_, index) => {
      const name = index % 2 === 0 ? "A" : "B";
      return { kind: "value", name, raw: `{{${name}}}` };
    });
    const values = new Map([
      ["A", stringValue("x".repeat(100_000))],
      ["B", stringValue("y")],
    ]);
    assert.throws(() => render(compiled(many), values), PromptTooLargeError);
  });
});

describe("names of prototypes", () => {
  for (const key of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "valueOf"]) {
    test(`the placeholder {{${key}}} stays unchanged even if a value has that name`, () => {
      const [prompt] = writePrompts([{ kind: "text", text: `<{{${key}}}>` }]);
      assert.ok(prompt);
      const template = compilePrompts([prompt], new Report()).templates.get("it");
      assert.ok(template);
      const values: Record<string, JsonValue> = JSON.parse(`{${JSON.stringify(key)}: "evaluated"}`);
      assert.equal(renderTemplate(template, values), `<{{${key}}}>`);
      assert.equal(renderTemplate(template, {}), `<{{${key}}}>`);
    });
  }
});
