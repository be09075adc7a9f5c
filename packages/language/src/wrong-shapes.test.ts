import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, edited, extended, prompts } from "../test/support/support-chat.ts";

const block = (text: string) => extended({ blocks: `    More: ${text}\n` });
const more = "handlers.user-message.More";

/** For each key, a value of a wrong shape with all of its diagnostics. */
const shapes: Record<string, readonly [protocol: string, ...found: string[]]> = {
  "a section as a list": [edited(["tools:\n", "skills: []\ntools:\n"]), "WRONG_TYPE skills"],
  "an entry as text": [
    edited(["tools:\n", "skills: { charts: yes }\ntools:\n"]),
    "WRONG_TYPE skills.charts",
    "UNUSED_TOOL skills.charts",
  ],
  "a tool as a list": [
    edited(["tools:\n", "tools:\n  find: []\n"]),
    "WRONG_TYPE tools.find",
    "UNUSED_TOOL tools.find",
  ],
  "a section that does not exist": [
    edited(["variables:\n", "varaibles: {}\nvariables:\n"]),
    "UNKNOWN_KEY varaibles",
  ],
  "a model as a list": [edited(["model: demo/echo", "model: [demo/echo]"]), "WRONG_TYPE agent.model"],
  "a flag as a number": [edited(["agentic: true", "agentic: 1"]), "WRONG_TYPE agent.agentic"],
  "a number as text": [edited(["maxSteps: 5", "maxSteps: '5'"]), "WRONG_TYPE agent.maxSteps"],
  "a list as text": [edited(["tools: [get-account]", "tools: get-account"]), "WRONG_TYPE agent.tools"],
  "a name as a map": [edited(["system: system", "system: { prompt: system }"]), "WRONG_TYPE agent.system"],
  "a word as a flag": [
    edited(["temperature: off", "temperature: off\n  cache: true"]),
    "WRONG_TYPE agent.cache",
  ],
  "a description as a list": [
    edited(["Reads an account", "[x]"]),
    "WRONG_TYPE tools.get-account.description",
  ],
  "an empty description": [edited(["Reads an account", "''"]), "WRONG_TYPE tools.get-account.description"],
  "input as text": [
    edited(["[COMPANY, { LEVEL: PLAN }]", "COMPANY"]),
    "WRONG_TYPE agent.input",
    "UNUSED_VARIABLE input.PLAN",
  ],
  "input with a number": [edited(["[COMPANY,", "[3, COMPANY,"]), "WRONG_TYPE agent.input.0"],
  "a duplicate label": [
    edited(["[COMPANY,", "[COMPANY, COMPANY: PLAN,"]),
    "DUPLICATE_KEY agent.input.1.COMPANY",
  ],
  "a block as text": [block("next-message"), `WRONG_TYPE ${more}`],
  "a block without a kind": [block("{ thread: main }"), `MISSING_FIELD ${more}.block`],
  "a kind of block as a list": [block("{ block: [] }"), `WRONG_TYPE ${more}.block`],
  "a type as text": [edited(["  Order: {", "  Note: text\n  Order: {"]), "WRONG_TYPE types.Note"],
  "a property as text": [
    edited(["  Order: {", "  Note: { text: string }\n  Order: {"]),
    "WRONG_TYPE types.Note.text",
  ],
  "the type of a variable as a map": [
    edited(["SUMMARY: { type: string }", "SUMMARY: { type: { id: string } }"]),
    "WRONG_TYPE variables.SUMMARY.type",
  ],
  "a name in two sections": [
    edited(["  SUMMARY: {", "  COMPANY: { type: string }\n  SUMMARY: {"]),
    "DUPLICATE_KEY variables.COMPANY",
  ],
  "a variable of an unknown type that is read as a number": [
    edited(["maxSteps: 5", "maxSteps: STEPS"], ["input:\n", "input:\n  STEPS: { type: intger }\n"]),
    "UNKNOWN_TYPE input.STEPS.type",
  ],
  "a worker whose title is missing": [
    edited(
      ["tools:\n", "workers: { research: { description: x, display: title } }\ntools:\n"],
      ["agentic: true", "agentic: true\n  workers: [research]"],
    ),
    "MISSING_DISPLAY_TITLE workers.research",
  ],
  "a recent share above the threshold": [
    edited(["agentic: true", "agentic: true\n  contextManagement: { thresholdPercent: 20 }"]),
    "WRONG_TYPE agent.contextManagement",
  ],
  "a list whose items have another type": [
    edited(
      ["SUMMARY: { type: string }", "SUMMARY: { type: string }\n  WORDS: { type: 'string[]' }"],
      ["deep: { type: boolean, optional: true }", "deep: { type: 'integer[]', optional: true }"],
      ["deep: true", "deep: WORDS"],
      ["responseType: Ticket, output: TICKET", "output: SUMMARY"],
      ["  TICKET: { type: Ticket }\n", ""],
    ),
    "WRONG_TYPE handlers.user-message.Look up.input.deep",
  ],
};

for (const [what, [protocol, ...found]] of Object.entries(shapes)) {
  test(`a value of the wrong shape is reported at its place: ${what}`, () => {
    assert.deepEqual(
      compile({ protocol }).issues.map(({ code, path }) => `${code} ${path}`),
      found,
    );
  });
}

test("prompts that include one another too deeply are rejected at the last include", () => {
  const chain = Array.from({ length: 40 }, (_, i) => ({ name: `p${i}`, content: `{{@p${i + 1}}}` }));
  const first = prompts.map((prompt) =>
    prompt.name === "user" ? { ...prompt, content: "{{@p0}}{{USER_MESSAGE}}" } : prompt,
  );
  const found = compile({ prompts: [...first, ...chain, { name: "p40", content: "" }] }).issues;
  assert.deepEqual(
    found.map(({ code }) => code),
    ["LIMIT_EXCEEDED"],
  );
  assert.match(
    found[0]?.message ?? "",
    /^Line 1, column 1: With its includes, the prompt "p\d+" is larger than/,
  );
});

test("types are still checked after one that is too deep or contains itself", () => {
  const chain = Array.from({ length: 30 }, (_, i) => `  T${i}: { a: { type: T${i + 1} } }\n`).join("");
  const types = `${chain}  T30: { a: { type: string } }\n  Me: { me: { type: Me } }\n  Last: { order: { type: Order } }\n`;
  const found = compile({ protocol: edited(["types:\n", `types:\n${types}`]) }).issues;
  assert.deepEqual(new Set(found.map(({ code }) => code)), new Set(["LIMIT_EXCEEDED", "CIRCULAR_TYPE"]));
  assert.ok(found.every(({ path }) => path !== "types.Last"));
});
