import assert from "node:assert/strict";
import { createXai } from "@ai-sdk/xai";
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

const settings = { XAI_BASE_URL: baseURL, XAI_API_KEY: apiKey };
const model: ComparedModel = {
  own: (fetch) => ownModel(settings, "xai/grok-4", fetch),
  package: (fetch) => createXai({ baseURL, apiKey, fetch }).languageModel("grok-4"),
};

type Event = { type: string; [key: string]: unknown };
type Item = (at: { output_index: number; item_id: string }) => Event[];

const texts = fc.array(text, { maxLength: 3 });
const citation = fc.constantFrom(
  { type: "url_citation", url: "https://a.example/", title: "A" },
  { type: "url_citation", url: "https://b.example/" },
  { type: "other" },
);
const citations = fc.array(citation, { maxLength: 2 });
const begun = ["response.output_item.added"];
const both = [...begun, "response.output_item.done"];

const message = fc.record({ texts, citations, late: citations }).map(
  ({ texts, citations, late }): Item =>
    (at) => {
      const whole = { type: "output_text", text: texts.join(""), annotations: late };
      const item = { type: "message", id: at.item_id, role: "assistant", status: "completed" };
      return [
        { type: "response.output_item.added", ...at, item: { ...item, content: [] } },
        ...texts.map((delta) => ({
          type: "response.output_text.delta",
          ...at,
          content_index: 0,
          delta,
          logprobs: [],
        })),
        ...citations.map((annotation, annotation_index) => {
          return {
            type: "response.output_text.annotation.added",
            ...at,
            content_index: 0,
            annotation_index,
            annotation,
          };
        }),
        { type: "response.output_item.done", ...at, item: { ...item, content: [whole] } },
      ];
    },
);
/** A text without deltas. */
const sudden = text.map(
  (text): Item =>
    (at) => {
      const item = { type: "message", id: at.item_id, role: "assistant", status: "completed" };
      return both.map((type) => ({
        type,
        ...at,
        item: { ...item, content: [{ type: "output_text", text }] },
      }));
    },
);
const reasoning = fc
  .record({ texts, summaries: texts, secret: optional(fc.constantFrom("", "c2VjcmV0")) })
  .map(
    ({ texts, summaries, secret }): Item =>
      (at) => {
        const item = { type: "reasoning", id: at.item_id, summary: [], status: "completed" };
        const summary = { ...at, summary_index: 0 };
        return [
          { type: "response.output_item.added", ...at, item },
          ...(summaries.length > 0
            ? [
                {
                  type: "response.reasoning_summary_part.added",
                  ...summary,
                  part: { type: "summary_text", text: "" },
                },
              ]
            : []),
          ...summaries.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...summary, delta })),
          ...texts.map((delta) => ({
            type: "response.reasoning_text.delta",
            ...at,
            content_index: 0,
            delta,
          })),
          { type: "response.output_item.done", ...at, item: { ...item, encrypted_content: secret } },
        ];
      },
  );
const call = fc
  .record({
    pieces: fc.array(fc.constantFrom('{"q":', '"x"}', "{}"), { maxLength: 3 }),
    name: fc.constantFrom("search", "fetch"),
    call_id: fc.constantFrom("call_a", "call_b"),
  })
  .map(
    ({ pieces, name, call_id }): Item =>
      (at) => {
        const item = { type: "function_call", id: at.item_id, call_id, name };
        return [
          { type: "response.output_item.added", ...at, item: { ...item, arguments: "" } },
          ...pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
          { type: "response.function_call_arguments.done", ...at, arguments: pieces.join("") },
          { type: "response.output_item.done", ...at, item: { ...item, arguments: pieces.join("") } },
        ];
      },
  );
const search: Item = (at) => {
  const item = {
    type: "web_search_call",
    id: "call_s",
    name: "web_search",
    arguments: '{"query":"x"}',
    status: "completed",
  };
  return [
    { type: "response.output_item.added", ...at, item },
    { type: "response.output_item.done", ...at, item: { ...item, action: { type: "search", query: "x" } } },
  ];
};

