import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { toUiMessages } from "../shown/ui-messages.ts";
import { answer, start, text } from "../testing/model-parts.ts";
import { lines, play } from "../testing/play.ts";
import { ask, programOf, put, say } from "../testing/programs.ts";

const mood = {
  name: "Mood",
  schema: { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] },
};

describe("structured output", () => {
  const program = programOf({
    blocks: [say("Hello"), ask({ responseType: mood, output: "OUT" }), put("R", "OUT")],
  });

  test("an object is streamed as JSON text, stored, and written to the output variable", () => {
    const played = play(program, [start, ...answer(text('```json\n{"mood":"glad"}\n```'))]);
    assert.ok(lines(played.events).includes("text-start txt_1 Mood"));
    assert.deepEqual(played.machine.conversation.resources, { R: { mood: "glad" } });
    assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts[0], {
      type: "object",
      id: "msg_1_txt_1",
      typeName: "Mood",
      status: "done",
      object: { mood: "glad" },
    });
    assert.deepEqual(played.calls[0]?.options.responseFormat, {
      type: "json",
      name: "Mood",
      schema: mood.schema,
    });
  });

  for (const [what, words, partial] of [
    ["text that is not JSON", "glad", {}],
    ["an object of another type", '{"mood":1}', { partial: { mood: 1 } }],
    ["an object that breaks off", '{"mood":"gla', { partial: { mood: "gla" } }],
  ] as const) {
    test(`${what} ends the turn with an error, and no variable gets an invalid value`, () => {
      const played = play(program, [start, ...answer(text(words))]);
      assert.equal(played.outcome, "failed");
      assert.deepEqual(lines(played.events).slice(-2), [
        "block-end",
        "error execution_error The model's response is not a valid Mood.",
      ]);
      assert.deepEqual(played.machine.conversation.variables, {});
      assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts, [
        { type: "object", id: "msg_1_txt_1", typeName: "Mood", status: "error", ...partial },
      ]);
    });
  }
});
