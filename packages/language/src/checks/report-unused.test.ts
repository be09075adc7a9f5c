import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  compile,
  edited,
  type Finding,
  prompts,
  protocol,
  settings,
} from "../../test/support/support-chat.ts";
import type { DefinitionSource } from "../source.ts";

const unusedCodes: ReadonlySet<string> = new Set([
  "UNUSED_PROMPT",
  "UNUSED_REFERENCE",
  "UNUSED_VARIABLE",
  "UNUSED_TOOL",
  "UNREACHABLE_WORKER",
]);

const unusedIn = (changes: Partial<DefinitionSource>): Finding[] =>
  compile(changes)
    .issues.filter(({ code }) => unusedCodes.has(code))
    .map(({ code, path }) => [code, path]);

describe("unused names", () => {
  test("unused names are reported even if the definition has errors", () => {
    const source = {
      protocol: edited(
        ["agentic: true", "agentic: yes"],
        ["variables:\n", "variables:\n  X: { type: string }\n"],
      ),
    };
    assert.deepEqual(unusedIn(source), [["UNUSED_VARIABLE", "variables.X"]]);
  });

  test("a prompt that only unused prompts include is unused too", () => {
    const more = [
      { name: "draft", content: "{{@draft-part}}" },
      { name: "draft-part", content: "" },
    ];
    assert.deepEqual(unusedIn({ prompts: [...prompts, ...more] }), [
      ["UNUSED_PROMPT", "prompts.3"],
      ["UNUSED_PROMPT", "prompts.4"],
    ]);
  });

  test("trigger input is reported if the trigger's handler does not read it", () => {
    const source = {
      protocol: edited(["{ USER_MESSAGE: {", "{ LANGUAGE: { type: string }, USER_MESSAGE: {"]),
    };
    assert.deepEqual(unusedIn(source), [["UNUSED_VARIABLE", "triggers.user-message.input.LANGUAGE"]]);
    const otherHandler = edited(
      ["triggers:\n", "triggers:\n  other: { input: { LANGUAGE: { type: string } } }\n"],
      ["handlers:\n", "handlers:\n  other: { Answer: { block: next-message } }\n"],
      ["agent:\n", "resources: { LANGUAGE: { type: string } }\nagent:\n"],
      ["input: [USER_MESSAGE]", "input: [USER_MESSAGE, X: LANGUAGE]"],
    );
    assert.deepEqual(unusedIn({ protocol: otherHandler }), [
      ["UNUSED_VARIABLE", "triggers.other.input.LANGUAGE"],
    ]);
  });

  test("a variable that only receives output is unused in a worker but not in a conversation", () => {
    assert.deepEqual(unusedIn({}), []);
    const steps = `variables: { NOTES: { type: string }, RESULT: { type: string } }
steps:
  Open: { block: start-thread, thread: main, model: demo/echo }
  Note: { block: next-message, output: NOTES }
  Answer: { block: next-message, output: RESULT }
output: RESULT
`;
    const worker = { settings: { ...settings, format: "worker" as const }, prompts: [], protocol: steps };
    assert.deepEqual(unusedIn(worker), [["UNUSED_VARIABLE", "variables.NOTES"]]);
  });

  test("the message about an unused name suggests how it could be used", () => {
    const text = edited(
      ["input:\n", "input:\n  A: { type: string }\n"],
      ["variables:\n", "variables:\n  B: { type: string }\n"],
    );
    const said = compile({ protocol: text }).issues.map(({ message }) => message.replace(/^.*?: /, ""));
    assert.deepEqual(said, ['Nothing reads "A".', 'Nothing reads or writes "B".']);
  });

  test("every way of reading a variable counts as a use", () => {
    const sections =
      "  A: { type: string }\n  B: { type: integer }\n  C: { type: file }\n  D: { type: string }\n  E: { type: string }\n";
    const text = edited(
      ["variables:\n", `variables:\n${sections}`],
      ["model: demo/echo", "model: A"],
      ["maxSteps: 5", "maxSteps: B"],
      ["role: user, prompt: user,", "role: user, prompt: user, files: [C], uiContent: D,"],
      ["userId: USER_MESSAGE", "userId: E"],
    );
    assert.deepEqual(unusedIn({ protocol: text }), []);
  });

  test("a worker is reached by a thread, a block or a summary", () => {
    const declared = "workers: { research: { description: x } }\nagent:\n";
    const run = "    Run: { block: run-worker, worker: research }\n";
    const cases = {
      thread: edited(["agent:\n", `${declared}  workers: [research]\n`]),
      block: edited(["agent:\n", declared]) + run,
      summary: edited(["agent:\n", `${declared}  contextManagement: { summarizerWorker: research }\n`]),
    };
    for (const [what, text] of Object.entries(cases))
      assert.deepEqual(unusedIn({ protocol: text }), [], what);
  });

  describe("names whose use has another error", () => {
    const cases: Record<string, string> = {
      "a key that does not exist": edited(["system: system", "sistem: system"]),
      "a kind of block that does not exist": edited(["block: add-message", "block: say"]),
      "a typo in the name": edited(["prompt: user,", "prompt: usr,"]),
      "a duplicate key": edited(["  system: system\n", "  system: system\n  system: parts/pro\n"]),
      "a list where a map belongs": edited([
        "handlers:\n",
        "handlers: { user-message: [system, user, COMPANY, PLAN, USER_MESSAGE, SUMMARY] }\nhandlers:\n",
      ]),
      "a protocol without blocks": protocol.slice(0, protocol.indexOf("handlers:")),
      "a trigger without a handler": edited([
        "triggers:\n",
        "triggers:\n  other: { input: { X: { type: string } } }\n",
      ]),
      "a handler without a trigger": edited([
        "  user-message:\n    input: {",
        "  user-mesage:\n    input: {",
      ]),
    };
    for (const [what, text] of Object.entries(cases)) {
      test(`a name is not reported as unused if its use has another error: ${what}`, () => {
        assert.equal(compile({ protocol: text }).ok, false);
        assert.deepEqual(unusedIn({ protocol: text }), []);
      });
    }

    test("a prompt is not reported as unused if the prompt that includes it has an error", () => {
      const broken = prompts.map(({ name, content }) => ({
        name,
        content: `${content}{{/if}}`,
      }));
      assert.equal(compile({ prompts: broken }).ok, false);
      assert.deepEqual(unusedIn({ prompts: broken }), []);
    });

    test("a prompt is not reported as unused if an include misspells its name", () => {
      const slip = prompts.map(({ name, content }) => ({
        name,
        content: content.replace("parts/pro", "parts/pra"),
      }));
      assert.equal(compile({ prompts: slip }).ok, false);
      assert.deepEqual(unusedIn({ prompts: slip }), []);
    });
  });
});
