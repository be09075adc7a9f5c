import assert from "node:assert/strict";
import { type StoredMessage, type StoredPart, toUiMessages } from "@muster/engine";
import { describe, test } from "vitest";
import { emptyOutline, extendOutline } from "./head.ts";

const text = (value: string): StoredPart => ({ type: "text", text: value, status: "done" });
const call = (display: "hidden" | "name"): StoredPart => ({
  type: "tool-call",
  toolCallId: "call_1",
  toolName: "look-up",
  display,
  source: "llm",
  args: {},
  status: "done",
});

function said(id: string, parts: StoredPart[], fields: Partial<StoredMessage> = {}): StoredMessage {
  return {
    id,
    role: "assistant",
    status: "done",
    createdAt: "2030-01-31T12:00:00.000Z",
    thread: "main",
    audience: "everyone",
    parts,
    ...fields,
  };
}

const conversation = [
  said("msg_1", [text("You help.")], { role: "system" }),
  said("msg_2", [text("secret")], { role: "user", audience: "model" }),
  said("msg_3", [], { role: "user" }),
  said("msg_4", [text(" Where is\n\n  order 7? ")], { role: "user" }),
  said("msg_5", [call("hidden"), { type: "step-start" }]),
  said("msg_6", [text("hidden")], { audience: "model" }),
  said("msg_7", [text("Here."), call("name")], { partOf: "msg_5" }),
  said("msg_8", [text("And more.")], { partOf: "msg_5" }),
  said("msg_9", [call("hidden")]),
  said("msg_10", [text("")]),
  said("msg_11", [text("Thanks")], { role: "user" }),
  said("msg_12", [], { status: "streaming" }),
];

describe("the outline of a conversation", () => {
  test("the outline counts the messages that readers of the session see", () => {
    for (let length = 0; length <= conversation.length; length++) {
      const messages = structuredClone(conversation.slice(0, length));
      const { messageCount } = extendOutline(emptyOutline, messages);
      const shown = toUiMessages({ messages, variables: {}, resources: {} }, { view: "ui" });
      assert.equal(messageCount, shown.length, `${length} messages`);
    }
  });

  test("the outline is the same wherever the conversation was divided", () => {
    const whole = extendOutline(emptyOutline, conversation);
    assert.deepEqual([whole.title, whole.messageCount], ["Where is order 7?", 4]);
    for (let at = 0; at <= conversation.length; at++) {
      const begin = extendOutline(emptyOutline, conversation, 0, at);
      assert.deepEqual(extendOutline(begin, conversation, at), whole);
    }
  });

  test("a title is the text that users see, without line breaks, shortened to 80 characters", () => {
    const titleOf = (parts: StoredPart[], fields: Partial<StoredMessage> = {}) =>
      extendOutline(emptyOutline, [said("msg_1", parts, { role: "user", ...fields })]).title;
    assert.equal(titleOf([text("for the model")], { uiText: "for users" }), "for users");
    assert.equal(titleOf([text("one"), text("two")]), "one two");
    assert.equal(titleOf([text("x".repeat(80))]), "x".repeat(80));
    assert.equal(titleOf([text("x".repeat(81))]), `${"x".repeat(79)}…`);
    assert.equal(titleOf([text("\u{1f600}".repeat(41))])?.isWellFormed(), true);
    assert.equal(titleOf([text(" \n ")]), null);
  });
});
