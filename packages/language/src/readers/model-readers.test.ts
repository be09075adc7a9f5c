import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { compile, edited } from "../../test/support/support-chat.ts";

const ids = [
  "anthropic/claude-sonnet-4-5",
  "anthropic/claude-opus-4-1",
  "openai/gpt-5",
  "google/gpt-5",
  "demo/echo",
];
const options = { knowsModel: (id: string) => ids.includes(id) || id.startsWith("demo/"), modelIds: ids };

/** The diagnostics about models if this is the agent's model. */
function saidOf(model: string, declared = ""): string[] {
  const protocol = edited(["model: demo/echo", `model: ${model}`], ["input:\n", `input:\n${declared}`]);
  return compile({ protocol }, options).issues.map(({ code, path, suggestions = [] }) =>
    [code, path, ...suggestions].join(" "),
  );
}

describe("models", () => {
  const cases: Record<string, string[]> = {
    "anthropic/claude-sonnet-4-5": [],
    "anthropic/claude-snonet-4-5": ["UNKNOWN_MODEL agent.model anthropic/claude-sonnet-4-5"],
    "openai/claude-sonnet-4-5": ["UNKNOWN_MODEL agent.model"],
    "gpt-5": ["INVALID_MODEL agent.model openai/gpt-5 google/gpt-5"],
    "gpt-6": ["INVALID_MODEL agent.model"],
    "opanai/gpt-5": ["INVALID_MODEL agent.model openai"],
    "openrouter/openai/gpt-5": ["INVALID_MODEL agent.model aggregator"],
    "x-ai/gpt-5": ["UNKNOWN_MODEL agent.model"],
    "ollama/llama3": ["INVALID_MODEL agent.model local"],
  };
  for (const [model, expected] of Object.entries(cases)) {
    test(`the model ${model} causes ${expected.join(", ") || "no diagnostics"}`, () =>
      assert.deepEqual(saidOf(model), expected));
  }

  test("a variable's possible models are checked in its declaration", () => {
    assert.deepEqual(saidOf("MODEL", "  MODEL: { type: string, default: openai/gpt-5 }\n"), []);
    assert.deepEqual(saidOf("MODEL", "  MODEL: { type: string, default: gpt-5 }\n"), [
      "INVALID_MODEL input.MODEL.default openai/gpt-5 google/gpt-5",
    ]);
    assert.deepEqual(
      saidOf("MODEL", "  MODEL: { type: string, enum: [openai/gpt-5, openai/gpt-55, big] }\n"),
      ["UNKNOWN_MODEL input.MODEL.enum.1 openai/gpt-5", "INVALID_MODEL input.MODEL.enum.2"],
    );
    assert.deepEqual(saidOf("MODEL", "  MODEL: { type: string, default: 5 }\n"), [
      "WRONG_TYPE input.MODEL.default",
    ]);
  });

  test("a model in a declaration is checked once, and the message says where it is used", () => {
    const side = "    Open: { block: start-thread, thread: side, model: MODEL }\n";
    const protocol = `${edited(["model: demo/echo", "model: MODEL"], ["input:\n", "input:\n  MODEL: { type: string, default: big }\n"])}${side}`;
    assert.deepEqual(
      compile({ protocol }).issues.map(({ message }) => message.replace(/^.*?: /, "")),
      ['"big" is not a model id; write provider/model-id. The variable is used as agent.model.'],
    );
  });
});

test("a variable's possible values for other settings are checked in its declaration", () => {
  const declared = `  STEPS: { type: integer, default: 0 }
  HEAT: { type: number, enum: [1, 3] }
  COOL: { type: string, default: cold }
  THOUGHT: { type: string, enum: [low, hard] }
`;
  const protocol = edited(
    ["input:\n", `input:\n${declared}`],
    ["maxSteps: 5", "maxSteps: STEPS\n  thinking: THOUGHT"],
    ["temperature: off", "temperature: HEAT"],
  );
  const side = "    Open: { block: start-thread, thread: side, model: demo/echo, temperature: COOL }\n";
  const { issues } = compile({ protocol: protocol + side });
  assert.deepEqual(
    issues.map(({ code, path }) => `${code} ${path}`),
    [
      "WRONG_TYPE input.STEPS.default",
      "WRONG_TYPE input.HEAT.enum.1",
      "WRONG_TYPE input.THOUGHT.enum.1",
      "WRONG_TYPE input.COOL.default",
    ],
  );
});
