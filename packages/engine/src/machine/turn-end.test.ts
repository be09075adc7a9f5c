import assert from "node:assert/strict";
import type { UiMessage } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import { PromptTooLargeError } from "@muster/language";
import { describe, test } from "vitest";
import { checkStream } from "../../test/support/check-stream.ts";
import {
  abort,
  answer,
  call,
  failed,
  finish,
  modelDone,
  openText,
  parts,
  results,
  start,
  text,
} from "../../test/support/model-parts.ts";
import { countingEnvironment, play } from "../../test/support/play.ts";
import { ask, open, programOf, promptOf, say, use, workerOf } from "../../test/support/programs.ts";
import type { Effect } from "../boundary/machine.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const hello = [say("Hello"), ask()];

describe("the end of a turn", () => {
  for (const [unified, reason] of [
    ["stop", "stop"],
    ["length", "length"],
    ["content-filter", "content-filter"],
    ["error", "error"],
    ["interrupted", "other"],
    ["other", "other"],
    ["tool-calls", "other"],
  ] as const) {
    test(`a turn whose model ends with ${unified} finishes with ${reason}`, () => {
      const played = play(programOf({ blocks: hello }), [
        start,
        ...parts(text("Hi"), [finish(unified)]),
        modelDone,
      ]);
      assert.deepEqual(lastEvent(played), { type: "finish", finishReason: reason, executionId: "exe_1" });
    });
  }

  test("maxSteps ends the loop after the results of its last step", () => {
    const program = programOf({ blocks: hello, tools: { find: "name" }, agent: { maxSteps: 2 } });
    const again = (id: string) => [...answer(call(id, "find")), results({ [id]: 1 })];
    const played = play(program, [start, ...again("c1"), ...again("c2")]);
    assert.equal(played.calls.length, 2);
    assert.deepEqual(lastEvent(played), { type: "finish", finishReason: "other", executionId: "exe_1" });
  });

  test("a turn whose last block is a tool call finishes with the result instead of pausing again", () => {
    const played = play(programOf({ blocks: [use("find")], tools: { find: "name" } }), [
      start,
      results({ call_3: 1 }),
    ]);
    assert.equal(played.outcome, "finished");
    assert.deepEqual(lastEvent(played), { type: "finish", finishReason: "stop", executionId: "exe_1" });
  });

  test("a paused turn can be aborted: its calls are cancelled and no event is emitted", () => {
    const { machine } = play(programOf({ blocks: hello, tools: { find: "name" } }), [
      start,
      ...answer(call("c1", "find")),
    ]);
    assert.deepEqual(machine.frame.pendingToolCalls, [
      { toolCallId: "c1", toolName: "find", args: {}, source: "llm" },
    ]);
    assert.deepEqual(machine.advance(abort), [
      { type: "end", outcome: "aborted", messageId: "msg_1", events: [] },
    ]);
    assert.deepEqual(machine.frame.pendingToolCalls, []);
  });

  test("a turn that is aborted while a worker runs cancels the calls beside it, in the stream as in the session", () => {
    const agent = { tools: ["find"], workers: ["helper"] };
    const declared = { tools: { find: "name" }, workers: { helper: "name" } } as const;
    const program = programOf({ ...declared, blocks: [ask()], agent });
    const helper = workerOf({ steps: [open("main"), ask()] });
    const workers = new Map([["helper", { agentId: "agt_1", agentVersion: 1, program: helper }]]);
    const calls = answer(call("c1", "helper", { TEXT: "Hi" }), call("c2", "find"));
    const { events, machine } = play(program, [start, ...calls, abort], { workers });
    const fold = new EventFold();
    for (const event of events) fold.take(event);
    const statuses = (messages: readonly UiMessage[]) =>
      messages.flatMap(({ parts }) => parts.map((part) => "status" in part && part.status));
    assert.deepEqual(statuses(toUiMessages(machine.conversation, { view: "ui" })), [
      "cancelled",
      "cancelled",
    ]);
    assert.deepEqual(statuses(fold.messages("stored")), ["cancelled", "cancelled"]);
  });

  test("a turn that has ended ignores the rest of its model call; any other unexpected input is an error", () => {
    const { machine } = play(programOf({ blocks: hello }), [start, abort]);
    assert.deepEqual(machine.advance(modelDone), []);
    assert.deepEqual(machine.advance(abort), []);
    assert.throws(() => machine.advance(start), /A turn in the phase over does not accept start/);
  });

  test("an unusable model variable ends the turn with a protocol error", () => {
    const program = programOf({ blocks: hello, agent: { model: { variable: "MODEL" } } });
    const played = play(program, [start]);
    assert.equal(played.outcome, "failed");
    assert.deepEqual(lastEvent(played), {
      type: "error",
      errorType: "protocol_error",
      message: "The agent's model variable has no value.",
      source: "platform",
      retryable: false,
    });
  });
});

