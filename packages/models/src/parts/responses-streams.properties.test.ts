import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
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

const settings = { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, OPENAI_API: "responses" };
const model: ComparedModel = {
  own: (fetch) => ownModel(settings, "openai/gpt-5", fetch),
  package: (fetch) => createOpenAI({ baseURL, apiKey, fetch }).responses("gpt-5"),
};

type Event = { type: string; [key: string]: unknown };
/** An output item, as the events that show it at its place. */
type Item = (at: { output_index: number; item_id: string }) => Event[];

const started = { id: "resp_1", created_at: 1_770_000_000, model: "gpt-5" };
const phase = optional(fc.constantFrom("commentary", "final_answer"));
const texts = fc.array(text, { maxLength: 3 });

const message = fc.record({ texts, refusals: texts, early: phase, late: phase }).map(
  ({ texts, refusals, early, late }): Item =>
    (at) => {
      const item = { type: "message", id: at.item_id };
      return [
        { type: "response.output_item.added", ...at, item: { ...item, phase: early, content: [] } },
        { type: "response.content_part.added", ...at, content_index: 0 },
        ...texts.map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
        ...refusals.map((delta) => ({ type: "response.refusal.delta", ...at, delta })),
        ...(refusals.length > 0
          ? [{ type: "response.refusal.done", ...at, refusal: refusals.join("") }]
          : []),
        { type: "response.output_item.done", ...at, item: { ...item, phase: late, content: [] } },
      ];
    },
);
const secret = optional(fc.constantFrom("", "c2VjcmV0"));
const reasoning = fc
  .record({ summaries: fc.array(texts, { maxLength: 3 }), early: secret, late: secret })
  .map(
    ({ summaries, early, late }): Item =>
      (at) => {
        const item = { type: "reasoning", id: at.item_id, summary: [] };
        return [
          { type: "response.output_item.added", ...at, item: { ...item, encrypted_content: early } },
          ...summaries.flatMap((deltas, summary_index) => {
            const summary = { ...at, summary_index };
            return [
              { type: "response.reasoning_summary_part.added", ...summary },
              ...deltas.map((delta) => ({
                type: "response.reasoning_summary_text.delta",
                ...summary,
                delta,
              })),
              { type: "response.reasoning_summary_part.done", ...summary },
            ];
          }),
          { type: "response.output_item.done", ...at, item: { ...item, encrypted_content: late } },
        ];
      },
  );
const call = fc
  .record({
    pieces: fc.array(fc.constantFrom('{"q":', '"x"}', "{}", "日本"), { maxLength: 3 }),
    name: fc.oneof({ weight: 9, arbitrary: fc.constantFrom("search", "fetch") }, fc.constant("parallel")),
    call_id: fc.constantFrom("call_a", "call_b"),
    extra: fc.oneof(
      { weight: 9, arbitrary: fc.constant({}) },
      fc.constantFrom({ namespace: "n" }, { async: true }, { caller: { type: "direct" } }),
    ),
  })
  .map(
    ({ pieces, name, call_id, extra }): Item =>
      (at) => {
        const item = { type: "function_call", id: at.item_id, call_id, name, ...extra };
        return [
          { type: "response.output_item.added", ...at, item: { ...item, arguments: "" } },
          ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
          { type: "response.function_call_arguments.done", ...at, arguments: pieces.join("") },
          {
            type: "response.output_item.done",
            ...at,
            item: { ...item, status: "completed", arguments: pieces.join("") },
          },
        ];
      },
  );
const search: Item = (at) => {
  const item = { type: "web_search_call", id: "call_s", status: "completed" };
  const action = { type: "search", query: "x", sources: [{ type: "url", url: "https://a.example/" }] };
  return [
    { type: "response.output_item.added", ...at, item: { ...item, status: "in_progress" } },
    { type: "response.web_search_call.searching", ...at },
    { type: "response.output_item.done", ...at, item: { ...item, action } },
  ];
};
const citing: Item = (at) => {
  const annotation = {
    type: "url_citation",
    start_index: 0,
    end_index: 1,
    url: "https://b.example/",
    title: "B",
  };
  return [
    { type: "response.output_item.added", ...at, item: { type: "message", id: at.item_id } },
    { type: "response.output_text.delta", ...at, delta: "B" },
    { type: "response.output_text.annotation.added", ...at, annotation_index: 0, annotation },
    { type: "response.output_text.delta", ...at, delta: " says" },
    { type: "response.output_item.done", ...at, item: { type: "message", id: at.item_id } },
  ];
};
const compaction: Item = (at) => [
  {
    type: "response.output_item.done",
    ...at,
    item: { type: "compaction", id: at.item_id, encrypted_content: "x" },
  },
];

const count = fc.integer({ min: 100, max: 1000 });
const fewer = fc.nat(50);
const usage = fc.record(
  {
    input_tokens: count,
    output_tokens: count,
    input_tokens_details: optional(
      fc.record({ cached_tokens: optional(fewer), cache_write_tokens: optional(fewer) }),
    ),
    output_tokens_details: optional(fc.record({ reasoning_tokens: optional(fewer) })),
  },
  { requiredKeys: ["input_tokens", "output_tokens"] },
);
const ending = fc.oneof(
  fc.record({ type: fc.constant("response.completed"), response: fc.record({ usage: optional(usage) }) }),
  fc
    .record({ usage, reason: fc.constantFrom("max_output_tokens", "content_filter", "new") })
    .map(({ usage, reason }): Event => {
      return { type: "response.incomplete", response: { usage, incomplete_details: { reason } } };
    }),
);

