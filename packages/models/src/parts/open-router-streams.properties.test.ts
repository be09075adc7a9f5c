import assert from "node:assert/strict";
import { createOpenRouter } from "@openrouter/ai-sdk-provider";
import fc from "fast-check";
import { test } from "vitest";
import {
  apiKey,
  baseURL,
  bodiesOf,
  type ComparedModel,
  compareReaders,
  eventsOf,
  nothing,
  optional,
  ownModel,
  packageReads,
  replying,
  text,
} from "../../test/support/compare-readers.ts";

const id = "aggregator/anthropic/claude-sonnet-4.5";
const settings = { OPENROUTER_BASE_URL: baseURL, OPENROUTER_API_KEY: apiKey };
const model: ComparedModel = {
  own: (fetch) => ownModel(settings, id, fetch),
  package: (fetch) =>
    createOpenRouter({ baseURL, apiKey, fetch, compatibility: "strict" }).chat("anthropic/claude-sonnet-4.5"),
};

const format = optional(fc.constantFrom("anthropic-claude-v1", "openai-responses-v1", "unknown", "other-v9"));
const detail = fc.oneof(
  fc.record(
    { type: fc.constant("reasoning.text"), text: optional(text), signature: optional(text), format },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("reasoning.summary"), summary: text, id: optional(text), format }),
  fc.record({ type: fc.constant("reasoning.encrypted"), data: text, index: fc.nat(3), format }),
  fc.constantFrom({ type: "reasoning.new", data: "x" }, { type: "reasoning.summary" }, null, "x"),
);
const toolCall = fc.record(
  {
    index: optional(fc.nat(2)),
    id: optional(fc.constantFrom("call_a", "call_b", "")),
    type: fc.oneof({ weight: 9, arbitrary: fc.constant("function") }, fc.constant(undefined)),
    function: fc.record({
      name: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("search", "fetch", "") }, nothing),
      arguments: optional(fc.constantFrom("", '{"q":', '"x"}', "{}", "[1", "]", " ", "7", '{"a":"}"')),
    }),
  },
  { requiredKeys: ["type", "function"] },
);
const annotation = fc.oneof(
  fc.record({
    type: fc.constant("url_citation"),
    url_citation: fc.record(
      { url: fc.webUrl(), title: text, start_index: fc.nat(), content: text },
      { requiredKeys: ["url"] },
    ),
  }),
  fc.record({ type: fc.constant("file"), file: fc.record({ hash: text, name: text }) }),
);
const delta = fc.oneof(
  fc.record({ role: fc.constant("assistant"), content: text }),
  fc.record({ reasoning: text, reasoning_details: fc.array(detail, { maxLength: 3 }) }),
  fc.record({ content: fc.constant(""), tool_calls: fc.array(toolCall, { maxLength: 3 }) }),
  fc.record(
    {
      content: optional(text),
      reasoning: optional(text),
      reasoning_details: optional(fc.array(detail, { maxLength: 2 })),
      images: optional(fc.constant([{ type: "image_url", image_url: { url: "data:image/png;base64,AA" } }])),
      tool_calls: optional(fc.array(toolCall, { maxLength: 2 })),
      annotations: optional(fc.array(annotation, { maxLength: 2 })),
      refusal: nothing,
    },
    { requiredKeys: [] },
  ),
);
const tokens = fc.nat(1000);
const usage = fc.record(
  {
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_tokens_details: optional(
      fc.record({ cached_tokens: tokens, cache_write_tokens: optional(tokens) }),
    ),
    completion_tokens_details: optional(fc.record({ reasoning_tokens: tokens })),
    cost: fc.double({ min: 0, max: 9, noNaN: true }),
    cost_details: optional(fc.record({ upstream_inference_cost: optional(fc.nat()) })),
  },
  { requiredKeys: ["prompt_tokens", "completion_tokens", "total_tokens"] },
);
const finishReason = fc.constantFrom(
  "stop",
  "length",
  "tool_calls",
  "function_call",
  "content_filter",
  "error",
);
const choice = fc.record(
  {
    index: fc.constant(0),
    delta: fc.oneof({ weight: 6, arbitrary: delta }, nothing),
    finish_reason: fc.oneof({ weight: 6, arbitrary: nothing }, finishReason),
    native_finish_reason: nothing,
  },
  { requiredKeys: ["index"] },
);
const chunk = fc.record(
  {
    id: text,
    provider: fc.constantFrom("Anthropic", "Azure"),
    model: text,
    object: fc.constant("chat.completion.chunk"),
    choices: fc.oneof({ weight: 8, arbitrary: fc.tuple(choice) }, fc.constant([])),
    usage: fc.oneof({ weight: 4, arbitrary: nothing }, usage),
  },
  { requiredKeys: ["choices"] },
);
const failed = fc.constantFrom(
  { error: { message: "Overloaded", code: 503, metadata: { provider_name: "Anthropic" } } },
  { error: { message: "No credits left", code: 402 } },
  {
    id: "gen-1",
    error: { code: "server_error", message: "Provider disconnected unexpectedly" },
    choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
  },
  { error: { message: "The context length is exceeded", type: "invalid_request_error" } },
  { error: { message: 7 } },
  { choices: [{ index: 0, delta: { content: 5 } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 9, function: { name: "search" } }] } }] },
  { choices: {} },
  {},
  [],
  null,
);

const frame = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const ending = (finish_reason: string) => frame({ choices: [{ index: 0, delta: {}, finish_reason }] });
const endings = [ending("stop"), `${ending("tool_calls")}data: [DONE]\n\n`, ""];

test("the engine receives from OpenRouter the parts of its package, whatever the stream and its end", async () => {
  const events = fc.array(eventsOf(chunk, failed, ['{"__proto__":{"x":1},"choices":[]}']), {
    maxLength: 12,
  });
  await compareReaders(model, bodiesOf(events, endings));
});

test("reasoning with a signature and a call in pieces of OpenRouter never enter the streams of its package", async () => {
  const deltas = [
    { role: "assistant", content: "" },
    { reasoning: "Let me", reasoning_details: [{ type: "reasoning.text", text: "Let me", index: 0 }] },
    { reasoning_details: [{ type: "reasoning.text", signature: "c2ln", index: 0 }] },
    { content: "I look." },
    { tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name: "search" } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{"q":' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '"x"}' } }] },
  ];
  const body = deltas.map((delta) => frame({ id: "gen-1", choices: [{ index: 0, delta }] })).join("");
  const given = { text: body + endings[1], cuts: [0.3, 0.7], arrives: 1, breaks: false };
  const { reads, outcome } = await packageReads(await model.own(replying(given)));
  const expected = await packageReads(model.package(replying(given)));
  assert.deepEqual([reads, expected.reads], [0, 1]);
  assert.deepEqual(outcome, expected.outcome);
  const ended = outcome.parts.find(({ type }) => type === "reasoning-end");
  assert.match(JSON.stringify(ended), /"signature":"c2ln"/);
});
