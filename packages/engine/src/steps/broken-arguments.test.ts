import assert from "node:assert/strict";
import { test } from "vitest";
import { call, finish, modelDone, parts, start } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const program = programOf({ blocks: [say("Hello"), ask()], tools: { find: "stream" } });

for (const raw of ['{"city": "Ro', "[1, 2]", '"text"', "7", "null"]) {
  const played = play(program, [start, ...parts(call("c1", "find", { raw }), [finish("length")]), modelDone]);

  test(`the arguments ${raw} are an object in the stream`, () => {
    const [shown] = played.events.filter(({ type }) => type === "tool-input-available");
    assert.ok(shown?.type === "tool-input-available");
    assert.ok(typeof shown.input === "object" && shown.input !== null && !Array.isArray(shown.input));
  });

  test(`the arguments ${raw} are an object in the session, and the call has failed`, () => {
    const { conversation } = played.machine;
    const shown = toUiMessages(conversation).flatMap((message) => message.parts);
    const [stored] = conversation.messages
      .flatMap((message) => message.parts)
      .filter((part) => part.type === "tool-call");
    const [part] = shown.filter(({ type }) => type === "tool-call");
    for (const args of [stored?.args, part?.type === "tool-call" ? part.args : undefined])
      assert.ok(typeof args === "object" && args !== null && !Array.isArray(args), JSON.stringify(args));
    assert.equal(stored?.status, "error");
  });
}

test("a conversation that was stored with broken arguments can be read", () => {
  const { conversation } = play(program, [start, ...parts(call("c1", "find"))]).machine;
  for (const part of conversation.messages.flatMap((message) => message.parts))
    if (part.type === "tool-call") part.args = '{"city": "Ro';
  const [part] = toUiMessages(conversation)
    .flatMap((message) => message.parts)
    .filter(({ type }) => type === "tool-call");
  assert.ok(part?.type === "tool-call");
  assert.deepEqual(part.args, { invalidArguments: '{"city": "Ro' });
});
