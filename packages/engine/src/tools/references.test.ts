import assert from "node:assert/strict";
import { test } from "vitest";
import { answer, call, results, start, text } from "../../test/support/model-parts.ts";
import { countingEnvironment, lines, play } from "../../test/support/play.ts";
import { ask, type Declared, open, programOf, put, say, serialize } from "../../test/support/programs.ts";
import { toUiMessages } from "../shown/ui-messages.ts";

const references = { guide: "Be nice. ".repeat(20), rules: "No fighting.", hidden: "Not for this thread." };
const read = (id: string, name: string) => call(id, "platform_reference_read", { name });

function program(agent: object = {}, declared: Declared = {}) {
  const config = { references: ["guide", "rules"], ...agent };
  return programOf({ blocks: [say("Hello"), ask()], references, agent: config, ...declared });
}

/** The results of its calls in the prompt of the model's last step. */
function toldIn({ calls }: ReturnType<typeof play>) {
  return (calls.at(-1)?.options.prompt ?? []).flatMap((message) =>
    message.role === "tool" ? message.content.flatMap((part) => ("output" in part ? part.output : [])) : [],
  );
}

test("the reference tools are offered only to threads with references", () => {
  const blocks = [say("Hello"), ask(), open("side"), ask({ thread: "side" })];
  const withSide = programOf({ blocks, references, agent: { references: ["rules"] } });
  const { calls } = play(withSide, [start, ...answer(text("Hi"))]);
  assert.deepEqual(
    calls.map(({ options }) => options.tools?.map(({ name }) => name)),
    [["platform_reference_list", "platform_reference_read"], undefined],
  );
});

test("calls of reference tools are answered inside the turn; users see only the tools' names", () => {
  const played = play(program(), [
    start,
    ...answer(call("c1", "platform_reference_list"), read("c2", "rules")),
    ...answer(text("No fighting, please.")),
  ]);
  assert.deepEqual(lines(played.events).slice(4), [
    "tool-input-start c1 platform_reference_list name",
    "tool-input-end c1",
    "tool-input-start c2 platform_reference_read name",
    "tool-input-end c2",
    "step-start 2",
    "text-start txt_1",
    "text-delta txt_1 No fighting, please.",
    "text-end txt_1",
    "block-end",
    "finish stop",
  ]);
  assert.deepEqual(toldIn(played), [
    {
      type: "json",
      value: [
        { name: "guide", description: "About guide" },
        { name: "rules", description: "About rules" },
      ],
    },
    { type: "text", value: "No fighting." },
  ]);
  const [, shown] = toUiMessages(played.machine.conversation);
  assert.deepEqual(shown?.parts.slice(0, 2), [
    {
      type: "tool-call",
      toolCallId: "c1",
      toolName: "platform_reference_list",
      displayName: "platform_reference_list",
      args: {},
      status: "done",
    },
    {
      type: "tool-call",
      toolCallId: "c2",
      toolName: "platform_reference_read",
      displayName: "platform_reference_read",
      args: {},
      status: "done",
    },
  ]);
});

for (const [what, name, error] of [
  ["close to an existing one", "rulez", 'The reference "rulez" does not exist. Did you mean "rules"?'],
  [
    "unlike any other",
    "weather",
    'The reference "weather" does not exist. platform_reference_list lists the available documents.',
  ],
  [
    "that only another thread has",
    "hidden",
    'The reference "hidden" does not exist. platform_reference_list lists the available documents.',
  ],
  [
    "that every object inherits",
    "constructor",
    'The reference "constructor" does not exist. platform_reference_list lists the available documents.',
  ],
] as const) {
  test(`reading a reference by a name ${what} returns a helpful error to the model`, () => {
    const played = play(program(), [start, ...answer(read("c1", name))]);
    assert.deepEqual(toldIn(played), [{ type: "error-text", value: error }]);
  });
}

test("invalid arguments of a reference tool are an error", () => {
  const played = play(program(), [start, ...answer(call("c1", "platform_reference_read", { name: 7 }))]);
  assert.deepEqual(toldIn(played), [{ type: "error-text", value: "arguments.name must be a string." }]);
});

