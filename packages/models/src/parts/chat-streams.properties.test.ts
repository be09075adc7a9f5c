import assert from "node:assert/strict";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, test, vi } from "vitest";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "../index.ts";

type Fetch = typeof globalThis.fetch;

const baseURL = "http://provider.test/v1";
const apiKey = "sk-test";

/** The same model read by our own reader, and by its package alone. */
const models: Record<
  string,
  { own(fetch: Fetch): Promise<LanguageModelV4>; package(fetch: Fetch): LanguageModelV4 }
> = {
  "local/test": {
    own: (fetch) => resolve({ LOCAL_BASE_URL: baseURL }, "local/test", fetch),
    package: (fetch) => createOpenAICompatible({ name: "local", baseURL, includeUsage: true, fetch })("test"),
  },
  "openai/gpt-4.1": {
    own: (fetch) =>
      resolve(
        { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, OPENAI_API: "chat" },
        "openai/gpt-4.1",
        fetch,
      ),
    package: (fetch) => createOpenAI({ baseURL, apiKey, fetch }).chat("gpt-4.1"),
  },
};

async function resolve(settings: Record<string, string>, id: string, fetch: Fetch): Promise<LanguageModelV4> {
  const resolved = await createModels(readModelsConfig(settings), { fetch }).resolve(id);
  assert.ok(resolved.ok);
  return resolved.model;
}

interface Body {
  text: string;
  /** Where its bytes are split, as shares of its length. */
  cuts: number[];
  /** The share of its bytes that arrives. */
  arrives: number;
  /** The connection breaks instead of ending. */
  breaks: boolean;
}

function piecesOf({ text, cuts, arrives }: Body): Uint8Array[] {
  const all = Buffer.from(text);
  const bytes = all.subarray(0, Math.round(all.length * arrives));
  const at = [0, ...cuts.map((cut) => Math.round(cut * bytes.length)).sort((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, i) => new Uint8Array(bytes.subarray(at[i], end)));
}

const broken = Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" });

function replying(given: Body): Fetch {
  const left = piecesOf(given).filter(({ length }) => length > 0);
  const { breaks } = given;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const piece = left.shift();
      // A package forgets its unread parts when the connection breaks.
      if (breaks && piece === undefined) await new Promise(setImmediate);
      if (piece !== undefined) controller.enqueue(piece);
      else if (breaks) controller.error(new TypeError("terminated", { cause: broken }));
      else controller.close();
    },
  });
  return async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
}

interface Outcome {
  /** If the call fails, only those that show something. */
  parts: Array<Record<string, unknown>>;
  failure?: Partial<ModelFailure>;
}

/** The outcome for the engine: without the fields and the ids that it does not read. */
async function outcomeOf(model: LanguageModelV4): Promise<Outcome> {
  const parts: Array<Record<string, unknown>> = [];
  const ids = new Map<string, string>();
  const nameOf = (id: string) => {
    if (!id.startsWith("call_") && !ids.has(id)) ids.set(id, `id ${ids.size}`);
    return ids.get(id) ?? id;
  };
  try {
    for await (const part of streamModel(model, { prompt: [{ role: "user", content: [] }] }))
      if (part.type !== "stream-start") parts.push(seen(part, nameOf));
  } catch (error) {
    assert.ok(error instanceof ModelFailure, String(error));
    const { cause: _, thrown: __, ...failure } = { ...error, message: error.message };
    return {
      parts: parts.filter(
        ({ type, delta }) => type !== "response-metadata" && type !== "text-start" && delta !== "",
      ),
      failure,
    };
  }
  return { parts };
}

function seen(part: LanguageModelV4StreamPart, nameOf: (id: string) => string): Record<string, unknown> {
  if (part.type === "finish") {
    const { providerMetadata: _, usage, ...rest } = part;
    return { ...rest, usage: { ...usage, raw: undefined } };
  }
  if (part.type === "response-metadata") return JSON.parse(JSON.stringify(part));
  if (part.type === "tool-call") return { ...part, toolCallId: nameOf(part.toolCallId) };
  return "id" in part && typeof part.id === "string" ? { ...part, id: nameOf(part.id) } : part;
}

const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  fc.constantFrom("", "naïve 日本 👩‍👩‍👧", "a\r\nb", "__proto__"),
);
const nothing = fc.constantFrom(undefined, null);
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary }, nothing);

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

/** The text of an event; a comment or an unnamed field may precede it. */
const event = (isOpenAi: boolean) =>
  fc
    .tuple(
      fc.constantFrom("", "", ": keep-alive\n", "event: message\nid: 7\n", "retry: 1\n", ":\n\n"),
      fc.oneof(
        { weight: 30, arbitrary: chunk(isOpenAi).map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: failed.map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.constantFrom("{", "", "[DONE]", '{"choices":[],\ndata: "usage":null}') },
        { weight: 1, arbitrary: fc.constant('{"__proto__":{"x":1},"choices":[]}') },
      ),
      fc.constantFrom("data: ", "data:"),
    )
    .map(([before, data, field]) => `${before}${field}${data}\n\n`);

const endings = [
  `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: {"choices":[],"usage":{"prompt_tokens":9}}\n\n`,
  `data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n`,
  "",
];

const body = (isOpenAi: boolean): fc.Arbitrary<Body> =>
  fc
    .record({
      events: fc.array(event(isOpenAi), { maxLength: 12 }),
      ending: fc.constantFrom(...endings),
      lineEnd: fc.constantFrom("\n", "\n", "\r\n", "\r"),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      arrives: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
      breaks: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map(({ events, ending, lineEnd, ...rest }) => {
      return { text: [...events, ending].join("").replaceAll("\n", lineEnd), ...rest };
    });

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
      await fc.assert(
        fc.asyncProperty(body(id.startsWith("openai")), async (given) => {
          const expected = await outcomeOf(model.package(replying(given)));
          const actual = await outcomeOf(await model.own(replying(given)));
          assert.deepEqual(actual.failure, expected.failure);
          if (expected.failure === undefined) assert.deepEqual(actual.parts, expected.parts);
          // A failing package drops its unread parts.
          else assert.deepEqual(actual.parts.slice(0, expected.parts.length), expected.parts);
        }),
        { numRuns: 200 },
      );
    });

    test(`a stream of ${id} that its reader knows never enters the streams of its package`, async () => {
      const given = { text: known, cuts: [0.5], arrives: 1, breaks: false };
      const decoders = vi.spyOn(globalThis, "TextDecoderStream");
      const { parts } = await outcomeOf(await model.own(replying(given)));
      assert.equal(decoders.mock.calls.length, 0);
      await outcomeOf(model.package(replying(given)));
      assert.equal(decoders.mock.calls.length, 1);
      assert.equal(parts.length, 5);
    });
  });
}
