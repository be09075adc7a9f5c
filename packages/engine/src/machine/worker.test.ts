import assert from "node:assert/strict";
import { PromptTooLargeError } from "@muster/language";
import { describe, test } from "vitest";
import { checkStream, checkWorkerStreams } from "../../test/support/check-stream.ts";
import {
  abort,
  answer,
  call,
  failed,
  openText,
  parts,
  results,
  start,
  text,
} from "../../test/support/model-parts.ts";
import { countingEnvironment, emptyConversation, eventsOf, lines, play } from "../../test/support/play.ts";
import { ask, open, promptOf, put, say, use, workerOf } from "../../test/support/programs.ts";
import type { Effect } from "../boundary/machine.ts";
import { beginTurn, continueTurn } from "./begin-turn.ts";

const research = { thread: "research" };
const steps = [
  open("research", { tools: ["find"] }),
  say("", { ...research, prompt: promptOf("Look into ", "TEXT") }),
  ask({ ...research, output: "FOUND" }),
];
const program = workerOf({ steps, output: "FOUND", tools: { find: "stream" } });

describe("a worker", () => {
  test("a worker runs its steps and returns its output; every event inside carries its id", () => {
    const played = play(program, [start, ...answer(text("Gold."))]);
    assert.deepEqual(lines(played.events), [
      "start msg_2",
      'worker-start run_1 helper {"TEXT":"Hello"}',
      "block-start Open hidden research run_1",
      "block-end research run_1",
      "block-start Add hidden research run_1",
      "block-end research run_1",
      "block-start Answer stream false research run_1",
      "text-start txt_1 research run_1",
      "text-delta txt_1 Gold. research run_1",
      "text-end txt_1 research run_1",
      "block-end research run_1",
      "worker-result run_1 Gold.",
      "finish stop",
    ]);
    assert.equal(played.outcome, "finished");
    assert.equal(played.machine.frame.workerId, "run_1");
  });

  test("events of a worker's unnamed main thread carry its id too", () => {
    const main = workerOf({ steps: [open("main"), ask()] });
    const { events } = play(main, [start, ...answer(text("Hi"))]);
    const delta = events.find(({ type }) => type === "text-delta");
    assert.deepEqual(delta, { type: "text-delta", id: "txt_1", delta: "Hi", workerId: "run_1" });
    assert.ok(lines(events).includes("block-start Answer stream false run_1"));
  });

  test("a worker returns null if its output was never written, and nothing if it declares none", () => {
    for (const [output, fields] of [
      [{ output: "FOUND" }, { output: null }],
      [{}, {}],
    ] as const) {
      const { events } = play(workerOf({ steps: [put("R", "TEXT")], ...output }), [start]);
      assert.deepEqual(events.at(-2), { type: "worker-result", workerId: "run_1", ...fields });
    }
  });

  test("a worker pauses for the caller's tools and continues in another process under the same id", () => {
    const paused = play(program, [start, ...answer(call("c1", "find"))]);
    assert.equal(paused.outcome, "paused");
    assert.deepEqual(paused.machine.frame.pendingToolCalls, [
      {
        toolCallId: "c1",
        toolName: "find",
        args: {},
        source: "llm",
        thread: "research",
        workerId: "run_1",
      },
    ]);
    const { conversation, frame } = paused.machine;
    const stored = JSON.parse(JSON.stringify({ conversation, frame }));
    const machine = continueTurn(
      { program, sessionInput: { TEXT: "Hello" }, ...stored },
      countingEnvironment(50),
    );
    const inputs = [results({ c1: 7 }), ...answer(text("Seven."))];
    const continued = inputs.flatMap((input) => machine.advance(input)).flatMap(eventsOf);
    assert.deepEqual(lines(continued), [
      "start msg_2",
      "tool-output-available c1 7 research run_1",
      "block-start Answer stream false research run_1",
      "step-start 2 research run_1",
      "text-start txt_1 research run_1",
      "text-delta txt_1 Seven. research run_1",
      "text-end txt_1 research run_1",
      "block-end research run_1",
      "worker-result run_1 Seven.",
      "finish stop",
    ]);
    checkWorkerStreams([paused.events, continued]);
  });

  test("a worker that fails reports the error as its result, then in the stream", () => {
    const played = play(program, [start, failed()]);
    checkStream(played.events);
    assert.deepEqual(lines(played.events).slice(-2), [
      "worker-result run_1 The provider is overloaded.",
      "error provider_overloaded The provider is overloaded. UNAVAILABLE",
    ]);
  });

  test("a worker cannot use a thread that it has not started, not even main", () => {
    const played = play(workerOf({ steps: [ask()] }), [start]);
    assert.deepEqual([played.outcome, played.calls.length], ["failed", 0]);
    assert.match(lines(played.events).at(-1) ?? "", /the thread "main" has not been started/);
  });

  test("a worker can be aborted anywhere: its result reports the abort, and nothing stays open", () => {
    const whole = [
      start,
      ...parts(openText("Half"), call("c1", "find")),
      ...answer(),
      results({ c1: 1 }),
      ...parts(openText("Sev")),
    ];
    for (let length = 1; length <= whole.length; length += 1) {
      const played = play(program, whole.slice(0, length));
      const wasPaused = played.machine.frame.phase === "waiting";
      const events = played.machine.advance(abort).flatMap(eventsOf);
      const expected = ["worker-result run_1 The worker was stopped before it finished.", "finish other"];
      assert.deepEqual(lines(events).slice(-2), wasPaused ? [] : expected);
    }
  });

  test("the caller's tools are offered on every thread of a worker", () => {
    const dynamicTools = [{ name: "beep", description: "Beeps", inputSchema: {} }];
    const { calls } = play(program, [start], { dynamicTools });
    assert.deepEqual(
      calls[0]?.options.tools?.map(({ name }) => name),
      ["find", "beep"],
    );
  });

  test("a worker runs tool-call blocks like a handler", () => {
    const tooled = workerOf({
      steps: [use("find", { output: "OUT" })],
      output: "OUT",
      tools: { find: "name" },
    });
    const played = play(tooled, [start, results({ call_4: "gold" })]);
    assert.deepEqual(played.events.at(-2), { type: "worker-result", workerId: "run_1", output: "gold" });
  });

  test("a worker whose input makes a prompt too large is refused before its first event", () => {
    const large = "x".repeat(1024 * 1024);
    const twelve = {
      ...promptOf("", "TEXT"),
      template: Array(12).fill(promptOf("", "TEXT").template).flat(),
    };
    const greedy = workerOf({ steps: [say("", { prompt: twelve })] });
    assert.throws(() => play(greedy, [start], { sessionInput: { TEXT: large } }), PromptTooLargeError);
  });

  test("a worker cannot start without its slug", () => {
    const turn = { program, conversation: emptyConversation(), executionId: "exe_1", sessionInput: {} };
    assert.throws(
      () =>
        beginTurn({ ...turn, triggerName: "", triggerInput: {}, dynamicTools: [] }, countingEnvironment()),
      /A worker turn must have a slug/,
    );
  });
});

