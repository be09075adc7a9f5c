import assert from "node:assert/strict";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import fc from "fast-check";
import { vi } from "vitest";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "../../src/index.ts";

type Fetch = typeof globalThis.fetch;

/** Where the compared models look for their provider. */
export const baseURL = "http://provider.test/v1";
export const apiKey = "sk-test";

/** The same model read by our own reader, and by its package alone. */
export interface ComparedModel {
  own(fetch: Fetch): Promise<LanguageModelV4>;
  package(fetch: Fetch): LanguageModelV4;
}

/** `id` with the settings of the environment. */
export async function ownModel(
  settings: Record<string, string>,
  id: string,
  fetch: Fetch,
): Promise<LanguageModelV4> {
  const resolved = await createModels(readModelsConfig(settings), { fetch }).resolve(id);
  assert.ok(resolved.ok);
  return resolved.model;
}

/** The body of a response. */
export interface Body {
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

/** A provider that replies with this body. */
export function replying(given: Body): Fetch {
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

export interface Outcome {
  /** If the call fails, only those that show something. */
  parts: Array<Record<string, unknown>>;
  failure?: Partial<ModelFailure>;
}

/** Leave no trace in the engine. */
const unread = new Set(["stream-start", "response-metadata", "file", "custom"]);

/** The outcome for the engine: without the fields and the ids that it does not read. */
export async function outcomeOf(model: LanguageModelV4): Promise<Outcome> {
  const parts: Array<Record<string, unknown>> = [];
  const ids = new Map<string, string>();
  const nameOf = (id: string) => {
    if (!id.startsWith("call_") && !ids.has(id)) ids.set(id, `id ${ids.size}`);
    return ids.get(id) ?? id;
  };
  try {
    for await (const part of streamModel(model, { prompt: [{ role: "user", content: [] }] }))
      if (!unread.has(part.type)) parts.push(seen(part, nameOf));
  } catch (error) {
    assert.ok(error instanceof ModelFailure, String(error));
    const { cause: _, thrown: __, ...failure } = { ...error, message: error.message };
    return {
      parts: stored(parts.filter(({ type, delta }) => type !== "text-start" && delta !== "")),
      failure,
    };
  }
  return { parts: stored(parts) };
}

/** The stored form. Metadata may grow after its part. */
function stored(parts: Outcome["parts"]): Outcome["parts"] {
  return JSON.parse(JSON.stringify(parts));
}

function seen(part: LanguageModelV4StreamPart, nameOf: (id: string) => string): Record<string, unknown> {
  if (part.type === "response-metadata") return {};
  if (part.type === "finish") {
    const { providerMetadata: _, usage, ...rest } = part;
    return { ...rest, usage: { ...usage, raw: undefined } };
  }
  if (part.type === "source") return { ...part, id: "", providerMetadata: undefined };
  if (part.type === "tool-call") return { ...part, toolCallId: nameOf(part.toolCallId) };
  return "id" in part && typeof part.id === "string" ? { ...part, id: nameOf(part.id) } : part;
}

export const text = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  fc.constantFrom("", "naïve 日本 👩‍👩‍👧", "a\r\nb", "__proto__"),
);
export const nothing = fc.constantFrom(undefined, null);
export const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.oneof({ weight: 3, arbitrary }, nothing);

/** Events of a stream: mostly these values, seldom a failure or something that is no JSON. */
export const eventsOf = (values: fc.Arbitrary<unknown>, failures: fc.Arbitrary<unknown>, odd: string[]) =>
  fc
    .tuple(
      fc.constantFrom("", "", ": keep-alive\n", "event: message\nid: 7\n", "retry: 1\n", ":\n\n"),
      fc.oneof(
        { weight: 30, arbitrary: values.map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: failures.map((value) => JSON.stringify(value)) },
        { weight: 1, arbitrary: fc.constantFrom("{", "", "[DONE]", ...odd) },
      ),
      fc.constantFrom("data: ", "data:"),
    )
    .map(([before, data, field]) => `${before}${field}${data}\n\n`);

/** Bodies with these events and one of the endings, split, cut and broken anywhere. */
export const bodiesOf = (events: fc.Arbitrary<string[]>, endings: string[]): fc.Arbitrary<Body> =>
  fc
    .record({
      events,
      ending: fc.constantFrom(...endings),
      lineEnd: fc.constantFrom("\n", "\n", "\r\n", "\r"),
      cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 }),
      arrives: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.double({ min: 0, max: 1, noNaN: true })),
      breaks: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map(({ events, ending, lineEnd, ...rest }) => {
      return { text: [...events, ending].join("").replaceAll("\n", lineEnd), ...rest };
    });

/** Fails unless both readers show the engine the same; fast-check prints the seed and the shortest stream. */
export async function compareReaders(model: ComparedModel, bodies: fc.Arbitrary<Body>): Promise<void> {
  await fc.assert(
    fc.asyncProperty(bodies, async (given) => {
      const expected = await outcomeOf(model.package(replying(given)));
      const actual = await outcomeOf(await model.own(replying(given)));
      assert.deepEqual(actual.failure, expected.failure);
      if (expected.failure === undefined) assert.deepEqual(actual.parts, expected.parts);
      // A failing package drops its unread parts.
      else assert.deepEqual(actual.parts.slice(0, expected.parts.length), expected.parts);
    }),
    { numRuns },
  );
}

const numRuns = Number(process.env.READER_RUNS ?? 200);

/** How many streams of a package the reading of this body starts. */
export async function packageReads(model: LanguageModelV4): Promise<{ reads: number; outcome: Outcome }> {
  const decoders = vi.spyOn(globalThis, "TextDecoderStream");
  try {
    const outcome = await outcomeOf(model);
    return { reads: decoders.mock.calls.length, outcome };
  } finally {
    decoders.mockRestore();
  }
}
