import assert from "node:assert/strict";
import { createAnthropic } from "@ai-sdk/anthropic";
import fc from "fast-check";
import { test } from "vitest";
import {
  apiKey,
  baseURL,
  bodiesOf,
  type ComparedModel,
  compareReaders,
  eventsOf,
  optional,
  outcomeOf,
  ownModel,
  packageReads,
  replying,
  text,
} from "../../test/support/compare-readers.ts";

const id = "anthropic/claude-sonnet-4-5";
const settings = { ANTHROPIC_BASE_URL: baseURL, ANTHROPIC_API_KEY: apiKey };
const model: ComparedModel = {
  own: (fetch) => ownModel(settings, id, fetch),
  package: (fetch) => createAnthropic({ baseURL, apiKey, fetch }).languageModel("claude-sonnet-4-5"),
};

type Event = { type: string; [key: string]: unknown };

const none = fc.constant({ type: "text_delta", text: "" });
const count = fc.nat(1000);
const usage = fc.record(
  {
    input_tokens: count,
    output_tokens: count,
    cache_creation_input_tokens: optional(count),
    cache_read_input_tokens: optional(count),
    service_tier: optional(fc.constant("standard")),
  },
  { requiredKeys: ["input_tokens", "output_tokens"] },
);
const start = fc.record({ id: optional(text), model: optional(text), usage }).map((message): Event => {
  return { type: "message_start", message: { type: "message", role: "assistant", content: [], ...message } };
});

interface Scripted {
  block: Record<string, unknown>;
  deltas: Array<Record<string, unknown>>;
}

const scripted = (block: fc.Arbitrary<Scripted["block"]>, delta: fc.Arbitrary<Record<string, unknown>>) =>
  fc.record({ block, deltas: fc.array(delta, { maxLength: 4 }) });
const textDelta = fc.record({ type: fc.constant("text_delta"), text });
const toolUse = fc.record(
  {
    type: fc.constant("tool_use"),
    id: fc.constantFrom("call_a", "call_b"),
    name: fc.constantFrom("search", "fetch"),
    input: fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, fc.constant({ q: "x" })),
    caller: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      fc.constant({ type: "direct" }),
      fc.constant({ type: "code_execution_20250825", tool_id: "srvtoolu_1" }),
    ),
  },
  { requiredKeys: ["type", "id", "name"] },
);
const location = fc.constantFrom(
  {
    type: "web_search_result_location",
    cited_text: "c",
    url: "https://a.example/",
    title: "A",
    encrypted_index: "x",
  },
  {
    type: "char_location",
    cited_text: "c",
    document_index: 0,
    document_title: null,
    start_char_index: 0,
    end_char_index: 1,
  },
);
const own = fc.oneof(
  { weight: 4, arbitrary: scripted(fc.constant({ type: "text", text: "" }), textDelta) },
  scripted(
    fc.constant({ type: "thinking", thinking: "", signature: "" }),
    fc.oneof(
      fc.record({ type: fc.constant("thinking_delta"), thinking: text }),
      fc.record({ type: fc.constant("signature_delta"), signature: text }),
    ),
  ),
  scripted(
    fc.record({ type: fc.constant("redacted_thinking"), data: text }),
    fc.constant({ type: "text_delta", text: "?" }),
  ),
  scripted(
    toolUse,
    fc.record({
      type: fc.constant("input_json_delta"),
      partial_json: fc.constantFrom("", '{"q":', '"x"}', "{}", '"日本'),
    }),
  ),
);
const ofPackage = fc.oneof(
  scripted(
    fc.constant({ type: "text", text: "", citations: [] }),
    fc.oneof(textDelta, fc.record({ type: fc.constant("citations_delta"), citation: location })),
  ),
  scripted(
    fc.constant({ type: "server_tool_use", id: "call_s", name: "web_search", input: {} }),
    fc.record({ type: fc.constant("input_json_delta"), partial_json: fc.constantFrom('{"query":', '"x"}') }),
  ),
  scripted(
    fc.constant({
      type: "web_search_tool_result",
      tool_use_id: "call_s",
      content: [{ type: "web_search_result", url: "https://a.example/", title: "A", encrypted_content: "x" }],
    }),
    none,
  ),
  scripted(
    fc.constant({ type: "compaction", content: null }),
    fc.record({ type: fc.constant("compaction_delta"), content: text }),
  ),
  scripted(fc.constant({ type: "fallback", from: { model: "a" }, to: { model: "b" } }), none),
  scripted(
    fc.constant({ type: "mcp_tool_use", id: "call_m", name: "list", input: {}, server_name: "s" }),
    none,
  ),
);

const eventsOfBlock = ({ block, deltas }: Scripted, index: number): Event[] => [
  { type: "content_block_start", index, content_block: block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];

const stop = fc
  .tuple(
    fc.constantFrom(
      "end_turn",
      "tool_use",
      "max_tokens",
      "refusal",
      "pause_turn",
      "stop_sequence",
      "new",
      null,
    ),
    usage,
    optional(fc.record({ thinking_tokens: optional(fc.nat(9)) })),
    fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      fc.constant([{ type: "message", input_tokens: 5, output_tokens: 6 }]),
    ),
  )
  .map(([stop_reason, usage, output_tokens_details, iterations]): Event => {
    return {
      type: "message_delta",
      delta: { stop_reason },
      usage: { ...usage, output_tokens_details, iterations },
    };
  });

