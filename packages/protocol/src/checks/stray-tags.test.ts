import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { cpuTimeMs } from "../testing/cpu-time.ts";
import { compile, prompts, protocol, replaced } from "../testing.ts";

/** What is said when the right definition has these prompts. */
function withPrompts(contents: Record<string, string>, text = protocol): string[] {
  const changed = prompts.map(({ name, content }) => ({ name, content: contents[name] ?? content }));
  return compile({ prompts: changed, protocol: text }).issues.map(({ code, path, suggestions = [] }) =>
    [code, path, ...suggestions].join(" "),
  );
}

const system = 'You help {{COMPANY}}.{{#if LEVEL == "pro"}} {{@parts/pro.md}}{{/if}}';

describe("tags that mean nothing", () => {
  test("are slips when they look like something declared", () => {
    for (const tag of [
      "{{user_message}}",
      "{{ userMessage }}",
      "{{User-Message}}",
      "{{user_message.text}}",
      "{{USER_MESSAGE[0]}}",
    ])
      assert.deepEqual(
        withPrompts({ user: tag }),
        ["UNMAPPED_PLACEHOLDER prompts.1.content USER_MESSAGE"],
        tag,
      );
  });

  test("use the name that they look like", () => {
    const without = replaced(protocol, "input: [COMPANY, { LEVEL: PLAN }]", "input: [LEVEL: PLAN]");
    const contents = { system: system.replace("{{COMPANY}}", "{{company}}") };
    assert.deepEqual(withPrompts(contents, without), ["UNMAPPED_PLACEHOLDER prompts.0.content COMPANY"]);
  });

  test("are pointed out when they look like tags of another language", () => {
    for (const tag of [
      "{{#each COMPANY}}",
      "{{/each}}",
      "{{> parts/pro}}",
      "{{^COMPANY}}",
      "{{if COMPANY}}",
      "{{end}}",
      "{{#IF COMPANY}}",
    ])
      assert.deepEqual(
        withPrompts({ system: `${system}${tag}${tag}` }),
        ["UNKNOWN_TAG prompts.0.content"],
        tag,
      );
  });

  test("are text when they look like neither", () => {
    for (const tag of [
      "{{first_name}}",
      "{{}}",
      "{{ 1 }}",
      "{{ secrets.KEY }}",
      "{{ x | upper }}",
      "{{{",
      "{{ifood}}",
      "{{end-date}}",
    ])
      assert.deepEqual(withPrompts({ system: `${system}${tag}` }), [], tag);
  });

  test("are errors between {{#if}} and {{/if}} when they almost belong there", () => {
    for (const tag of [
      "{{elseif LEVEL}}",
      "{{elif LEVEL}}",
      "{{else LEVEL}}",
      "{{/else}}",
      "{{end}}",
      "{{endif}}",
      "{{#IF LEVEL}}",
      "{{/IF}}",
    ])
      assert.deepEqual(
        withPrompts({ system: `${system}{{#if COMPANY}}x${tag}y{{/if}}` }),
        ["UNBALANCED_CONDITION prompts.0.content"],
        tag,
      );
    assert.deepEqual(withPrompts({ system: `${system}{{#if COMPANY}}{{else_where}}{{/if}}` }), []);
  });

  test("cost little, however many prompts and uses there are", () => {
    const many = Array.from({ length: 20_000 }, (_, i) => `{{X${i}}}{{x${i}}}`)
      .join("")
      .slice(0, 60_000);
    const uses = Array.from(
      { length: 800 },
      (_, i) => `    B${i}: { block: add-message, role: user, prompt: many, visible: false }\n`,
    );
    const changes = {
      protocol: protocol + uses.join(""),
      prompts: [...prompts, { name: "many", content: many }],
    };
    const tookMs = cpuTimeMs(() => assert.ok(compile(changes).issues.length <= 201));
    assert.ok(tookMs < 1_000, `${tookMs} ms`);
  });
});
