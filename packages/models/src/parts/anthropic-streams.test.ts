import assert from "node:assert/strict";
import { test } from "vitest";
import { type ScriptedPart, startScriptedProvider } from "../../test/support/scripted-provider.ts";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "../index.ts";

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
