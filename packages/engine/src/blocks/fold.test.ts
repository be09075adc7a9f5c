import assert from "node:assert/strict";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { describe, test } from "vitest";
import { checkPrompt } from "../../test/support/check-prompt.ts";
import {
  managedAgent,
  smallEnvironment,
  smallWindow,
  talkOf,
} from "../../test/support/long-conversations.ts";
import {
  abort,
  answer,
  call,
  failed,
  finish,
  openText,
  parts,
  results,
  start,
  text,
} from "../../test/support/model-parts.ts";
import { lines, play, readEffects } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import type { Input, ModelCall } from "../boundary/machine.ts";
import { rollback } from "../conversation/rollback.ts";
import { continueTurn } from "../machine/begin-turn.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const hello = [say("Hello"), ask()];
const program = programOf({ blocks: hello, agent: managedAgent() });
const tooLong = () =>
  failed({
    isTooLong: true,
    transient: false,
    retryable: false,
    message: "Too long.",
    errorType: "validation_error",
  });
const summary = answer(text("Ada wants three lanterns."));

function run(inputs: Input[], { turns = 12, tokens = 100, of = program } = {}) {
  return play(of, inputs, { environment: smallEnvironment(), conversation: talkOf(turns, tokens) });
}

function words(prompt: LanguageModelV4Prompt): string {
  return JSON.stringify(prompt);
}

function promptOf(made: ModelCall | undefined): LanguageModelV4Prompt {
  assert.ok(made !== undefined);
  checkPrompt(made.options.prompt);
  return made.options.prompt;
}

function messagesIn(call: ModelCall | undefined): number {
  return words(promptOf(call)).match(/(?:user|assistant) \d+:/g)?.length ?? 0;
}

describe("a conversation that has reached its share of the context window", () => {
  test("a summary of the older turns is written before the step, and replaces them from then on", () => {
    const { calls, events, machine } = run([start, ...summary, ...answer(text("Yes."))]);
    const [fold, step] = calls;
    assert.equal(fold?.summary, 1);
    assert.match(words(promptOf(fold)), /You keep the summary.*user 0:.*assistant 5:/s);
    assert.equal(step?.summary, undefined);
    assert.match(words(promptOf(step)), /Ada wants three lanterns\..*assistant 11:.*Hello/s);
    assert.doesNotMatch(words(promptOf(step)), /user 0:/);
    assert.doesNotMatch(lines(events).join("\n"), /lanterns/);
    const [compaction] = step?.compactions ?? [];
    assert.equal(compaction?.method, "summary");
    assert.ok((compaction?.tokensBefore ?? 0) > smallWindow / 2);
    assert.ok((compaction?.tokensAfter ?? smallWindow) < smallWindow / 2);
    const again = play(program, [start, ...answer(text("Fine."))], {
      environment: smallEnvironment(2_000),
      conversation: structuredClone(machine.conversation),
      executionId: "exe_2",
    });
    assert.equal(again.calls.length, 1);
    assert.match(words(promptOf(again.calls[0])), /Ada wants three lanterns.*Hello.*Yes\..*Hello/s);
  });

  test("users see the whole conversation and nothing of the summary", () => {
    const { machine } = run([start, ...summary, ...answer(text("Yes."))]);
    const shown = toUiMessages(machine.conversation, { view: "ui" });
    assert.equal(shown.length, 26);
    assert.doesNotMatch(JSON.stringify(shown), /lanterns/);
  });

  test("the turns in the recent share stay whole", () => {
    const { calls } = run([start, ...summary]);
    // A tenth of 2,000 tokens, and a turn has about a hundred.
    assert.equal(messagesIn(calls[1]) % 2, 0);
    assert.ok(messagesIn(calls[1]) >= 2);
  });

  test("a shorter conversation is sent unchanged", () => {
    const { calls } = run([start, ...answer(text("Yes."))], { turns: 8 });
    assert.equal(calls.length, 1);
    assert.equal(messagesIn(calls[0]), 16);
    assert.equal(calls[0]?.compactions, undefined);
  });

  test("the next summary extends the previous one", () => {
    const first = run([start, ...summary, ...answer(text("Yes."))]);
    const { conversation } = first.machine;
    conversation.messages.push(
      ...talkOf(12, 100).messages.map((message) => ({ ...message, id: `${message.id}_again` })),
    );
    const next = play(program, [start, ...answer(text("Ada has paid.")), ...answer(text("Done."))], {
      environment: smallEnvironment(2_000),
      conversation,
      executionId: "exe_2",
    });
    assert.match(words(promptOf(next.calls[0])), /Summary so far\\n\\nAda wants three lanterns\./);
    assert.doesNotMatch(words(promptOf(next.calls[0])), /user 0:.*user 0:/s);
    assert.match(words(promptOf(next.calls[1])), /Ada has paid\./);
    assert.doesNotMatch(words(promptOf(next.calls[1])), /three lanterns/);
    const through = conversation.messages.flatMap((message) => message.summary?.through ?? []);
    assert.deepEqual(
      through,
      through.toSorted((a, b) => a - b),
    );
    assert.equal(through.length, 2);
  });

  test("tokens of both calls are counted", () => {
    const { machine } = run([start, ...summary, ...answer(text("Yes."))]);
    assert.deepEqual(machine.frame.usage["demo/main"]?.inputTokens, 2);
  });

  test("an abort while the summary is written ends the turn and keeps the conversation", () => {
    const { outcome, events, machine } = run([start, ...parts(openText("Ada wa")), abort]);
    assert.equal(outcome, "aborted");
    assert.equal(lines(events).at(-1), "finish other");
    assert.ok(machine.conversation.messages.every((message) => message.summary === undefined));
    assert.equal(machine.conversation.messages.length, 25);
  });
});