/** A reply with its events in order; now and then one is missing, repeated or moved. */
const reply = fc
  .record({
    start,
    blocks: fc.array(fc.oneof({ weight: 6, arbitrary: own }, ofPackage), { maxLength: 5 }),
    stop,
    pings: fc.nat(6),
    swap: fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, fc.tuple(fc.nat(12), fc.nat(12))),
  })
  .map(({ start, blocks, stop, pings, swap }) => {
    const events = [start, ...blocks.flatMap(eventsOfBlock), stop, { type: "message_stop" }];
    events.splice(pings % events.length, 0, { type: "ping" });
    if (swap !== undefined) {
      const [moved] = events.splice(swap[0] % events.length, 1);
      if (moved !== undefined && swap[1] % 3 > 0) events.splice(swap[1] % events.length, 0, moved);
    }
    return events;
  });

const failures: fc.Arbitrary<Event | null> = fc.constantFrom(
  { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  {
    type: "error",
    error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
  },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 7 } },
  { type: "content_block_start", index: "0", content_block: { type: "text", text: "" } },
  { type: "message_start", message: { id: "other", content: [], usage: { input_tokens: 1 } } },
  null,
);

const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const framesOf = (events: Event[]) => events.map((event) => `event: ${event.type}\n${frame(event)}`);
const additions = [
  { type: "weather_report", sky: "blue" },
  { type: "content_block_start", index: 9, content_block: { type: "hologram", size: 3 } },
  { type: "content_block_delta", index: 9, delta: { type: "hologram_delta", light: "x" } },
  { type: "content_block_delta", index: 0, delta: { type: "colour_delta", red: 1 } },
];
const whole = (events: unknown[]) => ({
  text: events.map(frame).join(""),
  cuts: [0.4],
  arrives: 1,
  breaks: false,
});

test("the engine receives from Anthropic the parts of its package, whatever the stream and its end", async () => {
  const odd = eventsOf(fc.constant({ type: "ping" }), failures, ['{"__proto__":{"x":1}}']);
  const events = fc.tuple(reply, odd, fc.nat(30)).map(([known, one, at]) => {
    const frames = framesOf(known);
    frames.splice(at, 0, one);
    return frames;
  });
  await compareReaders(model, bodiesOf(events, [""]));
});

test("additions to Anthropic's stream change nothing, wherever they are", async () => {
  const places = fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...additions)), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(reply, places, async (events, added) => {
      const more: Event[] = [...events];
      for (const [at, event] of added) more.splice(at, 0, event);
      const expected = await outcomeOf(model.package(replying(whole(events))));
      assert.deepEqual(await outcomeOf(await model.own(replying(whole(more)))), expected);
    }),
    { numRuns: 100 },
  );
});

test("thinking with a signature and a call in pieces of Anthropic never enter the streams of its package", async () => {
  const blocks: Scripted[] = [
    {
      block: { type: "thinking", thinking: "", signature: "" },
      deltas: [
        { type: "thinking_delta", thinking: "Let me" },
        { type: "signature_delta", signature: "c2ln" },
      ],
    },
    { block: { type: "redacted_thinking", data: "aGlk" }, deltas: [] },
    { block: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "I look." }] },
    {
      block: { type: "tool_use", id: "call_a", name: "search", input: {} },
      deltas: ['{"q":', '"x"}'].map((partial_json) => ({ type: "input_json_delta", partial_json })),
    },
  ];
  const given = whole([
    {
      type: "message_start",
      message: { id: "msg_1", content: [], usage: { input_tokens: 4, cache_read_input_tokens: 3 } },
    },
    ...blocks.flatMap(eventsOfBlock),
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]);
  const { reads, outcome } = await packageReads(await model.own(replying(given)));
  const expected = await packageReads(model.package(replying(given)));
  assert.deepEqual([reads, expected.reads], [0, 1]);
  assert.deepEqual(outcome, expected.outcome);
});

test("a search by Anthropic in the middle of a reply is read by its package, after what was shown before", async () => {
  const result = {
    type: "web_search_result",
    url: "https://a.example/",
    title: "A",
    encrypted_content: "x",
  };
  const blocks: Scripted[] = [
    { block: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "I search." }] },
    {
      block: { type: "server_tool_use", id: "call_s", name: "web_search", input: { query: "x" } },
      deltas: [],
    },
    { block: { type: "web_search_tool_result", tool_use_id: "call_s", content: [result] }, deltas: [] },
    { block: { type: "text", text: "" }, deltas: [{ type: "text_delta", text: "Found." }] },
  ];
  const given = whole([
    { type: "message_start", message: { id: "msg_1", content: [], usage: { input_tokens: 4 } } },
    ...blocks.flatMap(eventsOfBlock),
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ]);
  const { reads, outcome } = await packageReads(await model.own(replying(given)));
  assert.equal(reads, 1);
  assert.deepEqual(outcome, await outcomeOf(model.package(replying(given))));
  assert.ok(outcome.parts.some(({ type }) => type === "source"));
});
