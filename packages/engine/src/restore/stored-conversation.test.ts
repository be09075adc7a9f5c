import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { answer, call, openText, parts, start, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, play } from "../../test/support/play.ts";
import { ask, open, programOf, put, say } from "../../test/support/programs.ts";
import { settle } from "../conversation/messages.ts";
import { rollback } from "../conversation/rollback.ts";
import { toUiMessages } from "../shown/ui-messages.ts";
import { fromUiMessages } from "./restore-messages.ts";

const program = programOf({
  blocks: [say("Hello"), ask(), say("Check it.", { visible: false }), ask()],
  tools: { find: "stream" },
});

describe("settle", () => {
  test("a conversation left by a dead process becomes well-formed", () => {
    const { machine } = play(program, [start, ...parts(call("c1", "find"), openText("Half"))]);
    const copy = structuredClone(machine.conversation);
    const recovered = settle(copy);
    assert.equal(recovered, copy);
    assert.deepEqual(
      toUiMessages(recovered).map(({ status }) => status),
      ["done", "done"],
    );
    assert.deepEqual(
      recovered.messages[1]?.parts.map((part) => "status" in part && part.status),
      ["cancelled", "done"],
    );
  });

  test("an unfinished text loses the metadata that its provider would refuse", () => {
    const begun = { type: "text-start", id: "0", providerMetadata: { maker: { itemId: "i" } } } as const;
    const { machine } = play(program, [start, ...parts([begun], openText("Half").slice(1))]);
    settle(machine.conversation);
    assert.deepEqual(machine.conversation.messages[1]?.parts, [
      { type: "text", text: "Half", status: "done" },
    ]);
  });
});

describe("rollback", () => {
  function twoTurns() {
    const first = play(program, [start, ...answer(text("One.")), ...answer(text("Two."))]);
    return first.machine.conversation;
  }

  test("rollback keeps all parts of the message and everything before it", () => {
    const conversation = twoTurns();
    const before = toUiMessages(conversation);
    conversation.messages.push({ ...structuredClone(conversation.messages[0]), id: "msg_later" } as never);
    rollback(conversation, "msg_1");
    assert.deepEqual(toUiMessages(conversation), before);
  });

  describe("rollback to the message of a turn that continued hidden", () => {
    const side = { thread: "side" };
    const aside = programOf({
      blocks: [
        open("side"),
        say("Ahead.", { visible: false }),
        say("Hello"),
        say("Unseen.", { visible: false }),
        ask(),
        say("Think.", side),
        ask({ ...side, display: "name" }),
        say("Noted.", { visible: false }),
      ],
    });
    const said = [start, ...answer(text("One.")), ...answer(text("Two."))];

    test("rollback keeps the hidden messages of the turn, and nothing of the next one", () => {
      const environment = countingEnvironment();
      const { conversation } = play(aside, said, { environment }).machine;
      const whole = structuredClone(conversation.messages);
      play(aside, said, { environment, conversation, executionId: "exe_2" });
      assert.ok(conversation.messages.length > whole.length);
      rollback(conversation, toUiMessages(conversation)[1]?.id ?? "");
      assert.deepEqual(conversation.messages, whole);
    });

    test("rollback to the first message of a turn keeps nothing after it", () => {
      const { conversation } = play(aside, said).machine;
      rollback(conversation, toUiMessages(conversation)[0]?.id ?? "");
      assert.deepEqual(
        conversation.messages.map(({ parts: [part] }) => part?.type === "text" && part.text),
        ["Ahead.", "Hello"],
      );
    });

    test("rollback keeps everything up to a message that was stored without its turn", () => {
      const { conversation } = play(aside, said).machine;
      for (const message of conversation.messages) delete message.executionId;
      rollback(conversation, toUiMessages(conversation)[1]?.id ?? "");
      assert.equal(conversation.messages.at(-1)?.parts[0]?.type, "operation");
    });
  });

  test("rollback to null removes all messages; variables and resources stay", () => {
    const conversation = play(programOf({ blocks: [put("CART", "TEXT")] }), [start]).machine.conversation;
    assert.equal(rollback(conversation, null), 0);
    assert.deepEqual(conversation, {
      messages: [],
      variables: {},
      resources: { CART: "Hello" },
    });
  });

  test("rollback to an id that users cannot know removes nothing", () => {
    const conversation = twoTurns();
    const before = structuredClone(conversation);
    const hidden = conversation.messages.filter(({ audience, partOf }) => audience === "model" || partOf);
    assert.equal(hidden.length, 2);
    for (const { id } of [...hidden, { id: "msg_unknown" }]) {
      assert.equal(rollback(conversation, id), undefined);
    }
    assert.deepEqual(conversation, before);
  });
});

