import assert from "node:assert/strict";
import { test } from "vitest";
import { compile, programOf, prompts, protocol, replaced, settings } from "../test/support/support-chat.ts";

const edited = (piece: string, by: string) => programOf({ protocol: replaced(protocol, piece, by) });

test("compileDefinition fills in the agent's defaults", () => {
  const { agent } = edited("  agentic: true\n  maxSteps: 5\n  temperature: off\n", "");
  assert.deepEqual(agent.model, { id: "demo/echo" });
  assert.equal(agent.agentic, false);
  assert.equal(agent.maxSteps, 10);
  assert.ok(!("temperature" in agent) && !("thinking" in agent) && !("maxOutputTokens" in agent));
});

test("maxSteps above 1 turns agentic on, unless agentic is false", () => {
  const agenticOf = (keys: string) => edited("  agentic: true\n  maxSteps: 5\n", keys).agent.agentic;
  assert.equal(agenticOf("  maxSteps: 5\n"), true);
  assert.equal(agenticOf("  maxSteps: 1\n"), false);
  assert.equal(agenticOf("  agentic: false\n  maxSteps: 5\n"), false);
  assert.equal(agenticOf(""), false);
});

test("model, backupModel, temperature, thinking and maxSteps may name a variable", () => {
  const names = "model: MODEL\n  thinking: SUMMARY\n  maxSteps: STEPS";
  const declared = `  MODEL: { type: string, default: demo/echo }
  BACKUP: { type: string, enum: [demo/echo, local/a] }
  WARMTH: { type: unknown, default: off }
  STEPS: { type: integer, optional: true, default: 3 }
`;
  const { agent } = programOf({
    protocol: protocol
      .replace("model: demo/echo", names)
      .replace("backupModel: demo/other", "backupModel: BACKUP")
      .replace("  maxSteps: 5\n", "")
      .replace("input:\n", `input:\n${declared}`)
      .replace("temperature: off", "temperature: WARMTH"),
  });
  assert.deepEqual(
    [agent.model, agent.thinking, agent.maxSteps, agent.backupModel, agent.temperature],
    ["MODEL", "SUMMARY", "STEPS", "BACKUP", "WARMTH"].map((variable) => ({ variable })),
  );
});

for (const [form, written] of Object.entries({
  "a list of names": "[COMPANY, PLAN]",
  "a list with labels": "[COMPANY: COMPANY, PLAN: PLAN]",
  "a map": "{ COMPANY: COMPANY, PLAN: PLAN }",
})) {
  test(`input may be written as ${form}`, () => {
    const { agent } = edited("[COMPANY, { LEVEL: PLAN }]", written);
    assert.deepEqual(agent.system?.input, [
      { name: "COMPANY", source: "COMPANY" },
      { name: "PLAN", source: "PLAN" },
    ]);
  });
}

test("types become JSON Schema without references", () => {
  const { variables, tools } = programOf();
  const order = {
    type: "object",
    properties: { id: { type: "string" } },
    required: ["id"],
    additionalProperties: false,
  };
  assert.deepEqual(variables.TICKET?.schema, {
    type: "object",
    properties: {
      title: { type: "string", description: "What it is about" },
      labels: { type: "array", items: { type: "string" } },
      orders: { type: "array", items: order },
    },
    required: ["title", "labels"],
    additionalProperties: false,
  });
  assert.deepEqual(tools["get-account"]?.inputSchema, {
    type: "object",
    properties: { userId: { type: "string" }, deep: { type: "boolean" } },
    required: ["userId"],
    additionalProperties: false,
  });
});

test("a union consists of object types that differ by a const", () => {
  const types = `types:
  Cat: { kind: { type: string, const: cat } }
  Dog: { kind: { type: string, const: dog }, name: { type: string } }
  Pet: { anyOf: [Cat, Dog], discriminator: kind }
  Pets: { type: array, items: { type: Pet } }
`;
  const program = programOf({
    protocol: protocol
      .replace("types:\n", types)
      .replace("SUMMARY: { type: string }", "SUMMARY: { type: Pets }"),
  });
  const schema = program.variables.SUMMARY?.schema;
  assert.ok(schema && JSON.stringify(schema).includes('"anyOf"'));
});

