import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { test } from "vitest";
import { parse } from "yaml";
import { protocol, replaced, settings } from "../../test/support/support-chat.ts";
import { isPlainObject } from "../values/json.ts";
import { protocolEditorSchema, settingsEditorSchema } from "./editor-schema.ts";
import { protocolGrammar } from "./protocol-grammar.ts";

const ajv = new Ajv({ allErrors: true, strict: false });
const isProtocol = ajv.compile(protocolEditorSchema());
const isSettings = ajv.compile(settingsEditorSchema());

/** The key or value that the schema rejects, and why. */
function objections(text: string): string[] {
  isProtocol(parse(text));
  const own = (isProtocol.errors ?? []).filter(({ keyword }) => keyword !== "if");
  return own.map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const worker = `
steps:
  Open: { block: start-thread, thread: main, model: demo/echo }
  Answer: { block: next-message }
`;

/** Mistakes that an editor marks, with their place and message. */
const slips: Array<[what: string, text: string, objection: RegExp]> = [
  [
    "a key that does not exist",
    replaced(protocol, "agentic:", "agentik:"),
    /^\/agent must NOT have additional/,
  ],
  [
    "a missing key",
    replaced(protocol, "  model: demo/echo\n", ""),
    /^\/agent must have required property 'model'/,
  ],
  [
    "a value of the wrong type",
    replaced(protocol, "agentic: true", "agentic: soon"),
    /^\/agent\/agentic must be/,
  ],
  [
    "a kind of block",
    replaced(protocol, "block: tool-call", "block: tool-cal"),
    /block must be equal to one of/,
  ],
  [
    "a key of another kind of block",
    replaced(protocol, "responseType: Ticket", "role: user"),
    /Answer must NOT have additional/,
  ],
  [
    "the name of a variable",
    replaced(protocol, "COMPANY: {", "company: {"),
    /^\/input must match pattern|property name/,
  ],
  [
    "a reserved name",
    replaced(protocol, "  get-account:", "  platform_x: { description: x }\n  get-account:"),
    /^\/tools/,
  ],
  [
    "a mode of approval that does not exist",
    replaced(protocol, "Reads an account\n", "Reads an account\n    approval: sometimes\n"),
    /^\/tools\/get-account\/approval must be equal/,
  ],
  ["a model without provider", replaced(protocol, "model: demo/echo", "model: echo"), /^\/agent\/model/],
  [
    "a temperature out of range",
    replaced(protocol, "temperature: off", "temperature: 3"),
    /^\/agent\/temperature/,
  ],
  [
    "a section of the other format",
    `${worker}agent: { model: demo/echo }\n`,
    /^\/agent boolean schema is false/,
  ],
  [
    "a worker's output in a conversation",
    `${protocol}\noutput: SUMMARY\n`,
    /^\/output boolean schema is false/,
  ],
];

test("the editor's schema accepts valid definitions of both formats", () => {
  assert.deepEqual(objections(protocol), []);
  assert.deepEqual(objections(worker), []);
  assert.ok(isSettings({ $schema: "http://localhost/schemas/settings.json", ...settings }));
});

for (const [what, text, objection] of slips) {
  test(`the editor's schema marks ${what}`, () => {
    const found = objections(text);
    assert.ok(
      found.some((each) => objection.test(each)),
      found.join("\n"),
    );
  });
}

test("the editor's schema marks mistakes in settings", () => {
  assert.equal(isSettings({ ...settings, slug: "Not a slug" }), false);
  assert.equal(isSettings({ ...settings, format: "chat" }), false);
  assert.equal(isSettings({ ...settings, slugg: "x" }), false);
  assert.equal(isSettings({ ...settings, name: "😀".repeat(100) }), true);
  assert.equal(isSettings({ ...settings, name: "x".repeat(101) }), false);
  assert.equal(isSettings({ ...settings, description: "x".repeat(1_001) }), false);
});

test("the editor's schema explains every key and every kind of block", () => {
  let count = 0;
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) schema.forEach(visit);
    if (Array.isArray(schema) || typeof schema !== "object" || schema === null) return;
    const { properties, ...rest } = Object.fromEntries(Object.entries(schema));
    for (const [name, property] of Object.entries(isPlainObject(properties) ? properties : {})) {
      visit(property);
      if (name === "block" || !isPlainObject(property) || "const" in property) continue;
      count += 1;
      assert.ok("description" in property, name);
    }
    Object.values(rest).forEach(visit);
  };
  visit(protocolEditorSchema());
  assert.ok(count > 100, `${count}`);
  const text = JSON.stringify(protocolEditorSchema());
  for (const { doc } of Object.values(protocolGrammar.blocks)) assert.ok(text.includes(JSON.stringify(doc)));
});
