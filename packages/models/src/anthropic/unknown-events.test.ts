import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { type ScriptedPart, startScriptedProvider } from "../../test/support/scripted-provider.ts";
import { BodyGate, Pace } from "../http/body-gate.ts";
import { BodyStream } from "../http/body-stream.ts";
import { defaultResponseBounds } from "../http/response-bounds.ts";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "../index.ts";
import { skipFirstEvents } from "./skip-first-events.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];
const modelId = "anthropic/claude-sonnet-4-5";

const event = (value: { type: string; [key: string]: unknown }) =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
const unknownEvent = event({ type: "weather_report", sky: "blue" });

async function textOf(
  t: Parameters<typeof startScriptedProvider>[0],
  parts: ScriptedPart[],
): Promise<string> {
  const provider = await startScriptedProvider(t, { format: "anthropic", steps: [{ parts }] });
  const models = createModels(readModelsConfig({ ANTHROPIC_BASE_URL: provider.baseUrl }));
  const resolved = await models.resolve(modelId);
  assert.ok(resolved.ok);
  let text = "";
  let last: string | undefined;
  for await (const part of streamModel(resolved.model, { prompt })) {
    if (part.type === "text-delta") text += part.delta;
    last = part.type;
  }
  assert.equal(last, "finish");
  return text;
}

describe("additions to Anthropic's stream", () => {
  const unknownBlock = [
    event({ type: "content_block_start", index: 7, content_block: { type: "hologram", size: 3 } }),
    event({ type: "content_block_delta", index: 7, delta: { type: "hologram_delta", light: "x" } }),
    event({ type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "never shown" } }),
    event({ type: "content_block_stop", index: 7 }),
  ].join("");
  const unknownDelta = event({
    type: "content_block_delta",
    index: 0,
    delta: { type: "colour_delta", red: 1 },
  });

  for (const [what, raw] of [
    ["event", unknownEvent],
    ["block", unknownBlock],
    ["delta", unknownDelta],
  ] as const) {
    test(`an unknown ${what} in the middle of Anthropic's reply is skipped`, async (t) => {
      assert.equal(await textOf(t, [{ text: "Hello " }, { raw }, { text: "there" }]), "Hello there");
    });

    test(`an unknown ${what} before the first text of Anthropic's reply is skipped`, async (t) => {
      assert.equal(await textOf(t, [{ raw }, { text: "Hello" }]), "Hello");
    });
  }

  test("a known event of Anthropic's stream with invalid content still fails the call", async (t) => {
    const raw = event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: 7 } });
    const provider = await startScriptedProvider(t, {
      format: "anthropic",
      steps: [{ parts: [{ raw }], ending: "hang" }],
    });
    const resolved = await createModels(readModelsConfig({ ANTHROPIC_BASE_URL: provider.baseUrl })).resolve(
      modelId,
    );
    assert.ok(resolved.ok);
    const { model } = resolved;
    await assert.rejects(async () => {
      for await (const _ of streamModel(model, { prompt }));
    }, ModelFailure);
  });
});

describe("the first events of a stream", () => {
  const known = event({ type: "message_start", text: "größe" });

  async function filtered(text: string, chunkBytes: number): Promise<string> {
    const bytes = Buffer.from(text);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += chunkBytes)
      chunks.push(new Uint8Array(bytes.subarray(at, at + chunkBytes)));
    const fetch = skipFirstEvents(
      async () =>
        new Response(ReadableStream.from(chunks), { headers: { "content-type": "text/event-stream" } }),
    );
    return (await fetch("http://host/")).text();
  }

  test("unknown events before the first known one are dropped, regardless of how the bytes are split", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 300 }), async (chunkBytes) => {
        const start = `: hello\n\n${unknownEvent}${unknownEvent.replaceAll("\n", "\r\n")}`;
        const rest = `${known}${unknownEvent}${known}`;
        assert.equal(await filtered(start + rest, chunkBytes), rest);
      }),
      { numRuns: 50 },
    );
  });

  test("the body of the client of model calls is edited in place, without a second stream around it", async () => {
    const source = { pause() {}, resume() {}, abort() {} };
    const bounds = defaultResponseBounds;
    const body = new BodyStream(source, new BodyGate(200, bounds), new Pace(bounds.maxBytesPerSecond));
    const response = new Response(body.stream, { headers: { "content-type": "text/event-stream" } });
    assert.equal(await skipFirstEvents(async () => response)("http://host/"), response);
    const reader = response.body?.getReader();
    assert.ok(reader);
    let text = "";
    for (const piece of [unknownEvent.slice(0, 30), unknownEvent.slice(30) + known, unknownEvent]) {
      body.push(Buffer.from(piece));
      text += Buffer.from((await reader.read()).value ?? []).toString();
    }
    body.end();
    assert.ok((await reader.read()).done);
    assert.equal(text, known + unknownEvent);
  });

  test("an unfinished first event is passed on at the end of the body of the client of model calls", async () => {
    const source = { pause() {}, resume() {}, abort() {} };
    const bounds = defaultResponseBounds;
    const body = new BodyStream(source, new BodyGate(200, bounds), new Pace(bounds.maxBytesPerSecond));
    const response = new Response(body.stream, { headers: { "content-type": "text/event-stream" } });
    body.push(Buffer.from("data: {nonsense"));
    body.end();
    const passed = await skipFirstEvents(async () => response)("http://host/");
    assert.equal(await passed.text(), "data: {nonsense");
  });

  test("a body without events passes the filter of first events unchanged", async () => {
    for (const text of ["", "{", "data: {nonsense\n\n", `data: ${"x".repeat(100_000)}`])
      assert.equal(await filtered(text, 4096), text);
  });

  test("the filter of first events leaves error responses and other content types alone", async () => {
    for (const init of [
      { status: 500, headers: { "content-type": "text/event-stream" } },
      { status: 200, headers: { "content-type": "application/json" } },
    ]) {
      const response = new Response(unknownEvent, init);
      assert.equal(await skipFirstEvents(async () => response)("http://host/"), response);
    }
  });
});
