import assert from "node:assert/strict";
import { compileDefinition } from "@muster/language/compile";
import { test } from "vitest";
import { changesOf, type Definition, filesOf, locate, withText, wrongRange } from "./definition-files.ts";

const definition: Definition = {
  settings: { slug: "desk", name: "Desk", format: "interactive" },
  protocol: `agent:
  model: demo/echo
  system: "systm"
  tools: [get-ordr]
tools:
  get-order: { description: Looks an order up, parameters: { number: { type: strng } } }
triggers:
  go:
handlers:
  go:
    Answer: { block: next-mesage }
`,
  prompts: [{ name: "system", content: "Hello\n{{#if X}}" }],
  references: [{ name: "prices", description: "", content: "None." }],
};

test("each suggestion of the compiler replaces the wrong word, also one in quotes", () => {
  const fixes = ["system", "get-order", "string", "next-message"];
  let text = definition;
  for (const wanted of fixes) {
    const files = filesOf(text);
    const found = compileDefinition(text).issues.map((issue) =>
      locate({ ...issue, suggestions: [...(issue.suggestions ?? [])] }, files),
    );
    const issue = found.find(({ suggestions }) => suggestions?.[0] === wanted);
    const [file] = files;
    assert.ok(issue !== undefined && file !== undefined, wanted);
    const range = wrongRange(file.text, issue);
    assert.ok(range !== undefined, issue.message);
    const fixed = file.text.slice(0, range.from) + wanted + file.text.slice(range.to);
    text = withText(text, file, fixed);
  }
  const codes = compileDefinition(text).issues.map(({ code, path }) => `${code} ${path}`);
  assert.deepEqual(codes, [
    "MISSING_FIELD references.0.description",
    "UNBALANCED_CONDITION prompts.0.content",
    "UNUSED_REFERENCE references.0",
  ]);
});

test("a diagnostic belongs to its file, and its message begins after the place", () => {
  const files = filesOf(definition);
  const issue = compileDefinition(definition).issues.find(({ code }) => code === "UNBALANCED_CONDITION");
  assert.ok(issue !== undefined);
  const { code, path, message, severity } = issue;
  const located = locate({ code, path, message, severity }, files);
  assert.equal(located.file, "prompts/system.md");
  assert.deepEqual(located.position, { line: 2, column: 1 });
  assert.match(located.message, /^In the prompt/);
});

test("a suggestion for a place that has changed meanwhile replaces nothing", () => {
  const files = filesOf(definition);
  const issue = locate(
    {
      code: "UNKNOWN_KEY",
      path: "agent",
      message: 'Line 1, column 1: Unknown key "agnt".',
      severity: "error",
    },
    files,
  );
  assert.equal(wrongRange(definition.protocol, issue), undefined);
});

test("an update sends only the parts that differ, and an empty description removes it", () => {
  const described = { ...definition, settings: { ...definition.settings, description: "Answers." } };
  assert.deepEqual(changesOf(described, definition), {
    settings: { name: "Desk", format: "interactive", description: "" },
  });
  assert.deepEqual(changesOf(definition, { ...definition, prompts: [] }), { prompts: [] });
});
