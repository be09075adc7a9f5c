import assert from "node:assert/strict";
import type { Display } from "@muster/language";
import { describe, test } from "vitest";
import { abort, answer, call, reasoning, results, start, text } from "../../test/support/model-parts.ts";
import { lines, play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import { toUiMessages } from "./ui-messages.ts";

const hello = [say("Hello"), ask()];

describe("messages", () => {
  test("users see uiContent instead of the prompt that the model reads", () => {
    const program = programOf({ blocks: [say("Long instructions", { uiContent: "TEXT" }), ask()] });
    const { machine, calls } = play(program, [start], { sender: { name: "Ada" } });
    const [shown] = toUiMessages(machine.conversation);
    assert.deepEqual(shown?.parts, [{ type: "text", text: "Hello", status: "done" }]);
    assert.deepEqual(shown?.sender, { name: "Ada" });
    assert.deepEqual(calls[0]?.options.prompt, [
      { role: "user", content: [{ type: "text", text: "Long instructions" }] },
    ]);
  });

  test("users never see hidden output, live or later, but the model reads it", () => {
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

  test("results of calls in hidden output stay hidden too", () => {
    const program = programOf({
      blocks: [say("Hello"), ask({ display: "hidden" })],
      tools: { find: "stream" },
    });
    const played = play(program, [start, ...answer(call("c1", "find")), results({ c1: "private" })]);
    assert.ok(!JSON.stringify(played.events).includes("private"));
    assert.deepEqual(played.machine.frame.pendingToolCalls, []);
  });

  test("a second output that stays empty leaves nothing behind", () => {
    const blocks = [say("Hello"), ask(), say("Go on.", { visible: false }), ask()];
    const { machine } = play(programOf({ blocks }), [start, ...answer(text("Hi")), ...answer()]);
    assert.deepEqual(
      machine.conversation.messages.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
  });

  test("output with display name leaves an operation instead of text", () => {
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

  test("the full view adds the text of each message and its visibility, as clients require", () => {
    const blocks = [say("Hello"), ask(), ask({ name: "Again" })];
    const { machine } = play(programOf({ blocks, tools: { find: "description" } }), [
      start,
      ...answer(reasoning("Hm"), text("One, "), call("c1", "find")),
      results({ c1: 1 }),
      ...answer(text("two.")),
      ...answer(),
    ]);
    const full = toUiMessages(machine.conversation, { view: "full" });
    assert.deepEqual(
      full.map(({ role, content, visible }) => [role, content, visible]),
      [
        ["user", "Hello", true],
        ["assistant", "One, two.", true],
      ],
    );
    assert.ok(full.every(({ parts }) => parts.length > 0 && parts.every(({ visible }) => visible === true)));
    const forUsers = JSON.stringify(toUiMessages(machine.conversation, { view: "ui" }));
    assert.ok(!/"visible"|"content"/.test(forUsers), forUsers);
  });

  test("a message without visible parts is in the full view as not visible, and not in the other", () => {
    const { machine } = play(programOf({ blocks: [ask()] }), [start, ...answer(text(""))]);
    const [shown, ...others] = toUiMessages(machine.conversation, { view: "full" });
    assert.deepEqual([shown?.content, shown?.visible, shown?.parts, others], ["", false, [], []]);
    assert.deepEqual(toUiMessages(machine.conversation, { view: "ui" }), []);
  });

  test("empty output leaves no message behind", () => {
    const { machine } = play(programOf({ blocks: hello }), [start, ...answer()]);
    assert.deepEqual(
      machine.conversation.messages.map(({ role }) => role),
      ["user"],
    );
  });
});

describe("the display of a tool call", () => {
  const table: Record<Display, { live: string[]; later: object[] }> = {
    hidden: { live: [], later: [] },
    name: {
      live: ["tool-input-start c1 find name", "tool-input-end c1"],
      later: [
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "find",
          displayName: "find",
          args: {},
          status: "done",
        },
      ],
    },
    title: {
      live: ["tool-input-start c1 find Finder title", "tool-input-end c1"],
      later: [
        {
          type: "tool-call",
          toolCallId: "c1",
          toolName: "find",
          displayName: "Finder",
          args: {},
          status: "done",
        },
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
    test(`a tool call with display ${display} shows the same parts as the table`, () => {
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