test("a turn pauses only for the caller's calls of a step", () => {
  const played = play(program({ tools: ["find"] }, { tools: { find: "name" } }), [
    start,
    ...answer(read("c1", "rules"), call("c2", "find")),
  ]);
  assert.equal(played.outcome, "paused");
  assert.deepEqual(
    played.machine.frame.pendingToolCalls.map(({ toolCallId }) => toolCallId),
    ["c2"],
  );
  const after = played.machine.advance(results({ c2: "gold" })).at(-1);
  assert.ok(after?.type === "call-model");
  const told = after.call.options.prompt.flatMap((message) =>
    message.role === "tool" ? message.content : [],
  );
  assert.deepEqual(
    told.map((part) => "output" in part && part.output.type === "text" && part.output.value),
    ["No fighting.", "gold"],
  );
});

test("a thread that is not agentic calls its model again after reference calls, up to maxSteps", () => {
  const steps = [...answer(read("c1", "rules")), ...answer(read("c2", "guide"))];
  const played = play(program({ agentic: false, maxSteps: 2 }), [start, ...steps]);
  assert.equal(played.calls.length, 2);
  assert.deepEqual([played.outcome, lines(played.events).at(-1)], ["finished", "finish other"]);
  const answered = play(program({ agentic: false }), [
    start,
    ...answer(read("c1", "rules")),
    ...answer(text("Hi")),
  ]);
  assert.deepEqual([answered.calls.length, lines(answered.events).at(-1)], [2, "finish stop"]);
});

test("the content of a reference is limited like any tool result", () => {
  const played = play(program({ maxToolOutputTokens: 5 }), [start, ...answer(read("c1", "guide"))]);
  const [told] = toldIn(played);
  assert.match(told?.type === "text" ? told.value : "", /characters omitted/);
});

test("a read reference is stored by name, and later turns take its content from the program", () => {
  const environment = countingEnvironment();
  const first = play(program(), [start, ...answer(read("c1", "rules")), ...answer(text("Hi"))], {
    environment,
  });
  const stored = JSON.stringify(first.machine.conversation);
  assert.ok(!stored.includes("No fighting."));
  const next = play(program(), [start], { conversation: JSON.parse(stored), environment });
  assert.deepEqual(toldIn(next), [{ type: "text", value: "No fighting." }]);
});

test("a reference that an earlier version stored with its content is used unchanged", () => {
  const { machine } = play(program(), [start, ...answer(read("c1", "rules")), ...answer(text("Hi"))]);
  const stored = JSON.stringify(machine.conversation);
  const conversation = JSON.parse(stored.replace('"reference":"rules"', '"result":"Old rules."'));
  const next = play(program(), [start], { conversation, environment: countingEnvironment(50) });
  assert.deepEqual(toldIn(next), [{ type: "text", value: "Old rules." }]);
});

test("a serialised thread contains an abbreviated read of a reference", () => {
  const blocks = [say("Hello"), ask(), serialize("main", "COPY"), put("R", "COPY")];
  const agent = { references: ["guide", "rules"] };
  const { machine } = play(programOf({ blocks, references, agent }), [
    start,
    ...answer(read("c1", "rules")),
    ...answer(text("Hi")),
  ]);
  assert.match(
    String(machine.conversation.resources.R),
    /\[Called platform_reference_read with {"name":"rules"}: No fighting\.\]/,
  );
});

test("a thread without references gets an error for a call of a reference tool, and ends normally", () => {
  const played = play(program({ references: [], agentic: false }), [start, ...answer(read("c1", "rules"))]);
  assert.deepEqual([played.calls.length, played.outcome], [1, "finished"]);
  const [part] = played.machine.conversation.messages.at(-1)?.parts ?? [];
  assert.equal(
    part?.type === "tool-call" && part.error,
    'The tool "platform_reference_read" does not exist.',
  );
});

test("a caller's tool never replaces a platform tool", () => {
  const dynamicTools = [{ name: "platform_reference_read", description: "Mine", inputSchema: {} }];
  const { calls } = play(program(), [start], { dynamicTools });
  assert.equal(calls[0]?.options.tools?.length, 2);
  assert.ok(!JSON.stringify(calls[0]).includes("Mine"));
});