describe("restore", () => {
  const createdAt = "2026-01-01T00:00:00.000Z";
  const good = { id: "m1", role: "user", status: "done", createdAt, parts: [{ type: "text", text: "Hi" }] };

  test("the messages that users see can be restored and read the same", () => {
    const { machine } = play(program, [
      start,
      ...answer(text("One.")),
      ...parts(call("c1", "find"), text("x")),
    ]);
    settle(machine.conversation);
    const seen = toUiMessages(machine.conversation);
    const restored = fromUiMessages(JSON.parse(JSON.stringify(seen)));
    assert.ok(restored.ok);
    assert.deepEqual(toUiMessages({ messages: restored.messages, variables: {}, resources: {} }), seen);
  });

  test("a message of several threads is stored in parts with unique ids", () => {
    const on = (thread?: string) => ({ type: "text", text: "x", ...(thread && { thread }) });
    const restored = fromUiMessages([
      { ...good, role: "assistant", parts: [on(), on("side"), on()] },
      { ...good, id: "m1.2" },
    ]);
    assert.ok(restored.ok);
    const ids = restored.messages.map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size], [4, 4]);
    assert.deepEqual(
      toUiMessages({ messages: restored.messages, variables: {}, resources: {} }).map(({ id }) => id),
      ["m1", "m1.2"],
    );
  });

  test("a restored tool call ends as its result, its error or else its status says", () => {
    const outcomes = [
      { result: null },
      { error: "no" },
      {},
      { status: "error" },
      ...["running", "pending", "cancelled", undefined].map((status) => ({ status })),
    ];
    const calls = outcomes.map((outcome, index) => ({
      type: "tool-call",
      toolCallId: `c${index}`,
      toolName: "find",
      args: {},
      status: "done",
      ...outcome,
    }));
    const restored = fromUiMessages([{ ...good, role: "assistant", parts: calls }]);
    assert.deepEqual(
      restored.ok && restored.messages[0]?.parts.map((part) => "status" in part && part.status),
      ["done", "error", "done", "error", "cancelled", "cancelled", "cancelled", "cancelled"],
    );
  });

  const part = (value: unknown) => ({ ...good, parts: [value] });
  const bad: [string, unknown, string][] = [
    ["a value that is not an object", 7, "messages.1"],
    ["a list", [], "messages.1"],
    ["a missing id", { ...good, id: undefined }, "messages.1.id"],
    ["an empty id", { ...good, id: "" }, "messages.1.id"],
    ["a repeated id", { ...good, id: "m0" }, "messages.1.id"],
    ["a system role", { ...good, role: "system" }, "messages.1.role"],
    ["an unknown status", { ...good, status: "over" }, "messages.1.status"],
    ["an invalid time", { ...good, createdAt: "yesterday" }, "messages.1.createdAt"],
    ["a time without a zone", { ...good, createdAt: "Tue Nov 21 2026" }, "messages.1.createdAt"],
    ["a year beyond four digits", { ...good, createdAt: "+275760-01-01T00:00:00Z" }, "messages.1.createdAt"],
    ["parts that are not a list", { ...good, parts: {} }, "messages.1.parts"],
    ["a sender that is not an object", { ...good, sender: "Ada" }, "messages.1.sender"],
    ["a part that is not an object", part("Hi"), "messages.1.parts.0"],
    ["a part without a type", part({ text: "Hi" }), "messages.1.parts.0.type"],
    ["an unknown part", part({ type: "hologram" }), "messages.1.parts.0.type"],
    ["a text without text", part({ type: "text" }), "messages.1.parts.0.text"],
    [
      "a text with an unknown status",
      part({ type: "text", text: "", status: "running" }),
      "messages.1.parts.0.status",
    ],
    ["a call without a name", part({ type: "tool-call", toolCallId: "c" }), "messages.1.parts.0.toolName"],
    [
      "a call id that providers refuse",
      part({ type: "tool-call", toolCallId: "a b", toolName: "t" }),
      "messages.1.parts.0.toolCallId",
    ],
    [
      "arguments with a prototype key",
      part({ type: "tool-call", toolCallId: "c", toolName: "t", args: JSON.parse('{"__proto__":1}') }),
      "messages.1.parts.0.args",
    ],
    [
      "a file whose URL is a script",
      part({ type: "file", id: "f", mediaType: "a/b", url: "javascript:alert(1)" }),
      "messages.1.parts.0.url",
    ],
    [
      "a source whose URL is a script",
      part({ type: "source", sourceType: "url", id: "s", url: "javascript:alert(1)" }),
      "messages.1.parts.0.url",
    ],
    [
      "a source of an unknown type",
      part({ type: "source", sourceType: "rumour", id: "s" }),
      "messages.1.parts.0.sourceType",
    ],
    [
      "a file whose size is not a number",
      part({ type: "file", id: "f", mediaType: "a/b", url: "https://x.test", size: "7" }),
      "messages.1.parts.0.size",
    ],
  ];
  for (const [what, message, path] of bad) {
    test(`restore refuses ${what} and reports its index and path`, () => {
      const restored = fromUiMessages([{ ...good, id: "m0" }, message]);
      assert.deepEqual(
        restored.ok ? "accepted" : [restored.index, ...new Set(restored.issues.map((issue) => issue.path))],
        [1, path],
      );
    });
  }

  test("restore refuses messages that are not a list", () => {
    assert.equal(fromUiMessages({ length: 1 }).ok, false);
  });
});
