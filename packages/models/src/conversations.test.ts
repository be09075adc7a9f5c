import assert from "node:assert/strict";
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import { describe, test } from "vitest";
import {
  type ScriptedProvider,
  type ScriptedTarget,
  startScriptedProvider,
  scriptedTargets as targets,
} from "../test/support/scripted-provider.ts";
import { createModels, providerSettings, readModelsConfig, streamModel } from "./index.ts";

const hello: LanguageModelV4Message = { role: "user", content: [{ type: "text", text: "Hello" }] };

async function send(
  provider: ScriptedProvider,
  { modelId, environment }: ScriptedTarget,
  prompt: LanguageModelV4Prompt,
): Promise<LanguageModelV4StreamPart[]> {
  const models = createModels(readModelsConfig(environment(provider.baseUrl)));
  const resolved = await models.resolve(modelId);
  assert.ok(resolved.ok);
  const parts: LanguageModelV4StreamPart[] = [];
  const settings = providerSettings(modelId, { thinking: "high", cache: "auto" });
  for await (const part of streamModel(resolved.model, { prompt, ...settings })) parts.push(part);
  return parts;
}

/** The answer in the form that is sent back: each part with the data that the provider expects to see again. */
function asMessages(parts: LanguageModelV4StreamPart[]): LanguageModelV4Prompt {
  type Content = Extract<LanguageModelV4Message, { role: "assistant" }>["content"];
  const content: Content = [];
  const results: Extract<LanguageModelV4Message, { role: "tool" }>["content"] = [];
  const texts = new Map<string, { text: string; providerOptions?: Content[number]["providerOptions"] }>();
  for (const part of parts) {
    const providerOptions = "providerMetadata" in part ? part.providerMetadata : undefined;
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const type = part.type === "text-start" ? ("text" as const) : ("reasoning" as const);
      const piece = { type, text: "" };
      texts.set(part.id, piece);
      content.push(piece);
    } else if (part.type === "text-delta" || part.type === "reasoning-delta") {
      const piece = texts.get(part.id);
      if (piece !== undefined) piece.text += part.delta;
    } else if (part.type === "tool-call") {
      const { toolCallId, toolName } = part;
      const input: unknown = JSON.parse(part.input);
      content.push({
        type: "tool-call",
        toolCallId,
        toolName,
        input,
        ...(providerOptions && { providerOptions }),
      });
      results.push({ type: "tool-result", toolCallId, toolName, output: { type: "json", value: { n: 1 } } });
    }
    const piece = "id" in part ? texts.get(part.id) : undefined;
    if (piece !== undefined && providerOptions !== undefined) piece.providerOptions = providerOptions;
  }
  const answer = { role: "assistant" as const, content };
  return results.length === 0 ? [answer] : [answer, { role: "tool", content: results }];
}

const lookUp = (q: string) => ({ name: "look-up", arguments: { q } });
const thinksAndCalls = {
  parts: [{ reasoning: "Hm." }, { text: "Wait." }, { toolCalls: [lookUp("a"), lookUp("b")] }],
};

// Conversations go to real adapters; the scripted provider refuses those that break its rules, and fails the test.
for (const target of targets) {
  const name = `${target.modelId} over ${target.format}`;
  describe(`conversations sent to ${name}`, () => {
    test(`${name} accepts its own reasoning, texts and calls back`, async (t) => {
      const steps = [thinksAndCalls, thinksAndCalls, { parts: [{ reasoning: "So." }, { text: "Done." }] }];
      const provider = await startScriptedProvider(t, { format: target.format, steps: [...steps, ...steps] });
      const prompt: LanguageModelV4Prompt = [hello];
      for (const _ of steps) prompt.push(...asMessages(await send(provider, target, prompt)));
      prompt.push(hello);
      for (const _ of steps) prompt.push(...asMessages(await send(provider, target, prompt)));
      provider.assertDone();
    });

    for (const other of targets) {
      test(`${name} accepts a turn that ${other.modelId} over ${other.format} began`, async (t) => {
        const steps = [thinksAndCalls];
        const earlier = await startScriptedProvider(t, { format: other.format, steps });
        const later = await startScriptedProvider(t, { format: target.format, steps: [...steps, ...steps] });
        const begun = asMessages(await send(earlier, other, [hello]));
        await send(later, target, [hello, ...begun]);
        await send(later, target, [hello, ...begun, hello]);
        later.assertDone();
      });
    }

    test(`${name} accepts calls without proof, such as those after a restoration`, async (t) => {
      const steps = [{ parts: [{ text: "Fine." }] }];
      const provider = await startScriptedProvider(t, { format: target.format, steps });
      const restored = asMessages([
        { type: "tool-call", toolCallId: "call_x", toolName: "look-up", input: "{}" },
        { type: "tool-call", toolCallId: "call_y", toolName: "look-up", input: "{}" },
      ]);
      await send(provider, target, [hello, ...restored, hello]);
      provider.assertDone();
    });
  });
}