describe("a summary that cannot be written", () => {
  for (const [what, inputs] of [
    ["the call fails", [failed({ transient: false })]],
    ["the model writes nothing", [...parts([finish()]), { type: "model-done" } as const]],
    ["the model writes blanks", answer(text(" \n "))],
  ] as const) {
    test(`if ${what}, the turn runs with the newest messages that fit, and a note`, () => {
      const { calls, outcome, machine } = run([start, ...inputs, ...answer(text("Yes."))]);
      assert.equal(outcome, "finished");
      assert.equal(calls.length, 2);
      assert.match(words(promptOf(calls[1])), /earlier messages are left out/);
      assert.match(words(promptOf(calls[1])), /assistant 11:.*Hello/s);
      const [compaction] = calls[1]?.compactions ?? [];
      assert.equal(compaction?.method, "trim");
      assert.ok((compaction?.tokensAfter ?? smallWindow) <= smallWindow / 2);
      assert.match(compaction?.problem ?? "", /\w/);
      assert.ok(machine.conversation.messages.every((message) => message.summary === undefined));
    });
  }

  test("later steps of the turn do not try again, and the next turn does", () => {
    const withTool = programOf({
      blocks: hello,
      tools: { find: "name" },
      agent: managedAgent({ tools: ["find"] }),
    });
    const inputs = [
      start,
      failed(),
      ...answer(call("c1", "find")),
      results({ c1: 1 }),
      ...answer(text("Yes.")),
    ];
    const { calls, outcome, machine } = run(inputs, { of: withTool });
    assert.equal(outcome, "finished");
    assert.deepEqual(
      calls.map((made) => made.summary),
      [1, undefined, undefined],
    );
    const { conversation } = machine;
    const again = { environment: smallEnvironment(2_000), conversation, executionId: "exe_2" };
    assert.equal(play(withTool, [start], again).calls[0]?.summary, 1);
  });

  test("a model that repeats itself is cut, and its text before counts", () => {
    const loop = parts([
      ...text("Ada wants lanterns. "),
      ...Array.from({ length: 80 }, () => text("again and ", "1")[1] ?? finish()),
    ]);
    const { calls } = run([start, ...loop]);
    assert.equal(calls.length, 2);
    assert.match(words(promptOf(calls[1])), /Ada wants lanterns/);
  });
});

