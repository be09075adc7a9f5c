import assert from "node:assert/strict";
import { test } from "vitest";
import { managedAgent, smallEnvironment, talkOf } from "../../test/support/long-conversations.ts";
import { abort, answer, call, results, start, text } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import type { StoredMessage } from "../conversation/conversation.ts";

/** No reader may touch it. */
function untouchable(message: StoredMessage, touched: string[]): StoredMessage {
  return new Proxy(message, {
    get: (target, name) => {
      touched.push(`${target.id}.${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** Its first eight messages are final and part of a summary. */
function conversationWith(touched: string[]) {
  const { messages, ...memory } = talkOf(6, 20);
  const summary: StoredMessage = {
    ...{ id: "msg_summary", role: "system", status: "done", createdAt: "2026-01-01T00:00:00.000Z" },
    ...{ thread: "main", audience: "model", parts: [] },
    summary: { through: 8, text: "Ada wants three lanterns." },
  };
  const read = messages.map((message, index) => (index < 8 ? untouchable(message, touched) : message));
  return { ...memory, messages: [...read, summary] };
}

for (const [outcome, inputs] of [
  ["finishes", [start, ...answer(text("Yes."))]],
  ["is aborted", [start, abort]],
] as const) {
  test(`a turn that ${outcome} does not visit the final messages that its model does not read`, () => {
    const touched: string[] = [];
    const program = programOf({ blocks: [say("Hello"), ask()], agent: managedAgent() });
    const { calls, machine } = play(program, [...inputs], {
      environment: smallEnvironment(),
      conversation: conversationWith(touched),
      finalLength: 8,
    });
    assert.match(JSON.stringify(calls[0]?.options.prompt), /lanterns.*user 4:.*Hello/s);
    assert.deepEqual(touched, []);
    assert.ok(machine.conversation.messages.every(({ status }) => status === "done"));
  });
}

test("parts that an earlier turn left open behind the final messages are closed, and empty messages are removed", () => {
  const conversation = conversationWith([]);
  const [left, empty] = talkOf(1, 20).messages.map(({ id, ...message }) => ({
    ...message,
    id: `${id}_left`,
  }));
  assert.ok(left !== undefined && empty !== undefined);
  const open: StoredMessage = { ...left, role: "assistant", status: "streaming" };
  conversation.messages.push(open, { ...empty, parts: [] });
  const program = programOf({ blocks: [say("Hello"), ask()], tools: { find: "name" } });
  const { machine } = play(program, [start, ...answer(call("c1", "find")), results({ c1: 1 })], {
    conversation,
    finalLength: 8,
  });
  const { messages } = machine.conversation;
  assert.equal(messages.find(({ id }) => id === left.id)?.status, "done");
  assert.equal(
    messages.find(({ id }) => id === empty.id),
    undefined,
  );
  assert.equal(messages.length, 8 + 4 + 1 + 1 + 2);
});
