import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, edited, extended } from "../../test/support/support-chat.ts";

/** The issues of the definition in which `get-account` has this approval, as code, path and line with column. */
function issuesOf(approval: string) {
  const tool = `Reads an account\n    approval: ${approval}\n`;
  const { issues } = compile({ protocol: edited(["Reads an account\n", tool]) });
  return issues.map(({ code, path, message }) => {
    assert.match(message, /^Line 17, column \d+: /);
    return [code, path.replace("tools.get-account.approval", ""), message.replace(/^.*?: /, "")];
  });
}

const wrong: Array<[approval: string, code: string, path: string, message: RegExp]> = [
  ["sometimes", "WRONG_TYPE", "", /must be one of allow, ask, deny/],
  ["{ when: untrusted }", "MISSING_FIELD", ".ask", /required/],
  ["{ ask: false }", "WRONG_TYPE", ".ask", /true, or a JSON Schema/],
  ["{ ask: true, when: never }", "WRONG_TYPE", ".when", /always, untrusted/],
  ["{ ask: true, expires: 30s }", "WRONG_TYPE", ".expires", /from 1m to 30d, such as 90m, 24h or 7d/],
  ["{ ask: true, expires: 31d }", "WRONG_TYPE", ".expires", /from 1m to 30d/],
  ["{ ask: true, expires: 3600000 }", "WRONG_TYPE", ".expires", /from 1m to 30d/],
  ["{ ask: true, onExpiry: allow }", "WRONG_TYPE", ".onExpiry", /deny, fail/],
  [`{ ask: true, title: ${"x".repeat(201)} }`, "WRONG_TYPE", ".title", /1 to 200 characters/],
  ['{ ask: true, title: "{{ usrId }}" }', "UNKNOWN_PARAMETER", ".title", /"usrId". Did you mean userId\?/],
  ["{ ask: { properties: { usrId: {} } } }", "UNKNOWN_PARAMETER", ".ask.properties.usrId", /userId\?/],
  [
    "{ ask: { not: { anyOf: [{ required: [dep] }] } } }",
    "UNKNOWN_PARAMETER",
    ".ask.not.anyOf.0.required.0",
    /"dep"/,
  ],
  ["{ ask: { pattern: a } }", "UNKNOWN_KEY", ".ask.pattern", /Allowed here: type, properties, .*, not\./],
  ['{ ask: { $ref: "#" } }', "UNKNOWN_KEY", ".ask.$ref", /Unknown key "\$ref"/],
  [
    "{ ask: { properties: { userId: { minimun: 1 } } } }",
    "UNKNOWN_KEY",
    ".ask.properties.userId.minimun",
    /minimum\?/,
  ],
  [`{ ask: { const: ${"x".repeat(4_096)} } }`, "LIMIT_EXCEEDED", ".ask", /at most 4096 characters/],
  ["{ ask: { type: text } }", "WRONG_TYPE", ".ask.type", /one of string, number/],
  ["{ ask: { anyOf: [] } }", "WRONG_TYPE", ".ask.anyOf", /JSON Schemas with at least one entry, not a list/],
  ["{ ask: { items: true } }", "WRONG_TYPE", ".ask.items", /a JSON Schema, such as/],
  ["{ ask: { minLength: -1 } }", "WRONG_TYPE", ".ask.minLength", /whole number/],
  ["{ ask: { maximum: ten } }", "WRONG_TYPE", ".ask.maximum", /must be a number/],
  ["{ ask: { properties: { __proto__: {} } } }", "INVALID_NAME", ".ask.properties.__proto__", /not allowed/],
];

for (const [approval, code, path, message] of wrong) {
  test(`the approval ${approval.slice(0, 60)} is refused at its place`, () => {
    const [issue, ...more] = issuesOf(approval);
    assert.deepEqual([issue?.slice(0, 2), more], [[code, path], []]);
    assert.match(issue?.[2] ?? "", message);
  });
}

test("every supported keyword of JSON Schema, also null as a value and as a type, compiles", () => {
  const schema =
    "{ type: [object, null], properties: { deep: { const: null, type: null }, userId: { enum: [a, null] } }, " +
    "required: [], minimum: 1, maximum: 1.5, exclusiveMinimum: -1, exclusiveMaximum: 9, minLength: 0, maxLength: 9, " +
    "minItems: 0, maxItems: 9, items: {}, anyOf: [{}], allOf: [{}], oneOf: [{}], not: { const: 1 } }";
  assert.deepEqual(issuesOf(`{ ask: ${schema} }`), []);
});

test("rules for tools of a computer are checked against its tools, and those of an application's tools are not", () => {
  const codesOf = (source: string) => {
    const files = `mcpServers:
  files:
    description: F
    source: ${source}
    approval: { ask: { required: [contnt] } }
    tools:
      wipe: { approval: { ask: { required: [anything] } } }
      "re*": { approval: { ask: true, title: "Read {{content}}" } }
      write: { approval: { ask: { required: [content] } } }
`;
    const { issues } = compile({ protocol: extended({ sections: files }) });
    return issues.map(({ code, path }) => `${code} ${path}`);
  };
  assert.deepEqual(codesOf("consumer"), []);
  assert.deepEqual(codesOf("device"), [
    "UNMATCHED_PATTERN mcpServers.files.tools.wipe",
    "UNKNOWN_PARAMETER mcpServers.files.tools.re*.approval.title",
    "UNKNOWN_PARAMETER mcpServers.files.approval.ask.required.0",
  ]);
});
