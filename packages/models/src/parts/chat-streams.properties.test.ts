import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import fc from "fast-check";
import { describe, test } from "vitest";
import {
  apiKey,
  baseURL,
  bodiesOf,
  type ComparedModel,
  compareReaders,
  eventsOf,
  nothing,
  optional,
  outcomeOf,
  ownModel,
  packageReads,
  replying,
  text,
} from "../../test/support/compare-readers.ts";
import { streamModel } from "../index.ts";

const models: Record<string, ComparedModel> = {
  "local/test": {
    own: (fetch) => ownModel({ LOCAL_BASE_URL: baseURL }, "local/test", fetch),
    package: (fetch) => createOpenAICompatible({ name: "local", baseURL, includeUsage: true, fetch })("test"),
  },
  "openai/gpt-4.1": {
    own: (fetch) =>
      ownModel(
        { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, OPENAI_API: "chat" },
        "openai/gpt-4.1",
        fetch,
      ),
    package: (fetch) => createOpenAI({ baseURL, apiKey, fetch }).chat("gpt-4.1"),
  },
};

const toolCall = (isOpenAi: boolean) =>
  fc.record({
    index: isOpenAi ? fc.nat(2) : optional(fc.nat(2)),
    id: optional(fc.constantFrom("call_a", "call_b", "", " ")),
    ...(isOpenAi && { type: fc.constantFrom("function", undefined, null) }),
    function: fc.record({
      name: optional(fc.constantFrom("search", "fetch", "", " ")),
      arguments: optional(fc.constantFrom("", '{"q":', '"x"}', "{}", "[1", "]", " ", '"日本')),
    }),
    ...(!isOpenAi && {
      extra_content: optional(
        fc.record({ google: optional(fc.record({ thought_signature: optional(text) })) }),
      ),
    }),
  });
const piece = fc.oneof(
  fc.record({ type: fc.constant("text"), text: fc.oneof(text, fc.constant(1)) }),
  fc.record({
    type: fc.constant("thinking"),
    thinking: fc.oneof(
      fc.array(fc.oneof(fc.record({ type: fc.constant("text"), text }), fc.constant(null))),
      text,
    ),
  }),
  fc.record({ type: fc.constant("image_url") }),
);
const citation = fc.record({
  type: fc.constant("url_citation"),
  url_citation: fc.record({ start_index: fc.nat(), end_index: fc.nat(), url: fc.webUrl(), title: text }),
});
const delta = (isOpenAi: boolean) =>
  fc.oneof(
    fc.record({ content: text }),
    fc.record({ role: fc.constant("assistant"), content: text }),
    fc.record({ tool_calls: fc.array(toolCall(isOpenAi), { maxLength: 3 }) }),
    fc.record(
      {
        content: isOpenAi ? optional(text) : fc.oneof(optional(text), fc.array(piece, { maxLength: 3 })),
        refusal: isOpenAi ? optional(text) : fc.oneof(optional(text), fc.constant(false)),
        reasoning_content: optional(text),
        reasoning: optional(text),
        tool_calls: optional(fc.array(toolCall(isOpenAi), { maxLength: 2 })),
        annotations: isOpenAi ? optional(fc.array(citation, { maxLength: 2 })) : nothing,
      },
      { requiredKeys: [] },
    ),
    fc.constant({}),
  );
const count = optional(fc.nat(1000));
const usage = fc.record(
  {
    prompt_tokens: count,
    completion_tokens: count,
    prompt_tokens_details: optional(fc.record({ cached_tokens: count, cache_write_tokens: count })),
    completion_tokens_details: optional(
      fc.record({ reasoning_tokens: count, accepted_prediction_tokens: count }),
    ),
  },
  { requiredKeys: [] },
);
const finishReason = fc.constantFrom(
  "stop",
  "length",
  "tool_calls",
  "function_call",
  "content_filter",
  "other",
  "",
);
const chunk = (isOpenAi: boolean) => {
  const choice = fc.record({
    index: fc.constant(0),
    delta: fc.oneof({ weight: 6, arbitrary: delta(isOpenAi) }, nothing),
    finish_reason: fc.oneof({ weight: 6, arbitrary: nothing }, finishReason),
  });
  return fc.record(
    {
      id: optional(text),
      model: optional(text),
      created: optional(fc.nat(2_000_000_000)),
      choices: fc.oneof({ weight: 8, arbitrary: fc.tuple(choice) }, fc.constant([])),
      usage: fc.oneof({ weight: 4, arbitrary: nothing }, usage),
    },
    { requiredKeys: ["choices"] },
  );
};
const failed = fc.constantFrom(
  { error: { message: "Overloaded", type: "overloaded_error", code: null } },
  { error: { message: "No money left", code: "insufficient_quota" } },
  { error: { message: "Slow down", code: 429 } },
  { error: { message: "The context length is exceeded", type: "invalid_request_error" } },
  { error: { message: 7 } },
  { error: "no object" },
  { choices: [{ index: 0, delta: { content: 5 } }] },
  { choices: [{ index: 0, delta: { content: "x", tool_calls: [{ index: 0, function: "search" }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 1 }] },
  { choices: {} },
  { choices: [], usage: { prompt_tokens: "many" } },
  [],
  null,
  "text",
);

const event = (isOpenAi: boolean) =>
  eventsOf(chunk(isOpenAi), failed, [
    '{"choices":[],\ndata: "usage":null}',
    '{"__proto__":{"x":1},"choices":[]}',
  ]);

const endings = [
  `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":9}}\n\n`,
  `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
  "",
];

test("the engine receives what an event of OpenAI shows before its unexpected part", async () => {
  const calls = [
    { index: 0, id: "", type: "function", function: { name: "search" } },
    { index: 1, id: "call_a", type: "function", function: {} },
  ];
  const text = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: calls } }] })}\n\n`;
  const model = models["openai/gpt-4.1"] ?? assert.fail();
  const given = { text, cuts: [], arrives: 1, breaks: false };
  const [expected, actual] = [
    await outcomeOf(model.package(replying(given))),
    await outcomeOf(await model.own(replying(given))),
  ];
  assert.deepEqual(actual, expected);
  assert.deepEqual(
    actual.parts.map(({ type }) => type),
    ["tool-input-start"],
  );
});

test("an error before the first output of OpenAI leaves no parts", async () => {
  const start = `data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}\n\n`;
  const text = `${start}data: {"error":{"message":"Overloaded","code":503}}\n\n`;
  const { own } = models["openai/gpt-4.1"] ?? {};
  const model = await own?.(replying({ text, cuts: [], arrives: 1, breaks: false }));
  const types: string[] = [];
  await assert.rejects(async () => {
    for await (const { type } of streamModel(model ?? assert.fail(), { prompt: [] })) types.push(type);
  }, /overloaded/i);
  assert.deepEqual(types, []);
});

const known = `data: {"id":"1","choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n${endings[0]}`;

for (const [id, model] of Object.entries(models)) {
  describe(`chat completions of ${id}`, () => {
    test(`the engine receives from ${id} the parts of its package, whatever the stream and its end`, async () => {
      const events = fc.array(event(id.startsWith("openai")), { maxLength: 12 });
      await compareReaders(model, bodiesOf(events, endings));
    });

    test(`a stream of ${id} that its reader knows never enters the streams of its package`, async () => {
      const given = { text: known, cuts: [0.5], arrives: 1, breaks: false };
      const own = await packageReads(await model.own(replying(given)));
      assert.equal(own.reads, 0);
      assert.equal(own.outcome.parts.length, 4);
      assert.equal((await packageReads(model.package(replying(given)))).reads, 1);
    });
  });
}
