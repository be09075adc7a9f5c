import assert from "node:assert/strict";
import type { JsonValue } from "@muster/language";
import { test } from "vitest";
import { abort, answer, call, start, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, emptyConversation, lines, play } from "../../test/support/play.ts";
import { ask, open, programOf, say } from "../../test/support/programs.ts";
import { rollback } from "../conversation/rollback.ts";
import { fromUiMessages } from "../restore/restore-messages.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const write = (id: string, todos: JsonValue) => call(id, "platform_todo_write", { todos });
const look = { content: "Look", status: "in_progress" };
const leap = { content: "Leap", status: "pending" };
const program = programOf({ blocks: [say("Hello"), ask()], agent: { todoList: true } });

function todosOf(conversation: ReturnType<typeof emptyConversation>) {
  return toUiMessages(conversation).flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "todo" ? part : [])),
  );
}

test("the to-do list is announced and shown as one part that changes in place; its call is not shown", () => {
  const played = play(program, [
    start,
    ...answer(text("A plan."), write("c1", [look, leap])),
    ...answer(write("c2", [{ ...look, id: "1", status: "completed" }])),
  ]);
  assert.deepEqual(lines(played.events).slice(4, 9), [
    "text-start txt_1",
    "text-delta txt_1 A plan.",
    "text-end txt_1",
    'todo-update [{"id":"1","content":"Look","status":"in_progress"},{"id":"2","content":"Leap","status":"pending"}]',
    "step-start 2",
  ]);
  assert.ok(!JSON.stringify(played.events).includes("platform_todo_write"));
  assert.deepEqual(todosOf(played.machine.conversation), [
    { type: "todo", todos: [{ id: "1", content: "Look", status: "completed" }], status: "running" },
  ]);
  played.machine.advance(abort);
  assert.equal(todosOf(played.machine.conversation)[0]?.status, "done");
});

for (const [what, todos, error] of [
  ["a text instead of items", "Look", /arguments.todos must be a list/],
  ["an unknown status", [{ content: "Look", status: "later" }], /arguments.todos.0.status must be one of/],
  [
    "a duplicate id",
    [
      { ...look, id: "a" },
      { ...leap, id: "a" },
    ],
    /a unique id/,
  ],
  ["too many items", Array(101).fill(look), /at most 100 items/],
  ["content that is too long", [{ ...look, content: "x".repeat(1001) }], /at most 1000 characters/],
  ["an id that is too long", [{ ...look, id: "x".repeat(65) }], /at most 64 characters/],
] as const) {
  test(`a to-do list with ${what} is an error for the model and changes nothing`, () => {
    const played = play(program, [
      start,
      ...answer(write("c1", [look])),
      ...answer(write("c2", todos as JsonValue)),
    ]);
    const calls = played.machine.conversation.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-call" ? part : [])),
    );
    assert.match(calls[1]?.error ?? "", error);
    assert.equal(todosOf(played.machine.conversation)[0]?.todos[0]?.content, "Look");
  });
}

test("the to-do list is closed with its message if the turn continues in another one", () => {
  const more = programOf({ blocks: [say("Hello"), ask(), say("And?"), ask()], agent: { todoList: true } });
  const { machine } = play(more, [start, ...answer(write("c1", [look])), ...answer(text("Hi"))]);
  assert.equal(machine.frame.phase, "model");
  assert.equal(todosOf(machine.conversation)[0]?.status, "done");
});

test("each thread has its own to-do list, and a hidden one stays separate", () => {
  const agent = { todoList: true };
  const blocks = [
    ask({ display: "hidden" }),
    open("side", agent),
    ask({ thread: "side" }),
    ask(),
    ask({ display: "hidden" }),
  ];
  const lists = ["hidden", "side", "main", "hidden again"];
  const played = play(programOf({ blocks, agent }), [
    start,
    ...lists.flatMap((content, index) => [
      ...answer(write(`c${index}`, [{ content, status: "pending" }])),
      ...answer(text("Hi")),
    ]),
  ]);
  assert.equal(played.outcome, "finished");
  const seen = todosOf(played.machine.conversation).map(({ todos: [todo], thread }) => [
    todo?.content,
    thread,
  ]);
  assert.deepEqual(seen, [
    ["side", "side"],
    ["main", undefined],
  ]);
});

test("rolling back to an earlier turn brings back its to-do list", () => {
  const environment = countingEnvironment();
  const conversation = emptyConversation();
  for (const todos of [[look], [leap]]) {
    play(program, [start, ...answer(write("c1", todos)), ...answer(text("Hi"))], {
      conversation,
      environment,
    });
  }
  const [, first] = toUiMessages(conversation);
  assert.equal(todosOf(conversation).at(-1)?.todos[0]?.content, "Leap");
  rollback(conversation, first?.id ?? "");
  assert.equal(todosOf(conversation).at(-1)?.todos[0]?.content, "Look");
});

test("a restored to-do list is shown as before, and the model reads it", () => {
  const { machine } = play(program, [start, ...answer(write("c1", [look])), ...answer(text("Hi"))]);
  const seen = toUiMessages(machine.conversation);
  const restored = fromUiMessages(JSON.parse(JSON.stringify(seen)));
  assert.ok(restored.ok);
  const conversation = { ...emptyConversation(), messages: restored.messages };
  assert.deepEqual(toUiMessages(conversation), seen);
  const [, told] = play(program, [start], { conversation }).calls[0]?.options.prompt ?? [];
  const texts = told?.role === "assistant" ? told.content : [];
  // Some adapters join the texts of a message without a separator.
  const words = texts.map((part) => (part.type === "text" ? part.text : "")).join("");
  assert.match(words, /\n\nTo do:\n\[>\] 1: Look\n\nHi$/);
});

test("a to-do list in restored messages is checked", () => {
  const createdAt = "2026-01-01T00:00:00.000Z";
  const todo = { type: "todo", todos: [{ id: "1", content: "Look", status: "later" }] };
  const restored = fromUiMessages([{ id: "m", role: "assistant", createdAt, parts: [todo] }]);
  assert.deepEqual(restored.ok || restored.issues.map(({ path }) => path), [
    "messages.0.parts.0.todos.0.status",
  ]);
});

test("the to-do list of hidden output is only for the model, and that of a named thread carries its name", () => {
  const hidden = programOf({ blocks: [ask({ display: "hidden" })], agent: { todoList: true } });
  const first = play(hidden, [start, ...answer(write("c1", [look]))]);
  assert.ok(!JSON.stringify([first.events, toUiMessages(first.machine.conversation)]).includes("Look"));
  const blocks = [open("side", { todoList: true }), ask({ thread: "side" })];
  const second = play(programOf({ blocks }), [start, ...answer(write("c1", [look]))]);
  assert.ok(second.events.some((event) => event.type === "todo-update" && event.thread === "side"));
  assert.equal(toUiMessages(second.machine.conversation)[0]?.parts[0]?.thread, "side");
});