describe("a provider that refuses the length of the prompt", () => {
  test("the step is repeated with a summary, and streamed text is retracted", () => {
    const inputs = [start, ...parts(openText("Hal")), tooLong(), ...summary, ...answer(text("Yes."))];
    const { calls, events, outcome } = run(inputs, { turns: 8 });
    assert.equal(outcome, "finished");
    assert.deepEqual(
      calls.map((made) => made.summary),
      [undefined, 2, undefined],
    );
    assert.deepEqual(
      lines(events).filter((line) => line.startsWith("step-discard")),
      ["step-discard 1"],
    );
    assert.equal(calls[2]?.compactions?.[0]?.cause, "refusal");
    assert.match(words(promptOf(calls[2])), /lanterns/);
  });

  test("the summary of a refused prompt is requested with less than the refused one", () => {
    const { calls } = run([start, tooLong()], { turns: 8 });
    assert.ok(words(promptOf(calls[1])).length < words(promptOf(calls[0])).length);
  });

  test("a second refusal is final", () => {
    const { calls, outcome, events } = run([start, tooLong(), ...summary, tooLong()], { turns: 8 });
    assert.equal(calls.length, 3);
    assert.equal(outcome, "failed");
    assert.equal(lines(events).at(-1), "error validation_error Too long. UPSTREAM");
  });

  test("the next turn stays below what was refused", () => {
    const { machine } = run([start, tooLong(), ...summary, ...answer(text("Yes."))], { turns: 8 });
    const size = machine.conversation.promptSizes?.main;
    assert.ok((size?.window ?? smallWindow) < smallWindow / 2);
  });

  test("a request with too many bytes is made smaller once, and later turns may be as long as before", () => {
    const provider = { name: "demo", model: "main", statusCode: 413 };
    const tooManyBytes = failed({ isTooLong: true, transient: false, retryable: false, provider });
    const { machine, calls } = run([start, tooManyBytes, ...summary, ...answer(text("Yes."))], { turns: 8 });
    assert.equal(calls.length, 3);
    assert.equal(machine.conversation.promptSizes?.main?.window, undefined);
  });

  test("if nothing can be summarised, the retry leaves out the oldest messages", () => {
    const big = programOf({ blocks: [say("word ".repeat(400)), ask()], agent: managedAgent() });
    const { calls, outcome } = run([start, tooLong(), ...answer(text("Yes."))], { turns: 0, of: big });
    assert.equal(outcome, "finished");
    assert.equal(calls.length, 2);
  });

  test("without context management the error reaches the user at once", () => {
    const plain = programOf({ blocks: hello });
    const { calls, outcome, events } = run([start, tooLong()], { of: plain });
    assert.equal(calls.length, 1);
    assert.equal(outcome, "failed");
    assert.equal(lines(events).at(-1), "error validation_error Too long. UPSTREAM");
  });
});

describe("rolling a summarised conversation back", () => {
  const summarised = () => run([start, ...summary, ...answer(text("Yes."))]).machine.conversation;
  const ask2 = (conversation: ReturnType<typeof summarised>) =>
    play(program, [start], { environment: smallEnvironment(3_000), conversation, executionId: "exe_2" });

  test("to before the summary's end drops it", () => {
    const conversation = summarised();
    assert.equal(rollback(conversation, "msg_old_3_assistant"), 8);
    assert.equal(conversation.messages.length, 8);
    assert.equal(messagesIn(ask2(conversation).calls[0]), 8);
  });

  test("to the turn in which it was written keeps it, and the messages that it does not cover", () => {
    const conversation = summarised();
    assert.equal(rollback(conversation, "msg_old_11_assistant"), 24);
    assert.equal(conversation.messages.length, 25);
    const [called] = ask2(conversation).calls;
    assert.equal(called?.summary, undefined);
    assert.match(words(promptOf(called)), /lanterns.*assistant 11:/s);
  });

  test("to the beginning removes everything", () => {
    const conversation = summarised();
    assert.equal(rollback(conversation, null), 0);
    assert.deepEqual(conversation.messages, []);
  });
});

describe("a crash while a summary is written", () => {
  test("the process that continues writes it again, and the same turn follows", () => {
    const whole = run([start, ...summary, ...answer(text("Yes."))]);
    const before = run([start, ...parts(openText("Ada w"))]);
    const stored = structuredClone({
      conversation: before.machine.conversation,
      frame: before.machine.frame,
    });
    const machine = continueTurn({ program, ...stored, sessionInput: {} }, smallEnvironment());
    const effects = [
      { type: "repeat-calls" as const, lostEvents: 1_000 },
      ...summary,
      ...answer(text("Yes.")),
    ].flatMap((input) => machine.advance(input));
    const { calls, outcome } = readEffects(effects);
    assert.equal(outcome, "finished");
    assert.deepEqual(
      calls.map((made) => made.summary),
      [1, undefined],
    );
    assert.deepEqual(promptOf(calls[1]), promptOf(whole.calls[1]));
  });

  test("once it is stored, the step alone is made again", () => {
    const before = run([start, ...summary, ...parts(openText("Ye"))]);
    const saved = before.effects.some(({ type }) => type === "save");
    assert.ok(saved, "the summary is stored before the step");
    const stored = structuredClone({
      conversation: before.machine.conversation,
      frame: before.machine.frame,
    });
    const machine = continueTurn({ program, ...stored, sessionInput: {} }, smallEnvironment(2_000));
    const { calls } = readEffects(machine.advance({ type: "repeat-calls", lostEvents: 1_000 }));
    assert.deepEqual(
      calls.map((made) => made.summary),
      [undefined],
    );
    assert.deepEqual(promptOf(calls[0]), promptOf(before.calls[1]));
    const [compaction] = calls[0]?.compactions ?? [];
    assert.equal(compaction?.summary, "Ada wants three lanterns.", "the log of the dead process may lack it");
    assert.deepEqual(calls[0]?.compactions, before.calls[1]?.compactions);
  });
});
