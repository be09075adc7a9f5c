import assert from "node:assert/strict";
import { describe, test } from "vitest";
import type { DefinitionSource } from "../source.ts";
import { compile, edited, extended, prompts } from "../testing.ts";

function issuesIn(changes: Partial<DefinitionSource>): string[] {
  return compile(changes).issues.map(({ code, path, suggestions = [] }) =>
    [code, path, ...suggestions].join(" "),
  );
}

/** The right definition with other prompts. */
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

describe("placeholders that nothing maps", () => {
  test("are named where the mapping is missing", () => {
    const without = edited(["role: user, prompt: user, input: [USER_MESSAGE]", "role: user, prompt: user"]);
    assert.deepEqual(issuesIn({ protocol: without }), [`UNMAPPED_PLACEHOLDER ${user}.prompt`]);
    const { issues } = compile({ protocol: without });
    assert.match(
      issues[0]?.message ?? "",
      /^Line \d+, column \d+: The prompt "user" has \{\{USER_MESSAGE\}\}/,
    );
  });

  test("are one slip with what they mean, which then counts as used", () => {
    assert.deepEqual(withPrompts({ user: "{{USER_MESAGE}}" }), [
      `UNMAPPED_PLACEHOLDER ${user}.input USER_MESSAGE`,
    ]);
    const unmapped = edited(["input: [COMPANY, { LEVEL: PLAN }]", "input: [LEVEL: PLAN]"]);
    assert.deepEqual(issuesIn({ protocol: unmapped }), ["UNMAPPED_PLACEHOLDER agent.input"]);
  });

  test("are found in includes", () => {
    assert.deepEqual(withPrompts({ "parts/pro": "Be {{COMPANI}}." }), [
      "UNMAPPED_PLACEHOLDER agent.input COMPANY",
    ]);
  });

  test("of which nothing is declared may be meant as they stand", () => {
    assert.deepEqual(withPrompts({ user: "{{USER_MESSAGE}} Begin with: Dear {{FIRST_NAME}}" }), [
      `UNKNOWN_TAG ${user}.input`,
    ]);
  });

  test("are reported although they are the input of a trigger that only its handler reads", () => {
    assert.deepEqual(withPrompts({ system: `${system}{{USER_MESSAGE}}` }), [
      "UNMAPPED_PLACEHOLDER agent.input",
    ]);
  });

  test("matter to nobody under a condition that never holds, and to everybody under its opposite", () => {
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

  test("are reported once, in a condition and beneath it", () => {
    assert.deepEqual(withPrompts({ user: "{{USER_MESSAGE}}{{#if !COMPANY}}{{COMPANY}}{{/if}}" }), [
      `UNMAPPED_PLACEHOLDER ${user}.input`,
    ]);
  });

  test("in conditions are reported once, when no use of any prompt maps them", () => {
    assert.deepEqual(withPrompts({ "parts/pro": "{{#if COMPANI}}x{{/if}}{{#if COMPANI}}y{{/if}}" }), [
      "UNMAPPED_PLACEHOLDER agent.input COMPANY",
    ]);
    assert.deepEqual(withPrompts({ user: "{{USER_MESSAGE}}{{#if LEVEL}}x{{/if}}" }), []);
  });

  test("are left alone in a prompt with whose mapping something else is wrong", () => {
    assert.deepEqual(issuesIn({ protocol: edited(["[COMPANY,", "[COMPANI,"]) }), [
      "UNDECLARED_VARIABLE agent.input.0 COMPANY",
    ]);
  });
});

describe("names that are mapped for nothing", () => {
  test("are named each at its place", () => {
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

  test("are all of them without a system prompt", () => {
    const without = edited(["  system: system\n", ""]);
    const rest = prompts.filter(({ name }) => name === "user");
    assert.deepEqual(issuesIn({ protocol: without, prompts: rest }), [
      "UNUSED_MAPPING agent.input.0",
      "UNUSED_MAPPING agent.input.1.LEVEL",
    ]);
  });

  test("are of no interest while something is wrong", () => {
    const wrong = edited(["  system: system\n", "  sistem: system\n"]);
    assert.deepEqual(issuesIn({ protocol: wrong }), ["UNKNOWN_KEY agent.sistem system"]);
  });
});
