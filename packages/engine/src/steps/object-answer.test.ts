import assert from "node:assert/strict";
import { test } from "vitest";
import { answer, finish, modelDone, parts, start, text } from "../../test/support/model-parts.ts";
import { lines, play } from "../../test/support/play.ts";
import { ask, programOf, put, say } from "../../test/support/programs.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const mood = {
  name: "Mood",
  schema: { type: "object", properties: { mood: { type: "string" } }, required: ["mood"] },
};

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

for (const [what, words, problem] of [
  ["text that is not JSON", "glad", "It is not complete JSON."],
  ["an object of another type", '{"mood":1}', "Mood.mood must be a string."],
  ["an object without a field", "{}", "Mood.mood is required."],
  ["an object that breaks off", '{"mood":"gla', "It is not complete JSON."],
] as const) {
  test(`${what} is retracted, and the model corrects it`, () => {
    const played = play(program, [start, ...answer(text(words)), ...answer(text('{"mood":"glad"}'))]);
    assert.equal(played.outcome, "finished");
    assert.deepEqual(played.machine.conversation.resources, { R: { mood: "glad" } });
    const shown = lines(played.events);
    assert.equal(shown.filter((line) => line.startsWith("step-discard")).length, 1, shown.join());
    const [message] = toUiMessages(played.machine.conversation).slice(1);
    assert.deepEqual(
      message?.parts.flatMap((part) => (part.type === "object" ? [[part.status, part.object]] : [])),
      [["done", { mood: "glad" }]],
    );
    assert.deepEqual(played.calls[1]?.options.prompt.slice(1), [
      { role: "assistant", content: [{ type: "text", text: words }] },
      {
        role: "user",
        content: [
          {
            type: "text",
            text: `Your response does not have the required type. ${problem} Respond again, with the corrected JSON only.`,
          },
        ],
      },
    ]);
    assert.deepEqual(played.calls[1]?.options.responseFormat, played.calls[0]?.options.responseFormat);
  });
}

test("a second failure ends the turn with an error, and no variable gets an invalid value", () => {
  const played = play(program, [start, ...answer(text("glad")), ...answer(text('{"mood":1}'))]);
  assert.equal(played.outcome, "failed");
  assert.deepEqual(lines(played.events).slice(-2), [
    "block-end",
    "error execution_error The model's response is not a valid Mood.",
  ]);
  assert.deepEqual(played.machine.conversation.variables, {});
  assert.deepEqual(toUiMessages(played.machine.conversation)[1]?.parts, [
    { type: "object", id: "msg_1_txt_2", typeName: "Mood", status: "error", partial: { mood: 1 } },
  ]);
  assert.equal(played.calls.length, 2);
});

test("a response that the provider withholds is not requested again", () => {
  const played = play(program, [start, ...parts(text("I"), [finish("content-filter")]), modelDone]);
  assert.deepEqual([played.outcome, played.calls.length], ["failed", 1]);
});

test("a later step does not read the failed object, nor the request to correct it", () => {
  const blocks = [say("Hello"), ask({ responseType: mood }), say("And now?"), ask()];
  const inputs = [start, ...answer(text("glad")), ...answer(text('{"mood":"glad"}')), ...answer(text("Bye"))];
  const played = play(programOf({ blocks }), inputs);
  assert.deepEqual(
    played.calls.at(-1)?.options.prompt.map(({ role, content }) => [role, content]),
    [
      ["user", [{ type: "text", text: "Hello" }]],
      ["assistant", [{ type: "text", text: '{"mood":"glad"}' }]],
      ["user", [{ type: "text", text: "And now?" }]],
    ],
  );
});
