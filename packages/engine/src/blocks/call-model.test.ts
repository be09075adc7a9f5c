import assert from "node:assert/strict";
import { test } from "vitest";
import {
  answer,
  call,
  failed,
  openText,
  parts,
  results,
  start,
  text,
} from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, promptOf, say } from "../../test/support/programs.ts";

const hello = [say("Hello"), ask()];

test("settings from variables are read at the start of the step", () => {
  const program = programOf({
    blocks: [say("Hello"), ask()],
    agent: {
      model: { variable: "MODEL" },
      temperature: { variable: "HEAT" },
      thinking: { variable: "DEPTH" },
      speed: { variable: "PACE" },
      maxOutputTokens: 99,
      cache: "auto",
      system: promptOf("Be kind to ", "NAME"),
    },
  });
  const sessionInput = { MODEL: "demo/other", HEAT: 0.5, DEPTH: "high", PACE: "fast", NAME: "Ada" };
  const [called] = play(program, [start], { sessionInput }).calls;
  assert.deepEqual(called, {
    modelId: "demo/other",
    options: {
      prompt: [
        { role: "system", content: "Be kind to Ada" },
        { role: "user", content: [{ type: "text", text: "Hello" }] },
      ],
      temperature: 0.5,
      maxOutputTokens: 99,
    },
    thinking: "high",
    speed: "fast",
    cache: "auto",
  });
});

test.for([
  ["model", { MODEL: 5 }, "The model (variable MODEL) must be the id of a model, such as demo/echo."],
  [
    "backupModel",
    { BACKUP: "" },
    "The backupModel (variable BACKUP) must be the id of a model, such as demo/echo.",
  ],
  ["maxSteps", { STEPS: 0 }, "The maxSteps (variable STEPS) must be a whole number from 1."],
  ["temperature", { HEAT: 3 }, "The temperature (variable HEAT) must be a number from 0 to 2, or off."],
  [
    "thinking",
    { DEPTH: "deep" },
    "The thinking (variable DEPTH) must be one of off, low, medium, high, xhigh, max, auto.",
  ],
  ["speed", { PACE: "slow" }, "The speed (variable PACE) must be fast or standard."],
] as const)(
  "a variable with a %s that cannot be used ends the turn with what it must be",
  ([, wrong, message]) => {
    const program = programOf({
      blocks: hello,
      agent: {
        model: { variable: "MODEL" },
        backupModel: { variable: "BACKUP" },
        maxSteps: { variable: "STEPS" },
        temperature: { variable: "HEAT" },
        thinking: { variable: "DEPTH" },
        speed: { variable: "PACE" },
      },
    });
    const { events, calls } = play(program, [start], { sessionInput: { MODEL: "demo/echo", ...wrong } });
    assert.deepEqual(calls, []);
    const last = events.at(-1);
    assert.ok(last?.type === "error" && last.errorType === "protocol_error");
    assert.equal(last.message, message);
  },
);

test("models of x-ai in variables are called as models of xai, also as a backup", () => {
  const program = programOf({
    blocks: hello,
    agent: { model: { variable: "MODEL" }, backupModel: { variable: "BACKUP" } },
  });
  const sessionInput = { MODEL: "x-ai/grok-4", BACKUP: "x-ai/grok-3" };
  const { calls } = play(program, [start, failed()], { sessionInput });
  assert.deepEqual(
    calls.map(({ modelId }) => modelId),
    ["xai/grok-4", "xai/grok-3"],
  );
});

test("the caller's tools are offered together with the agent's, also after a pause", () => {
  const dynamicTools = [{ name: "beep", description: "Beeps", inputSchema: { type: "object" } }];
  const program = programOf({ blocks: hello, tools: { find: "name" } });
  const { calls } = play(program, [start, ...answer(call("c1", "beep")), results({ c1: null })], {
    dynamicTools,
  });
  const offered = calls.map(({ options }) => options.tools?.map(({ name }) => name));
  assert.deepEqual(offered, [
    ["find", "beep"],
    ["find", "beep"],
  ]);
});

test("a declared tool wins over a caller's tool with the same name", () => {
  const dynamicTools = [{ name: "find", description: "Another", inputSchema: { type: "object" } }];
  const program = programOf({ blocks: hello, tools: { find: "name" } });
  const [called] = play(program, [start], { dynamicTools }).calls;
  assert.deepEqual(
    called?.options.tools?.map((tool) => tool.type === "function" && tool.description),
    ["About find"],
  );
});

test("trigger input hides the session's values; unwritten variables have their default", () => {
  const blocks = [
    say("", { prompt: promptOf("", "TEXT") }),
    say("", { prompt: promptOf("", "SIZE") }),
    ask(),
  ];
  const [called] = play(programOf({ blocks, defaults: { SIZE: "large" } }), [start], {
    sessionInput: { TEXT: "session" },
    triggerInput: { TEXT: "trigger" },
  }).calls;
  assert.deepEqual(called?.options.prompt, [
    {
      role: "user",
      content: [
        { type: "text", text: "trigger" },
        { type: "text", text: "large" },
      ],
    },
  ]);
});

test("the backup model gets the same call", () => {
  const program = programOf({ blocks: hello, agent: { backupModel: { id: "demo/backup" } } });
  const { calls } = play(program, [start, ...parts(openText("Half")), failed()]);
  assert.deepEqual(
    calls.map(({ modelId }) => modelId),
    ["demo/main", "demo/backup"],
  );
  assert.deepEqual(calls[1]?.options, calls[0]?.options);
});

test("an independent turn sees the chat, and the chat never sees it", () => {
  const blocks = [say("Hello"), ask({ independent: true }), ask()];
  const { calls } = play(programOf({ blocks }), [start, ...answer(text("aside")), ...answer(text("Hi"))]);
  assert.deepEqual(calls[0]?.options.prompt, calls[1]?.options.prompt);
});
