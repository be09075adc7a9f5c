import assert from "node:assert/strict";
import { test } from "vitest";
import { finish, modelDone, parts, reasoning, start, text } from "../../test/support/model-parts.ts";
import { play } from "../../test/support/play.ts";
import { ask, programOf, say } from "../../test/support/programs.ts";
import { rollback } from "../conversation/rollback.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const program = programOf({ blocks: [say("Hello"), ask()] });
const typesOf = (list: ReadonlyArray<{ type: string }>) => list.map(({ type }) => type);

const played = play(program, [start, ...parts(reasoning(""), text(""), text("Hi"), [finish()]), modelDone]);

test("empty text and reasoning never appear in the stream", () => {
  const types = typesOf(played.events).filter((type) => /^(?:text|reasoning)-/.test(type));
  assert.deepEqual(types, ["text-start", "text-delta", "text-end"]);
});

test("empty text and reasoning never appear in the session", () => {
  const { conversation } = played.machine;
  const shown = toUiMessages(conversation).filter(({ role }) => role === "assistant");
  assert.deepEqual(
    shown.map((message) => typesOf(message.parts)),
    [["text"]],
  );
  const stored = conversation.messages.filter(({ role }) => role === "assistant");
  assert.deepEqual(
    stored.map((message) => typesOf(message.parts)),
    [["text"]],
  );
});

test("a reply that consists of an empty text keeps its message, which clients see without parts", () => {
  const { machine, events } = play(program, [start, ...parts(text(""), [finish()]), modelDone]);
  const { messageId } = machine.frame;
  assert.ok(events.some((event) => event.type === "start" && event.messageId === messageId));
  const shown = toUiMessages(machine.conversation).find(({ id }) => id === messageId);
  assert.deepEqual(shown?.parts, []);
  assert.ok(rollback(machine.conversation, messageId));
});

test("encrypted reasoning without text is stored for its provider and never shown", () => {
  const { machine, events } = play(program, [
    start,
    ...parts(reasoning("", "encrypted"), text("Hi"), [finish()]),
    modelDone,
  ]);
  assert.ok(!typesOf(events).some((type) => type.startsWith("reasoning-")));
  const [answer] = machine.conversation.messages.filter(({ role }) => role === "assistant");
  assert.deepEqual(typesOf(answer?.parts ?? []), ["reasoning", "text"]);
  const [shown] = toUiMessages(machine.conversation).filter(({ role }) => role === "assistant");
  assert.deepEqual(typesOf(shown?.parts ?? []), ["text"]);
});
