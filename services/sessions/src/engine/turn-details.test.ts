import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Display } from "@muster/protocol";
import type { Effect } from "./machine.ts";
import { toUiMessages } from "./projections/ui-messages.ts";
import {
  abort,
  answer,
  call,
  failed,
  finish,
  modelDone,
  openText,
  parts,
  reasoning,
  results,
  start,
  text,
} from "./testing/model-parts.ts";
import { countingEnvironment, emptyConversation, lines, play } from "./testing/play.ts";
import { ask, programOf, promptOf, put, say, use } from "./testing/programs.ts";

const hello = [say("Hello"), ask()];
const mood = {
  name: "Mood",
  schema: { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] },
};

function lastEvent(played: ReturnType<typeof play>) {
  return played.events.at(-1);
}

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
    test(`a model that ends with ${unified} finishes with ${reason}`, () => {
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

  test("a turn whose last block is a tool call is finished, not paused, by the result", () => {
    const played = play(programOf({ blocks: [use("find")], tools: { find: "name" } }), [
      start,
      results({ call_3: 1 }),
    ]);
    assert.equal(played.outcome, "finished");
    assert.deepEqual(lastEvent(played), { type: "finish", finishReason: "stop", executionId: "exe_1" });
  });

  test("a paused turn can be aborted: its calls are cancelled and nothing is emitted", () => {
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

  test("what was under way when a turn ended is ignored, anything else out of place is an error", () => {
    const { machine } = play(programOf({ blocks: hello }), [start, abort]);
    assert.deepEqual(machine.advance(modelDone), []);
    assert.deepEqual(machine.advance(abort), []);
    assert.throws(() => machine.advance(start), /A turn that is over takes no start/);
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

describe("what the model is asked", () => {
  test("settings named by variables are read when the step starts", () => {
    const program = programOf({
      blocks: [say("Hello"), ask()],
      agent: {
        model: { variable: "MODEL" },
        temperature: { variable: "HEAT" },
        thinking: { variable: "DEPTH" },
        maxOutputTokens: 99,
        cache: "auto",
        system: promptOf("Be kind to ", "NAME"),
      },
    });
    const sessionInput = { MODEL: "demo/other", HEAT: 0.5, DEPTH: "high", NAME: "Ada" };
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
      cache: "auto",
    });
  });

  test("the caller's tools are offered beside the agent's, also after a pause", () => {
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

  test("where the caller's tool has the name of a declared one, the declared one counts", () => {
    const dynamicTools = [{ name: "find", description: "Another", inputSchema: { type: "object" } }];
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const [called] = play(program, [start], { dynamicTools }).calls;
    assert.deepEqual(
      called?.options.tools?.map((tool) => tool.type === "function" && tool.description),
      ["About find"],
    );
  });

  test("trigger input hides what the session has; unwritten variables have their default", () => {
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

  test("a step on the backup model is asked the same", () => {
    const program = programOf({ blocks: hello, agent: { backupModel: { id: "demo/backup" } } });
    const { calls } = play(program, [start, ...parts(openText("Half")), failed()]);
    assert.deepEqual(
      calls.map(({ modelId }) => modelId),
      ["demo/main", "demo/backup"],
    );
    assert.deepEqual(calls[1]?.options, calls[0]?.options);
  });

  test("an independent answer sees the chat, and the chat never sees it", () => {
    const blocks = [say("Hello"), ask({ independent: true }), ask()];
    const { calls } = play(programOf({ blocks }), [start, ...answer(text("aside")), ...answer(text("Hi"))]);
    assert.deepEqual(calls[0]?.options.prompt, calls[1]?.options.prompt);
  });
});

function kindsOf(effects: readonly Effect[]): string[] {
  return effects.map(({ type }) => type).filter((type) => type !== "emit");
}

describe("saving", () => {
  test("a turn is saved before each model call but its first, and never between a call and its retry", () => {
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

describe("structured output", () => {
  const program = programOf({
    blocks: [say("Hello"), ask({ responseType: mood, output: "OUT" }), put("R", "OUT")],
  });

  test("an object is streamed as its JSON text, stored, and given to the output variable", () => {
    const played = play(program, [start, ...answer(text('```json\n{"mood":"glad"}\n```'))]);
    assert.ok(lines(played.events).includes("text-start txt_1 Mood"));
    assert.deepEqual(played.machine.conversation.resources, { R: { mood: "glad" } });
    assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts[0], {
      type: "object",
      id: "msg_1_txt_1",
      typeName: "Mood",
      status: "done",
      object: { mood: "glad" },
    });
    assert.deepEqual(played.calls[0]?.options.responseFormat, {
      type: "json",
      name: "Mood",
      schema: mood.schema,
    });
  });

  for (const [what, words] of [
    ["text that is not JSON", "glad"],
    ["an object of another type", '{"mood":1}'],
  ] as const) {
    test(`${what} ends the turn with an error; no variable gets a bad value`, () => {
      const played = play(program, [start, ...answer(text(words))]);
      assert.equal(played.outcome, "failed");
      assert.deepEqual(lines(played.events).slice(-2), [
        "block-end",
        "error execution_error The model's answer is not a valid Mood.",
      ]);
      assert.deepEqual(played.machine.conversation.variables, {});
      assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts, [
        { type: "object", id: "msg_1_txt_1", typeName: "Mood", status: "error" },
      ]);
    });
  }
});

describe("ids", () => {
  test("a call id that a provider gives twice names one call only", () => {
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const { machine } = play(program, [start, ...answer(call("0", "find"), call("0", "find"))]);
    const ids = machine.frame.pendingToolCalls.map(({ toolCallId }) => toolCallId);
    assert.equal(ids[0], "0");
    assert.match(ids[1] ?? "", /^call_/);
  });

  test("the id of a retracted call is not used again", () => {
    const program = programOf({
      blocks: hello,
      tools: { find: "name" },
      agent: { backupModel: { id: "demo/backup" } },
    });
    const { machine } = play(program, [
      start,
      ...parts(call("c1", "find")),
      failed(),
      ...answer(call("c1", "find")),
    ]);
    assert.match(machine.frame.pendingToolCalls[0]?.toolCallId ?? "", /^call_/);
  });

  test("ids that other providers refuse are replaced", () => {
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const { machine } = play(program, [start, ...answer(call("functions.find:0", "find"))]);
    assert.match(machine.frame.pendingToolCalls[0]?.toolCallId ?? "", /^call_/);
  });

  test("start names the last message that people saw before", () => {
    const environment = countingEnvironment();
    const conversation = emptyConversation();
    const blocks = [say("Hello"), ask(), say("Check it.", { visible: false }), ask()];
    const program = programOf({ blocks });
    play(program, [start, ...answer(text("Hi")), ...answer(text("Done"))], { conversation, environment });
    const [first] = play(program, [start], { conversation, environment }).events;
    assert.equal(first?.type === "start" && first.lastMessageId, "msg_1");
  });
});

describe("a turn that was interrupted", () => {
  test("keeps no provider metadata with a text that the provider never completed", () => {
    const begun = { type: "text-start", id: "0", providerMetadata: { maker: { itemId: "i" } } } as const;
    const program = programOf({ blocks: hello });
    const { machine } = play(program, [start, ...parts([begun], openText("Half").slice(1)), abort]);
    assert.deepEqual(machine.conversation.messages[1]?.parts, [
      { type: "text", text: "Half", status: "done" },
    ]);
  });

  test("does not ask for calls whose arguments never came", () => {
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const unfinished = call("c1", "find").slice(0, 2);
    const { machine, outcome } = play(program, [start, ...answer(unfinished, text("Hm"))]);
    assert.equal(outcome, "finished");
    assert.deepEqual(
      machine.conversation.messages[1]?.parts.map((part) => "status" in part && part.status),
      ["cancelled", "done"],
    );
  });

  test("is closed by the next turn", () => {
    const environment = countingEnvironment();
    const program = programOf({ blocks: hello, tools: { find: "name" } });
    const paused = play(program, [start, ...answer(call("c1", "find"))], { environment });
    const { conversation } = paused.machine;
    play(program, [start, ...answer(text("Hi"))], { conversation, environment });
    assert.deepEqual(
      toUiMessages(conversation).map(({ status }) => status),
      ["done", "done", "done", "done"],
    );
  });
});

describe("messages", () => {
  test("uiContent is shown instead of the prompt, which the model reads", () => {
    const program = programOf({ blocks: [say("Long instructions", { uiContent: "TEXT" }), ask()] });
    const { machine, calls } = play(program, [start], { sender: { name: "Ada" } });
    const [shown] = toUiMessages(machine.conversation);
    assert.deepEqual(shown?.parts, [{ type: "text", text: "Hello", status: "done" }]);
    assert.deepEqual(shown?.sender, { name: "Ada" });
    assert.deepEqual(calls[0]?.options.prompt, [
      { role: "user", content: [{ type: "text", text: "Long instructions" }] },
    ]);
  });

  test("a hidden answer is nobody's to see, live or later, and the model's to read", () => {
    const blocks = [say("Hello"), ask({ display: "hidden" }), ask()];
    const played = play(programOf({ blocks, tools: { find: "stream" } }), [
      start,
      ...answer(reasoning("Hm"), text("private"), call("c1", "nothing")),
      ...answer(text("also private")),
      ...answer(text("Hi")),
    ]);
    assert.ok(!JSON.stringify(played.events).includes("private"));
    assert.ok(!JSON.stringify(toUiMessages(played.machine.conversation)).includes("private"));
    assert.ok(JSON.stringify(played.calls[2]).includes("also private"));
  });

  test("results of a hidden answer's calls stay hidden too", () => {
    const program = programOf({
      blocks: [say("Hello"), ask({ display: "hidden" })],
      tools: { find: "stream" },
    });
    const played = play(program, [start, ...answer(call("c1", "find")), results({ c1: "private" })]);
    assert.ok(!JSON.stringify(played.events).includes("private"));
    assert.deepEqual(played.machine.frame.pendingToolCalls, []);
  });

  test("a further answer that stays empty leaves nothing behind", () => {
    const blocks = [say("Hello"), ask(), say("Go on.", { visible: false }), ask()];
    const { machine } = play(programOf({ blocks }), [start, ...answer(text("Hi")), ...answer()]);
    assert.deepEqual(
      machine.conversation.messages.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
  });

  test("an answer with display name leaves an operation instead of words", () => {
    const played = play(programOf({ blocks: [say("Hello"), ask({ display: "name" })] }), [
      start,
      ...answer(text("private")),
    ]);
    assert.ok(!JSON.stringify(played.events).includes("private"));
    assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts, [
      {
        type: "operation",
        operationId: "blk_4",
        name: "Answer",
        operationType: "next-message",
        status: "done",
      },
    ]);
  });

  test("an empty answer leaves no message behind", () => {
    const { machine } = play(programOf({ blocks: hello }), [start, ...answer()]);
    assert.deepEqual(
      machine.conversation.messages.map(({ role }) => role),
      ["user"],
    );
  });
});

describe("what display shows of a tool call", () => {
  const table: Record<Display, { live: string[]; later: object[] }> = {
    hidden: { live: [], later: [] },
    name: {
      live: ["tool-input-start c1 find name", "tool-input-end c1"],
      later: [{ type: "tool-call", toolCallId: "c1", toolName: "find", displayName: "find", status: "done" }],
    },
    title: {
      live: ["tool-input-start c1 find Finder title", "tool-input-end c1"],
      later: [
        { type: "tool-call", toolCallId: "c1", toolName: "find", displayName: "Finder", status: "done" },
      ],
    },
    description: {
      live: [
        "tool-input-start c1 find Finder description",
        "tool-input-end c1",
        'tool-input-available c1 find {"q":"gold"}',
        "tool-output-available c1 found",
      ],
      later: [
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "find",
          displayName: "Finder",
          args: { q: "gold" },
          status: "done",
        },
      ],
    },
    stream: {
      live: [
        "tool-input-start c1 find Finder stream",
        'tool-input-delta c1 {"q":"gold"}',
        "tool-input-end c1",
        'tool-input-available c1 find {"q":"gold"}',
        "tool-output-available c1 found",
      ],
      later: [
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "find",
          displayName: "Finder",
          args: { q: "gold" },
          result: "found",
          status: "done",
        },
      ],
    },
  };
  for (const display of ["hidden", "name", "title", "description", "stream"] as const) {
    test(display, () => {
      const program = programOf({ blocks: hello, tools: { find: display }, titles: { find: "Finder" } });
      const played = play(program, [
        start,
        ...answer(call("c1", "find", { q: "gold" })),
        results({ c1: "found" }),
        abort,
      ]);
      const live = lines(played.events).filter((line) => /^tool-(in|out)put/.test(line));
      assert.deepEqual(live, table[display].live);
      const later = toUiMessages(played.machine.conversation)[1]?.parts ?? [];
      assert.deepEqual(later, table[display].later);
      const requested = played.events.find(({ type }) => type === "tool-request");
      assert.ok(requested, "the caller is asked whatever people see");
    });
  }
});