describe("usage", () => {
  test("usage of all steps is counted by model, retracted steps included", () => {
    const backed = workerOf({
      steps: [open("main", { tools: ["find"], backupModel: { id: "demo/backup" } }), ask()],
      tools: { find: "name" },
    });
    const counted = (input: number, output: number, more: object = {}) =>
      parts([
        {
          type: "finish",
          finishReason: { unified: "stop", raw: "stop" },
          usage: {
            inputTokens: {
              total: input,
              noCache: input,
              cacheRead: undefined,
              cacheWrite: undefined,
              ...more,
            },
            outputTokens: { total: output, text: output, reasoning: undefined },
          },
        },
      ]);
    const played = play(backed, [
      start,
      ...parts(call("c1", "find")),
      ...counted(10, 2, { cacheRead: 4 }),
      { type: "model-done" },
      results({ c1: 1 }),
      ...counted(20, 3),
      failed(),
      ...counted(30, 5),
      { type: "model-done" },
    ]);
    assert.equal(played.outcome, "finished");
    assert.deepEqual(played.machine.frame.usage, {
      "demo/main": { inputTokens: 30, outputTokens: 5, cacheReadTokens: 4 },
      "demo/backup": { inputTokens: 30, outputTokens: 5 },
    });
  });

  test("usage that no provider reports is not counted", () => {
    const silent: Effect[] = play(workerOf({ steps: [open("main"), ask()] }), [start]).effects;
    assert.equal(silent.at(-1)?.type, "call-model");
    const unknown = { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined };
    const usage = {
      inputTokens: unknown,
      outputTokens: { total: Number.NaN, text: 0, reasoning: undefined },
    };
    const { machine } = play(workerOf({ steps: [open("main"), ask()] }), [
      start,
      ...parts([{ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage }]),
    ]);
    assert.deepEqual(machine.frame.usage, { "demo/main": { inputTokens: 0, outputTokens: 0 } });
  });
});
