import assert from "node:assert/strict";
import { test } from "vitest";
import { answer, call, failed, parts, start, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, emptyConversation, play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";

const hello = [say("Hello"), ask()];

test("a call id that a provider repeats identifies only one call", () => {
  const program = programOf({ blocks: hello, tools: { find: "name" } });
  const { machine } = play(program, [start, ...answer(call("0", "find"), call("0", "find"))]);
  const ids = machine.frame.pendingToolCalls.map(({ toolCallId }) => toolCallId);
  assert.equal(ids[0], "0");
  assert.match(ids[1] ?? "", /^call_/);
});

test("the id of a retracted call is never reused", () => {
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

test("call ids that other providers refuse are replaced", () => {
  const program = programOf({ blocks: hello, tools: { find: "name" } });
  const { machine } = play(program, [start, ...answer(call("functions.find:0", "find"))]);
  assert.match(machine.frame.pendingToolCalls[0]?.toolCallId ?? "", /^call_/);
});

test("the start event names the last message that users saw before", () => {
  const environment = countingEnvironment();
  const conversation = emptyConversation();
  const blocks = [say("Hello"), ask(), say("Check it.", { visible: false }), ask()];
  const program = programOf({ blocks });
  play(program, [start, ...answer(text("Hi")), ...answer(text("Done"))], { conversation, environment });
  const [first] = play(program, [start], { conversation, environment }).events;
  assert.equal(first?.type === "start" && first.lastMessageId, "msg_1");
});