describe("a prompt that becomes too large", () => {
  const twelve = {
    ...promptOf("", "ANSWER"),
    template: Array(12).fill(promptOf("", "ANSWER").template).flat(),
  };
  const large = "x".repeat(1024 * 1024);

  test("a prompt that becomes too large ends the turn with an error and keeps earlier output", () => {
    const blocks = [say("Hello"), ask({ output: "ANSWER" }), say("", { prompt: twelve }), ask()];
    const played = play(programOf({ blocks }), [start, ...answer(text(large))]);
    checkStream(played.events);
    const { type, ...error } = lastEvent(played) ?? {};
    assert.deepEqual([type, "code" in error && error.code], ["error", "PAYLOAD_TOO_LARGE"]);
    assert.equal(played.outcome, "failed");
    assert.deepEqual(
      toUiMessages(played.machine.conversation).map(({ role, status }) => [role, status]),
      [
        ["user", "done"],
        ["assistant", "done"],
      ],
    );
  });

  test("a prompt that is too large from the start throws, so that the trigger can be refused", () => {
    const program = programOf({ blocks: [say("", { prompt: twelve }), ask()], defaults: { ANSWER: large } });
    assert.throws(() => play(program, [start]), PromptTooLargeError);
  });
});

describe("a turn that was interrupted", () => {
  test("an interrupted turn keeps no provider metadata with a text that was never completed", () => {
    const begun = { type: "text-start", id: "0", providerMetadata: { maker: { itemId: "i" } } } as const;
    const program = programOf({ blocks: hello });
    const { machine } = play(program, [start, ...parts([begun], openText("Half").slice(1)), abort]);
    assert.deepEqual(machine.conversation.messages[1]?.parts, [
      { type: "text", text: "Half", status: "done" },
    ]);
  });

  test("an interrupted turn does not request calls whose arguments never arrived", () => {
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const unfinished = call("c1", "find").slice(0, 2);
    const { machine, outcome } = play(program, [start, ...answer(unfinished, text("Hm"))]);
    assert.equal(outcome, "finished");
    assert.deepEqual(
      machine.conversation.messages[1]?.parts.map((part) => "status" in part && part.status),
      ["cancelled", "done"],
    );
  });

  test("a turn does not request a call that the model started again under the same id", () => {
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const begunTwice = [...call("c1", "find").slice(0, 2), ...call("c1", "find", { n: 1 })];
    const { machine } = play(program, [start, ...answer(begunTwice)]);
    assert.deepEqual(
      machine.frame.pendingToolCalls.map(({ args }) => args),
      [{ n: 1 }],
    );
    assert.deepEqual(
      machine.conversation.messages[1]?.parts.map((part) => "status" in part && part.status),
      ["cancelled", "running"],
    );
  });

  test("an interrupted turn is closed by the next one, which writes its own message", () => {
    const environment = countingEnvironment();
    const program = programOf({ blocks: [ask()], tools: { find: "name" } });
    const paused = play(program, [start, ...answer(call("c1", "find"))], { environment });
    const { conversation } = paused.machine;
    play(program, [start, ...answer(text("Hi"))], { conversation, environment });
    assert.deepEqual(
      toUiMessages(conversation).map(({ parts, status }) => [status, ...parts.map(({ type }) => type)]),
      [
        ["done", "tool-call"],
        ["done", "text"],
      ],
    );
  });
});

describe("saving", () => {
  test("a turn is saved before each model call except the first, and never between a call and its retry", () => {
    const program = programOf({
      blocks: hello,
      tools: { find: "name" },
      agent: { backupModel: { id: "demo/backup" } },
    });
    const { effects } = play(program, [
      start,
      failed(),
      ...answer(call("c1", "nothing")),
      failed(),
      ...answer(call("c2", "find")),
      results({ c2: 1 }),
    ]);
    assert.deepEqual(kindsOf(effects), [
      "call-model",
      "call-model",
      "save",
      "call-model",
      "call-model",
      "end",
      "save",
      "call-model",
    ]);
  });

  test("the result of a tool-call block is saved before the model is called", () => {
    const program = programOf({ blocks: [use("find"), ask()], tools: { find: "name" } });
    const { effects } = play(program, [start, results({ call_3: 1 })]);
    assert.deepEqual(kindsOf(effects), ["end", "save", "call-model"]);
  });
});

function lastEvent(played: ReturnType<typeof play>) {
  return played.events.at(-1);
}

function kindsOf(effects: readonly Effect[]): string[] {
  return effects.map(({ type }) => type).filter((type) => type !== "emit");
}
