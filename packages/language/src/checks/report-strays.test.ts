import assert from "node:assert/strict";
import { test } from "vitest";
import { warmCpuTimeMs } from "../../test/support/cpu-time.ts";
import { compile, prompts, protocol, replaced } from "../../test/support/support-chat.ts";

/** The diagnostics of the valid definition with these prompts. */
function withPrompts(contents: Record<string, string>, text = protocol): string[] {
  const changed = prompts.map(({ name, content }) => ({ name, content: contents[name] ?? content }));
  return compile({ prompts: changed, protocol: text }).issues.map(({ code, path, suggestions = [] }) =>
    [code, path, ...suggestions].join(" "),
  );
}

const system = 'You help {{COMPANY}}.{{#if LEVEL == "pro"}} {{@parts/pro.md}}{{/if}}';

test("an unknown tag that resembles a declared name is a warning", () => {
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

test("an unknown tag counts as a use of the name that it resembles", () => {
  const without = replaced(protocol, "input: [COMPANY, { LEVEL: PLAN }]", "input: [LEVEL: PLAN]");
  const contents = { system: system.replace("{{COMPANY}}", "{{company}}") };
  assert.deepEqual(withPrompts(contents, without), ["UNMAPPED_PLACEHOLDER prompts.0.content COMPANY"]);
});

test("a tag of another template language is a hint", () => {
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

test("other text in braces is not reported", () => {
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

test("a nearly correct conditional tag between {{#if}} and {{/if}} is an error", () => {
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

test("unknown tags are checked quickly in many uses of a large prompt", () => {
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
  const tookMs = warmCpuTimeMs(1_000, () => assert.ok(compile(changes).issues.length <= 201));
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
});
