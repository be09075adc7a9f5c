import assert from "node:assert/strict";
import { test } from "vitest";
import { answer, call, reasoning, results, start, text } from "../../test/support/model-parts.ts";
import { emptyConversation, lines, play } from "../../test/support/play.ts";
import { ask, open, programOf, promptOf, put, say, serialize, use } from "../../test/support/programs.ts";
import { fromUiMessages } from "../restore/restore-messages.ts";
import { toUiMessages } from "../shown/ui-messages.ts";
import { serializedJson, serializedMarkdown } from "./serialize.ts";

const side = { thread: "side" };
const talk = [
  say("Said on another thread."),
  open("side", { tools: ["find"] }),
  say("Be brief.", { ...side, role: "system" }),
  say("Shown to people", { ...side, prompt: promptOf("Read by the model"), uiContent: "TEXT" }),
  use("find", side),
  ask(side),
];
const inputs = [
  start,
  results({ call_8: "a block's own" }),
  ...answer(reasoning("Hm."), text("Let me look."), call("c1", "find", { q: 1 }), call("c2", "find")),
  results({ c1: { found: "gold" }, c2: new Error("no luck") }),
  ...answer(text("Gold!")),
];

function played(format: "markdown" | "json") {
  const blocks = [...talk, serialize("side", "COPY", { format }), put("R", "COPY")];
  return play(programOf({ blocks, tools: { find: "name" } }), inputs);
}

test("a thread is serialised as Markdown as its model read it, with its calls abbreviated", () => {
  const { machine, events } = played("markdown");
  assert.equal(
    machine.conversation.resources.R,
    [
      "## System\n\nBe brief.",
      "## User\n\nRead by the model",
      [
        "## Assistant",
        "Let me look.",
        '[Called find with {"q":1}: {"found":"gold"}]',
        "[Called find with {}: failed: no luck]",
        "Gold!",
      ].join("\n\n"),
    ].join("\n\n"),
  );
  assert.ok(lines(events).includes("block-start Serialize hidden side"));
});

test("a thread is serialised as a JSON list of messages", () => {
  const list = played("json").machine.conversation.resources.R;
  assert.ok(Array.isArray(list));
  assert.deepEqual(list.slice(0, 2), [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Read by the model" },
  ]);
});

test("a serialised thread contains a to-do list only if no call in it wrote the list", () => {
  const todos = [{ content: "Look", status: "pending" }];
  const agent = { todoList: true };
  const blocks = [ask(), serialize("main", "COPY"), put("R", "COPY")];
  const first = play(programOf({ blocks, agent }), [
    start,
    ...answer(call("c1", "platform_todo_write", { todos })),
    ...answer(text("Hi")),
  ]);
  const copy = String(first.machine.conversation.resources.R);
  assert.deepEqual([copy.includes("platform_todo_write"), copy.includes("To do:")], [true, false]);
  const restored = fromUiMessages(JSON.parse(JSON.stringify(toUiMessages(first.machine.conversation))));
  assert.ok(restored.ok);
  const again = serializedMarkdown({ ...emptyConversation(), messages: restored.messages }, "main", {});
  assert.deepEqual([again.includes("platform_todo_write"), again.includes("[ ] 1: Look")], [false, true]);
});

test("a thread without messages is serialised as empty", () => {
  assert.equal(serializedMarkdown(emptyConversation(), "side", {}), "");
  assert.deepEqual(serializedJson(emptyConversation(), "side", {}), []);
});

test("the words of an assistant whose message was stored in pieces are never those of the user before it", () => {
  const conversation = emptyConversation();
  const common = {
    status: "done",
    createdAt: "2026-01-01T00:00:00.000Z",
    thread: "main",
    audience: "everyone",
  } as const;
  conversation.messages.push(
    { ...common, id: "msg_1", role: "user", parts: [{ type: "text", text: "Why?", status: "done" }] },
    {
      ...common,
      id: "msg_2",
      role: "assistant",
      parts: [{ type: "reasoning", text: "Hm.", status: "done" }],
    },
    {
      ...common,
      id: "msg_3",
      partOf: "msg_2",
      role: "assistant",
      parts: [{ type: "text", text: "Because.", status: "done" }],
    },
  );
  assert.equal(serializedMarkdown(conversation, "main", {}), "## User\n\nWhy?\n\n## Assistant\n\nBecause.");
});

test("a serialised thread is limited: the newest messages are kept, and a too long one keeps its head and tail", () => {
  const conversation = emptyConversation();
  for (const [index, words] of ["a", "b", "c", "d", "e", "f"].entries()) {
    conversation.messages.push({
      id: `msg_${index}`,
      role: "user",
      status: "done",
      createdAt: "2026-01-01T00:00:00.000Z",
      thread: "main",
      audience: "model",
      parts: [{ type: "text", text: words.repeat(index === 5 ? 1_000_000 : 45_000), status: "done" }],
    });
  }
  const json = JSON.stringify(serializedJson(conversation, "main", {}));
  assert.ok(json.length < 201_000);
  assert.match(json, /earlier messages omitted/);
  assert.match(json, /characters omitted/);
  assert.ok(json.includes("eeee") && !json.includes("aaaa"));
});

test("text from outside stays between its fences in a serialised thread, wherever the message is cut", () => {
  const fence = "outside-0123456789ab";
  const conversation = emptyConversation();
  const call = { type: "tool-call", toolName: "page__read", source: "llm", display: "stream" } as const;
  const said = { type: "text", text: "We looked.", status: "done" } as const;
  const outcomes = [
    { status: "done", result: "evil ".repeat(300) },
    { status: "error", error: "evil" },
    { status: "done", result: { evil: ["evil"] } },
  ] as const;
  conversation.messages.push({
    ...{ id: "m1", role: "assistant", status: "done", thread: "main", audience: "everyone" },
    createdAt: "2026-01-01T00:00:00.000Z",
    executionId: "exe_1",
    parts: outcomes.flatMap((outcome, at) => [said, { ...call, toolCallId: `c${at}`, args: {}, ...outcome }]),
  });
  const between = new RegExp(`<<${fence}: .*?<<end of ${fence}>>`, "gs");
  for (let length = 400; length < 32_000; length += 100) {
    const written = serializedMarkdown(conversation, "main", { fence }, length);
    const [outside, fences] = [written.replaceAll(between, ""), written.match(between) ?? []];
    assert.doesNotMatch(outside, /evil/, String(length));
    assert.ok(fences.length > 0 || !written.includes("evil"));
  }
});