test("blocks keep their order, receive ids and default to the display of their kind", () => {
  const program = programOf({
    protocol: `${protocol}    Note: { block: add-message, role: user, prompt: user, visible: false, uiContent: SUMMARY, display: name }\n`,
  });
  const blocks = program.handlers["user-message"] ?? [];
  assert.deepEqual(
    blocks.map(({ id, kind, display, thread }) => [id, kind, display, thread]),
    [
      ["user-message/0", "add-message", "hidden", "main"],
      ["user-message/1", "tool-call", "description", "main"],
      ["user-message/2", "next-message", "stream", "main"],
      ["user-message/3", "add-message", "name", "main"],
    ],
  );
  const [, call, answer, note] = blocks;
  assert.ok(call?.kind === "tool-call" && answer?.kind === "next-message" && note?.kind === "add-message");
  assert.deepEqual(call.input, [
    { name: "userId", source: "USER_MESSAGE" },
    { name: "deep", literal: true },
  ]);
  assert.equal(answer.responseType?.name, "Ticket");
  assert.equal(answer.output, "TICKET");
  assert.ok(!note.visible && note.uiContent === "SUMMARY");
});

test("text in capitals is a literal argument, unless it nearly matches a variable", () => {
  const call = edited("userId: USER_MESSAGE", "userId: EUR").handlers["user-message"]?.[1];
  assert.ok(call?.kind === "tool-call");
  assert.deepEqual(call.input[0], { name: "userId", literal: "EUR" });
  const slip = compile({ protocol: replaced(protocol, "userId: USER_MESSAGE", "userId: COMPANI") });
  assert.deepEqual(
    slip.issues.map(({ code }) => code),
    ["UNDECLARED_VARIABLE"],
  );
});

test("a trigger's input is readable only in its own handler", () => {
  const { issues } = compile({
    protocol: replaced(protocol, "input: [COMPANY,", "input: [COMPANY, USER_MESSAGE,"),
  });
  assert.deepEqual(
    issues.map(({ code, path }) => [code, path]),
    [["UNDECLARED_VARIABLE", "agent.input.1"]],
  );
});

test("output goes into variables, never into the input", () => {
  const { issues } = compile({ protocol: replaced(protocol, "output: TICKET", "output: COMPANY") });
  assert.deepEqual(
    issues.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ["UNDECLARED_VARIABLE"],
  );
});

test("a worker opens its threads itself and may return a variable", () => {
  const worker = `
variables: { RESULT: { type: string } }
steps:
  Open: { block: start-thread, thread: work, model: demo/echo, system: system }
  Ask: { block: add-message, thread: work, role: user, prompt: user }
  Answer: { block: next-message, thread: work, output: RESULT }
output: RESULT
`;
  const format = { ...settings, format: "worker" } as const;
  const result = compile({ settings: format, protocol: worker });
  assert.ok(result.ok && result.program.format === "worker");
  assert.deepEqual(
    result.program.steps.map(({ id, thread }) => [id, thread]),
    [
      ["steps/0", "work"],
      ["steps/1", "work"],
      ["steps/2", "work"],
    ],
  );
  const without = compile({ settings: format, protocol: "variables: {}" });
  assert.deepEqual(
    without.issues.map(({ code, path }) => [code, path]),
    [["MISSING_FIELD", "steps"]],
  );
});

test("an unused prompt is checked too", () => {
  const { issues } = compile({ prompts: [...prompts, { name: "draft", content: "{{#if A}}" }] });
  assert.deepEqual(
    issues.map(({ code, path }) => [code, path]),
    [
      ["UNBALANCED_CONDITION", "prompts.3.content"],
      ["UNUSED_PROMPT", "prompts.3"],
    ],
  );
});

for (const empty of ["", "# nothing", "null", "text", "[]", "42"]) {
  test(`the protocol ${JSON.stringify(empty)} is rejected because it is not a map of sections`, () => {
    const { issues } = compile({ protocol: empty });
    assert.deepEqual(
      issues.map(({ code, path }) => [code, path]),
      [["WRONG_TYPE", "protocol"]],
    );
  });
}
