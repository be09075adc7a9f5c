import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compile, edited, extended, prompts } from "../../test/support/support-chat.ts";
import type { DefinitionSource } from "../source.ts";

function issuesIn(changes: Partial<DefinitionSource>): string[] {
  return compile(changes).issues.map(({ code, path, suggestions = [] }) =>
    [code, path, ...suggestions].join(" "),
  );
}

/** The valid definition with other prompts. */
function withPrompts(contents: Record<string, string>, source: Partial<DefinitionSource> = {}): string[] {
  const others = Object.entries(contents).filter(([name]) => prompts.every((prompt) => prompt.name !== name));
  const known = prompts.map(({ name, content }) => ({ name, content: contents[name] ?? content }));
  return issuesIn({
    ...source,
    prompts: [...known, ...others.map(([name, content]) => ({ name, content }))],
  });
}

const system = 'You help {{COMPANY}}.{{#if LEVEL == "pro"}} {{@parts/pro.md}}{{/if}}';
const user = "handlers.user-message.Add the message";

describe("placeholders without a mapping", () => {
  test("an unmapped placeholder is reported where the mapping is missing", () => {
    const without = edited(["role: user, prompt: user, input: [USER_MESSAGE]", "role: user, prompt: user"]);
    assert.deepEqual(issuesIn({ protocol: without }), [`UNMAPPED_PLACEHOLDER ${user}.prompt`]);
    const { issues } = compile({ protocol: without });
    assert.match(
      issues[0]?.message ?? "",
      /^Line \d+, column \d+: The prompt "user" has \{\{USER_MESSAGE\}\}/,
    );
  });

  test("an unmapped placeholder is reported once, and the variable it means counts as used", () => {
    assert.deepEqual(withPrompts({ user: "{{USER_MESAGE}}" }), [
      `UNMAPPED_PLACEHOLDER ${user}.input USER_MESSAGE`,
    ]);
    const unmapped = edited(["input: [COMPANY, { LEVEL: PLAN }]", "input: [LEVEL: PLAN]"]);
    assert.deepEqual(issuesIn({ protocol: unmapped }), ["UNMAPPED_PLACEHOLDER agent.input"]);
  });

  test("an unmapped placeholder is found in an included prompt", () => {
    assert.deepEqual(withPrompts({ "parts/pro": "Be {{COMPANI}}." }), [
      "UNMAPPED_PLACEHOLDER agent.input COMPANY",
    ]);
  });

  test("an unmapped placeholder without a matching variable is only a hint", () => {
    assert.deepEqual(withPrompts({ user: "{{USER_MESSAGE}} Begin with: Dear {{FIRST_NAME}}" }), [
      `UNKNOWN_TAG ${user}.input`,
    ]);
  });

  test("an unmapped placeholder is reported even if only another trigger's handler can read the variable", () => {
    assert.deepEqual(withPrompts({ system: `${system}{{USER_MESSAGE}}` }), [
      "UNMAPPED_PLACEHOLDER agent.input",
    ]);
  });

  test("an unmapped placeholder is ignored under a condition that is always false and reported under its opposite", () => {
    const twice = (content: string) =>
      withPrompts(
        { "parts/pro": content },
        {
          protocol: extended({
            blocks:
              "    More: { block: add-message, role: user, prompt: parts/pro, input: [USER_MESSAGE] }\n",
          }),
        },
      );
    const maps = "{{#if USER_MESSAGE}}{{USER_MESSAGE}}{{/if}}";
    assert.deepEqual(twice(maps), []);
    assert.deepEqual(
      twice(`${maps}{{#if COMPANY == "x"}}{{COMPANY}}{{else if !COMPANY}}-{{else}}{{COMPANY}}{{/if}}`),
      [],
    );
    assert.deepEqual(twice(`${maps}{{#if COMPANY}}-{{else}}{{COMPANY}}{{/if}}`), [
      "UNMAPPED_PLACEHOLDER handlers.user-message.More.input",
    ]);
    assert.deepEqual(twice(`${maps}{{#if COMPANY != "x"}}{{COMPANY}}{{/if}}`), [
      "UNMAPPED_PLACEHOLDER handlers.user-message.More.input",
    ]);
  });

  test("an unmapped name in a condition and in its body is reported once", () => {
    assert.deepEqual(withPrompts({ user: "{{USER_MESSAGE}}{{#if !COMPANY}}{{COMPANY}}{{/if}}" }), [
      `UNMAPPED_PLACEHOLDER ${user}.input`,
    ]);
  });

  test("an unmapped name in a condition is reported once, and only if no use of a prompt maps it", () => {
    assert.deepEqual(withPrompts({ "parts/pro": "{{#if COMPANI}}x{{/if}}{{#if COMPANI}}y{{/if}}" }), [
      "UNMAPPED_PLACEHOLDER agent.input COMPANY",
    ]);
    assert.deepEqual(withPrompts({ user: "{{USER_MESSAGE}}{{#if LEVEL}}x{{/if}}" }), []);
  });

  test("unmapped placeholders are not reported if their mapping has another error", () => {
    assert.deepEqual(issuesIn({ protocol: edited(["[COMPANY,", "[COMPANI,"]) }), [
      "UNDECLARED_VARIABLE agent.input.0 COMPANY",
    ]);
  });
});

describe("useless mappings", () => {
  test("each useless mapping is reported at its own place", () => {
    assert.deepEqual(issuesIn({ protocol: edited(["[COMPANY,", "[A: COMPANY, { B: PLAN }, COMPANY,"]) }), [
      "UNUSED_MAPPING agent.input.0.A",
      "UNUSED_MAPPING agent.input.1.B",
    ]);
    assert.deepEqual(
      issuesIn({
        protocol: edited(["[COMPANY, { LEVEL: PLAN }]", "{ COMPANY: COMPANY, LEVEL: PLAN, A: PLAN }"]),
      }),
      ["UNUSED_MAPPING agent.input.A"],
    );
  });

  test("every mapping is useless without a system prompt", () => {
    const without = edited(["  system: system\n", ""]);
    const rest = prompts.filter(({ name }) => name === "user");
    assert.deepEqual(issuesIn({ protocol: without, prompts: rest }), [
      "UNUSED_MAPPING agent.input.0",
      "UNUSED_MAPPING agent.input.1.LEVEL",
    ]);
  });

  test("useless mappings are not reported while the definition has errors", () => {
    const wrong = edited(["  system: system\n", "  sistem: system\n"]);
    assert.deepEqual(issuesIn({ protocol: wrong }), ["UNKNOWN_KEY agent.sistem system"]);
  });
});
