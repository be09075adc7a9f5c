import assert from "node:assert/strict";
import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";

const follows: Record<LanguageModelV4Message["role"], string[]> = {
  system: ["system", "user"],
  user: ["assistant"],
  assistant: ["user", "tool"],
  tool: ["assistant", "user"],
};

/** Checks the requirements of the strictest providers on a prompt. */
export function checkPrompt(prompt: LanguageModelV4Prompt): void {
  assert.ok(JSON.stringify(prompt).isWellFormed());
  assert.ok(prompt.some(({ role }) => role === "user"));
  assert.notEqual(prompt.at(-1)?.role, "assistant");
  const ids = new Set<string>();
  for (const [index, message] of prompt.entries()) {
    const next = prompt[index + 1];
    assert.ok(message.content.length > 0, "no message is empty");
    if (next !== undefined)
      assert.ok(follows[message.role].includes(next.role), `${message.role}, ${next.role}`);
    if (message.role === "assistant" || message.role === "user") checkWords(message);
    if (message.role === "assistant") checkCalls(message, next, ids);
    if (message.role === "tool") assert.equal(prompt[index - 1]?.role, "assistant");
  }
  assert.ok(["system", "user"].includes(prompt[0]?.role ?? ""));
}

function checkWords({ content }: Extract<LanguageModelV4Message, { role: "assistant" | "user" }>): void {
  for (const part of content) if (part.type === "text") assert.notEqual(part.text.trim(), "");
  assert.notEqual(content.at(-1)?.type, "reasoning");
}

type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;

function checkCalls(
  { content }: Assistant,
  next: LanguageModelV4Message | undefined,
  seen: Set<string>,
): void {
  const calls = content.filter((part) => part.type === "tool-call");
  for (const { toolCallId, toolName, input } of calls) {
    assert.match(toolCallId, /^[A-Za-z0-9_-]{1,40}$/);
    assert.match(toolName, /^[A-Za-z0-9_-]{1,64}$/);
    assert.ok(!(toolName in Object.prototype), toolName);
    assert.ok(
      typeof input === "object" && input !== null && !Array.isArray(input),
      "arguments are an object",
    );
    assert.ok(!seen.has(toolCallId), "a call id is used once");
    seen.add(toolCallId);
  }
  const results = next?.role === "tool" ? next.content : [];
  assert.deepEqual(
    results.map((part) => part.type === "tool-result" && part.toolCallId),
    calls.map(({ toolCallId }) => toolCallId),
    "each call is followed by exactly one result",
  );
}