/** A response with its events in order; now and then one is missing or moved, or ids change between events. */
const response = fc
  .record({
    items: fc.array(
      fc.oneof(
        { weight: 6, arbitrary: message },
        { weight: 4, arbitrary: reasoning },
        { weight: 4, arbitrary: call },
        fc.constantFrom(search, citing, compaction),
      ),
      { maxLength: 5 },
    ),
    ending,
    rotates: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
    swap: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.tuple(fc.nat(20), fc.nat(20))),
  })
  .map(({ items, ending, rotates, swap }) => {
    const created = ["response.created", "response.in_progress"].map((type) => ({ type, response: started }));
    const shown = items.flatMap((item, at) =>
      item({ output_index: at, item_id: `item_${at}` }).map((event, i) => {
        return rotates && "delta" in event ? { ...event, item_id: `item_${at}_${i}` } : event;
      }),
    );
    const events: Event[] = [...created, ...shown, ending];
    if (swap !== undefined) {
      const [moved] = events.splice(swap[0] % events.length, 1);
      if (moved !== undefined && swap[1] % 3 > 0) events.splice(swap[1] % events.length, 0, moved);
    }
    return events;
  });

const failures: fc.Arbitrary<Event | null | object> = fc.constantFrom(
  { type: "error", code: "server_error", message: "Overloaded", param: null, sequence_number: 1 },
  { type: "error", code: "context_length_exceeded", message: "Too long", param: "input", sequence_number: 1 },
  {
    type: "response.failed",
    sequence_number: 1,
    response: { error: { code: "rate_limit_exceeded", message: "Slow down" } },
  },
  {
    type: "response.failed",
    sequence_number: 1,
    response: { incomplete_details: { reason: "max_output_tokens" } },
  },
  { type: "response.output_text.delta", item_id: "item_0", delta: 7 },
  { type: "response.output_item.added", output_index: 9, item: { type: "hologram", id: "h" } },
  { type: "response.created", response: {} },
  { choices: [{ index: 0, delta: { content: "x" } }] },
  null,
);

const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;
const whole = (events: Event[]) => ({
  text: events.map(frame).join(""),
  cuts: [0.4],
  arrives: 1,
  breaks: false,
});
const at = (output_index: number) => ({ output_index, item_id: `item_${output_index}` });

test("the engine receives from OpenAI's responses the parts of its package, whatever the stream and its end", async () => {
  const odd = eventsOf(fc.constant({ type: "response.new" }), failures, ['{"__proto__":{"x":1}}']);
  const events = fc.tuple(response, odd, fc.nat(30)).map(([known, one, place]) => {
    const frames = known.map((event) => `event: ${event.type}\n${frame(event)}`);
    frames.splice(place, 0, one);
    return frames;
  });
  await compareReaders(model, bodiesOf(events, ["", "data: [DONE]\n\n"]));
});

test("reasoning to send back and a call in pieces of OpenAI's responses never enter the streams of its package", async () => {
  const [made] = fc.sample(
    fc
      .tuple(reasoning, message, call)
      .filter(([, , item]) => !JSON.stringify(item(at(2))).match(/parallel|namespace|async|caller/)),
    1,
  );
  const items = made ?? assert.fail();
  const given = whole([
    { type: "response.created", response: started },
    ...items.flatMap((item, i) => item(at(i))),
    { type: "response.completed", response: { usage: { input_tokens: 4, output_tokens: 5 } } },
  ]);
  const { reads, outcome } = await packageReads(await model.own(replying(given)));
  const expected = await packageReads(model.package(replying(given)));
  assert.deepEqual([reads, expected.reads], [0, 1]);
  assert.deepEqual(outcome, expected.outcome);
  assert.ok(outcome.parts.some(({ type }) => type === "tool-call"));
});

test("a search and citations in OpenAI's responses are read by its package, after what was shown before", async () => {
  const before: Item = (place) => [
    { type: "response.output_item.added", ...place, item: { type: "message", id: place.item_id } },
    { type: "response.output_text.delta", ...place, delta: "I search." },
    { type: "response.output_item.done", ...place, item: { type: "message", id: place.item_id } },
  ];
  const call = { type: "function_call", id: "item_1", call_id: "call_a", name: "find", arguments: "{}" };
  const called: Item = (place) => [
    { type: "response.output_item.added", ...place, item: { ...call, arguments: "" } },
    { type: "response.output_item.done", ...place, item: { ...call, status: "completed" } },
  ];
  const given = whole([
    { type: "response.created", response: started },
    ...[before, called, search, citing].flatMap((item, i) => item(at(i))),
    { type: "response.completed", response: { usage: { input_tokens: 4, output_tokens: 5 } } },
  ]);
  const { reads, outcome } = await packageReads(await model.own(replying(given)));
  assert.equal(reads, 1);
  assert.deepEqual(outcome, await outcomeOf(model.package(replying(given))));
  assert.ok(outcome.parts.some(({ type }) => type === "source"));
});
