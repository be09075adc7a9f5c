import assert from "node:assert/strict";
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import { test } from "vitest";
import { readied } from "./model-calls.ts";

const result = (toolCallId: string, value: Record<string, string>) => ({
  type: "tool-result" as const,
  toolCallId,
  toolName: "look-up",
  output: { type: "json" as const, value },
});

test("only large tool results become text, and other work runs after each of them", async () => {
  const large = { text: "x".repeat(200_000) };
  const prompt: LanguageModelV4Prompt = [
    { role: "user", content: [{ type: "text", text: "Hello" }] },
    { role: "tool", content: [result("a", large), result("b", { text: "small" }), result("c", large)] },
  ];
  let pauses = 0;
  const call = await readied({ modelId: "local/m", options: { prompt } }, true, async () => {
    pauses += 1;
  });
  const asText = { type: "text" as const, value: JSON.stringify(large) };
  assert.deepEqual(call.options.prompt, [
    prompt[0],
    {
      role: "tool",
      content: [
        { ...result("a", large), output: asText },
        result("b", { text: "small" }),
        { ...result("c", large), output: asText },
      ],
    },
  ]);
  assert.equal(pauses, 3);
});

test("a prompt of many messages yields to other work before it becomes a request, and a short one goes at once", async () => {
  for (const [count, expected] of [
    [499, 0],
    [500, 1],
  ] as const) {
    const prompt = Array.from({ length: count }, () => ({ role: "system" as const, content: "Hello" }));
    let pauses = 0;
    const call = { modelId: "local/m", options: { prompt } };
    const ready = await readied(call, false, async () => {
      pauses += 1;
    });
    assert.equal(pauses, expected, `${count} messages`);
    assert.deepEqual(ready, call);
  }
});