const count = fc.nat(1000);
const usage = fc.record({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: fc.option(fc.record({ cached_tokens: count }), { nil: undefined }),
  output_tokens_details: fc.option(fc.record({ reasoning_tokens: count }), { nil: undefined }),
});
const started = { id: "resp_1", object: "response", created_at: 1_770_000_000, model: "grok-4", output: [] };
const ending = fc.oneof(
  fc
    .record({ usage, status: fc.constantFrom("completed", "length", "new") })
    .map((rest): Event => ({ type: "response.completed", response: { ...started, ...rest } })),
  fc
    .record({ usage, reason: optional(fc.constantFrom("max_output_tokens", "content_filter", "new")) })
    .map(({ usage, reason }): Event => {
      const incomplete_details = reason ? { reason } : null;
      return {
        type: "response.incomplete",
        response: { ...started, status: "incomplete", usage, incomplete_details },
      };
    }),
);

/** A response with its events in order; now and then one is missing or moved. */
const response = fc
  .record({
    items: fc.array(
      fc.oneof(
        { weight: 5, arbitrary: message },
        { weight: 3, arbitrary: reasoning },
        { weight: 3, arbitrary: call },
        sudden,
        fc.constant(search),
      ),
      { maxLength: 5 },
    ),
    ending,
    swap: fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.tuple(fc.nat(20), fc.nat(20))),
  })
  .map(({ items, ending, swap }) => {
    const created = ["response.created", "response.in_progress"].map((type) => ({ type, response: started }));
    const shown = items.flatMap((item, at) => item({ output_index: at, item_id: `item_${at}` }));
    const events: Event[] = [...created, ...shown, ending];
    if (swap !== undefined) {
      const [moved] = events.splice(swap[0] % events.length, 1);
      if (moved !== undefined && swap[1] % 3 > 0) events.splice(swap[1] % events.length, 0, moved);
    }
    return events;
  });
const failures: fc.Arbitrary<unknown> = fc.constantFrom(
  { type: "error", code: "server_error", message: "Overloaded", param: null },
  {
    type: "response.failed",
    response: { ...started, status: "failed", error: { code: "x", message: "Slow down" } },
  },
  { type: "response.output_text.delta", item_id: "item_0", output_index: 0, content_index: 0, delta: 7 },
  { type: "response.unknown" },
  { choices: [] },
  null,
);

const frame = (event: unknown) => `data: ${JSON.stringify(event)}\n\n`;

test("the engine receives from xAI the parts of its package, whatever the stream and its end", async () => {
  const odd = eventsOf(fc.constant({ type: "response.in_progress", response: started }), failures, []);
  const events = fc.tuple(response, odd, fc.nat(30)).map(([known, one, place]) => {
    const frames = known.map(frame);
    frames.splice(place, 0, one);
    return frames;
  });
  await compareReaders(model, bodiesOf(events, ["", "data: [DONE]\n\n"]));
});

test("xAI's package reads a stream from a search on, and none without one", async () => {
  const [made] = fc.sample(fc.tuple(reasoning, message, call), 1);
  const items = made ?? assert.fail();
  for (const extra of [[], [search]]) {
    const events: Event[] = [...items, ...extra].flatMap((item, i) =>
      item({ output_index: i, item_id: `item_${i}` }),
    );
    const end = { type: "response.completed", response: { ...started, status: "completed" } };
    const body = [{ type: "response.created", response: started }, ...events, end].map(frame).join("");
    const given = { text: body, cuts: [0.4], arrives: 1, breaks: false };
    const { reads, outcome } = await packageReads(await model.own(replying(given)));
    assert.equal(reads, extra.length);
    assert.deepEqual(outcome, await outcomeOf(model.package(replying(given))));
  }
});
