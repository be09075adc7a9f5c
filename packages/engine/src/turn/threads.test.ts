import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { checkStream } from "../../test/support/check-stream.ts";
import {
  abort,
  answer,
  call,
  failed,
  openText,
  parts,
  reasoning,
  results,
  start,
  text,
} from "../../test/support/model-parts.ts";
import { countingEnvironment, emptyConversation, lines, play } from "../../test/support/play.ts";
import { ask, open, programOf, promptOf, put, say, use } from "../../test/support/programs.ts";
import { rollback } from "../conversation/rollback.ts";
import { continueTurn } from "../machine/begin-turn.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const side = { thread: "side" };

describe("a named thread", () => {
  test("events and parts of a named thread carry its name, and the main chat continues without them", () => {
    const program = programOf({
      blocks: [say("Hello"), open("side"), say("Look into it", side), ask(side), ask()],
    });
    const played = play(program, [
      start,
      ...answer(reasoning("Hm."), text("Looked.")),
      ...answer(text("Hi!")),
    ]);
    assert.deepEqual(lines(played.events), [
      "start msg_1",
      "block-start Add hidden",
      "block-end",
      "block-start Open hidden side",
      "block-end side",
      "block-start Add hidden side",
      "block-end side",
      "block-start Answer stream false side",
      "reasoning-start rsn_1 side",
      "reasoning-delta rsn_1 Hm. side",
      "reasoning-end rsn_1 side",
      "text-start txt_2 side",
      "text-delta txt_2 Looked. side",
      "text-end txt_2 side",
      "block-end side",
      "block-start Answer stream true",
      "step-start 2",
      "text-start txt_3",
      "text-delta txt_3 Hi!",
      "text-end txt_3",
      "block-end",
      "finish stop",
    ]);
    assert.deepEqual(
      toUiMessages(played.machine.conversation).map(({ role, parts: shown }) => [role, ...shown]),
      [
        ["user", { type: "text", text: "Hello", status: "done" }],
        [
          "assistant",
          { type: "reasoning", text: "Hm.", status: "done", thread: "side" },
          { type: "text", text: "Looked.", status: "done", thread: "side" },
          { type: "step-start" },
          { type: "text", text: "Hi!", status: "done" },
        ],
      ],
    );
    assert.deepEqual(promptsOf(played), ["Look into it", "Hello"]);
  });

  test("a named thread has its own configuration and inherits nothing from the agent", () => {
    const program = programOf({
      blocks: [
        say("Hello"),
        open("side", {
          model: { id: "demo/side" },
          backupModel: { id: "demo/side-backup" },
          system: promptOf("Be brief, ", "TEXT"),
          tools: ["find"],
        }),
        ask(side),
      ],
      tools: { find: "name", fly: "name" },
      agent: { model: { id: "demo/agent" }, temperature: 1, thinking: "high", cache: "auto" },
    });
    const dynamicTools = [{ name: "beep", description: "Beeps", inputSchema: {} }];
    const { calls } = play(program, [start, failed()], { dynamicTools });
    assert.deepEqual(
      calls.map(({ modelId }) => modelId),
      ["demo/side", "demo/side-backup"],
    );
    assert.deepEqual(
      calls[0]?.options.tools?.map(({ name }) => name),
      ["find"],
    );
    assert.deepEqual(calls[0]?.options.prompt[0], { role: "system", content: "Be brief, Hello" });
    const { thinking, cache, options } = calls[0] ?? {};
    assert.deepEqual([thinking, cache, options?.temperature], [undefined, undefined, undefined]);
  });

  test("a named thread calls its model again only if it is agentic itself", () => {
    const blocks = [open("side", { agentic: false, tools: ["find"] }), ask(side)];
    const program = programOf({ blocks, tools: { find: "name" }, agent: { agentic: true } });
    const played = play(program, [start, ...answer(call("c1", "find")), results({ c1: 1 })]);
    assert.deepEqual([played.calls.length, played.outcome], [1, "finished"]);
  });

  test("a named thread pauses and continues in another process, with its name on calls and results", () => {
    const blocks = [open("side", { tools: ["find"] }), ask({ ...side, output: "OUT" }), put("R", "OUT")];
    const program = programOf({ blocks, tools: { find: "stream" } });
    const paused = play(program, [start, ...answer(call("c1", "find"))]);
    const request = paused.events.find(({ type }) => type === "tool-request");
    assert.deepEqual(request?.type === "tool-request" && request.toolCalls, [
      { toolCallId: "c1", toolName: "find", args: {}, source: "llm", thread: "side" },
    ]);
    const stored = JSON.parse(
      JSON.stringify({ conversation: paused.machine.conversation, frame: paused.machine.frame }),
    );
    const machine = continueTurn({ program, sessionInput: {}, ...stored }, countingEnvironment(50));
    const effects = [results({ c1: 7 }), ...answer(text("Seven."))].flatMap((input) =>
      machine.advance(input),
    );
    const events = effects.flatMap((effect) => (effect.type === "emit" ? effect.event : []));
    assert.deepEqual(lines(events).slice(1, 4), [
      "tool-output-available c1 7 side",
      "block-start Answer stream false side",
      "step-start 2 side",
    ]);
    assert.deepEqual(machine.conversation.resources, { R: "Seven." });
  });

  test("a named thread stays started in later turns and keeps its messages", () => {
    const environment = countingEnvironment();
    const conversation = emptyConversation();
    const opened = programOf({
      blocks: [open("side", { model: { id: "demo/side" } }), say("One", side), ask(side)],
    });
    const program = {
      ...opened,
      handlers: { ...opened.handlers, later: [say("Two", side), ask(side)] },
    };
    play(program, [start, ...answer(text("First."))], { conversation, environment });
    const stored = JSON.parse(JSON.stringify(conversation));
    const { calls } = play(program, [start], {
      conversation: stored,
      environment,
      triggerName: "later",
    });
    assert.equal(calls[0]?.modelId, "demo/side");
    assert.deepEqual(
      calls[0]?.options.prompt.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
  });

  test("a named thread is reconfigured by a later block and keeps its messages", () => {
    const blocks = [open("side"), say("One", side), open("side", { model: { id: "demo/new" } }), ask(side)];
    const { calls } = play(programOf({ blocks }), [start]);
    assert.equal(calls[0]?.modelId, "demo/new");
    assert.deepEqual(promptsOf({ calls }), ["One"]);
  });

  test("the main thread can be started too and then inherits nothing from the agent", () => {
    const agent = { model: { id: "demo/agent" }, tools: ["find"] };
    const blocks = [say("Hello"), open("main", { model: { id: "demo/new" } }), ask()];
    const [called] = play(programOf({ blocks, agent, tools: { find: "name" } }), [start]).calls;
    assert.deepEqual([called?.modelId, called?.options.tools], ["demo/new", undefined]);
  });

  test("steps of hidden output stay separate and emit no events", () => {
    const blocks = [
      say("Hello"),
      ask(),
      open("side", { tools: ["find"] }),
      say("One", side),
      ask({ ...side, display: "hidden" }),
    ];
    const played = play(programOf({ blocks, tools: { find: "stream" } }), [
      start,
      ...answer(text("Hi")),
      ...answer(text("A."), call("c1", "find")),
      results({ c1: 1 }),
      ...answer(text("B."), call("c2", "find")),
      results({ c2: 2 }),
    ]);
    assert.deepEqual(
      played.calls.at(-1)?.options.prompt.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "tool"],
    );
    assert.ok(!played.events.some(({ type }) => type === "step-start"));
    const [, , , hidden] = played.machine.conversation.messages;
    assert.deepEqual(
      hidden?.parts.map(({ type }) => type),
      ["text", "tool-call", "step-start", "text", "tool-call", "step-start"],
    );
  });

  test("a thread that was never started fails its block by name before any model call, and the session continues", () => {
    const environment = countingEnvironment();
    const conversation = emptyConversation();
    const program = programOf({ blocks: [say("Hello"), ask({ ...side, name: "Research" })] });
    const played = play(program, [start], { conversation, environment });
    assert.deepEqual(
      [played.outcome, played.calls.length, lines(played.events).at(-1)],
      [
        "failed",
        0,
        'error protocol_error Block "Research" cannot run: the thread "side" has not been started. Run a start-thread block before it.',
      ],
    );
    const next = play(programOf({ blocks: [say("Hello"), ask()] }), [start, ...answer(text("Hi"))], {
      conversation,
      environment,
    });
    assert.equal(next.outcome, "finished");
  });

  test("an independent turn on a named thread reads it and leaves nothing on it", () => {
    const blocks = [open("side"), say("One", side), ask({ ...side, independent: true }), ask(side)];
    const played = play(programOf({ blocks }), [start, ...answer(text("aside")), ...answer(text("Hi"))]);
    assert.deepEqual(promptsOf(played), ["One", "One"]);
    assert.ok(lines(played.events).includes("text-delta txt_1 aside side"));
    assert.ok(!JSON.stringify(toUiMessages(played.machine.conversation)).includes("aside"));
  });

  test("calls of a tool-call block with a thread carry its name", () => {
    const blocks = [use("find", side)];
    const { events } = play(programOf({ blocks, tools: { find: "name" } }), [start, results({ call_3: 1 })]);
    assert.ok(lines(events).includes("tool-input-start call_3 find About find description side"));
    const [request] = events.flatMap((event) => (event.type === "tool-request" ? event.toolCalls : []));
    assert.equal(request?.thread, "side");
  });

  for (const [display, shown] of [
    ["hidden", []],
    ["name", ["operation"]],
    ["title", ["operation"]],
    ["description", ["operation"]],
    ["stream", ["text"]],
  ] as const) {
    test(`a named thread with display ${display} shows ${shown.join() || "nothing"}, both live and when read again`, () => {
      const program = programOf({ blocks: [open("side"), ask({ ...side, display })] });
      const played = play(program, [start, ...answer(text("words"))]);
      const later = toUiMessages(played.machine.conversation).flatMap(({ parts: all }) => all);
      assert.deepEqual(
        later.map(({ type, thread }) => [type, thread]),
        shown.map((type) => [type, "side"]),
      );
      assert.equal(JSON.stringify(played.events).includes("words"), display === "stream");
    });
  }

  test("a turn on a named thread can be aborted anywhere: every stream is well-formed", () => {
    const program = programOf({
      blocks: [open("side", { tools: ["find"] }), ask(side)],
      tools: { find: "stream" },
    });
    const whole = [
      start,
      ...parts(openText("Half"), call("c1", "find")),
      ...answer(),
      results({ c1: 1 }),
      ...answer(text("Hi")),
    ];
    for (let length = 1; length < whole.length; length += 1) {
      const played = play(program, [...whole.slice(0, length), abort]);
      const last = played.events.findLastIndex(({ type }) => type === "start");
      checkStream(played.events.slice(last));
      for (const { status } of played.machine.conversation.messages) assert.equal(status, "done");
    }
  });
});

describe("a message of a turn that began on a named thread", () => {
  const program = programOf({ blocks: [open("side"), ask(side), ask()] });

  test("a message keeps its streamed id if the named thread stayed empty", () => {
    const { machine } = play(program, [start, ...answer(), ...answer(text("Hi"))]);
    const { conversation } = machine;
    assert.deepEqual(
      toUiMessages(conversation).map(({ id }) => id),
      ["msg_1"],
    );
    assert.ok(rollback(conversation, "msg_1"));
  });
});

/** The texts of the user in each prompt. */
function promptsOf({ calls }: Pick<ReturnType<typeof play>, "calls">): string[] {
  return calls.map(({ options }) =>
    options.prompt
      .flatMap((message) => (message.role === "user" ? message.content : []))
      .flatMap((part) => (part.type === "text" ? part.text : []))
      .join("|"),
  );
}
