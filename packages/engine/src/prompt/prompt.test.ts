import assert from "node:assert/strict";
import { test } from "vitest";
import type { Conversation, StoredMessage, StoredPart, ToolCallPart } from "../conversation/conversation.ts";
import { type PromptOptions, toPrompt } from "./prompt.ts";

function message(role: StoredMessage["role"], ...parts: StoredPart[]): StoredMessage {
  const createdAt = "2026-01-01T00:00:00.000Z";
  return { id: "msg", role, status: "done", createdAt, thread: "main", audience: "everyone", parts };
}

function text(words: string): StoredPart {
  return { type: "text", text: words, status: "done" };
}

function toolCall(more: Partial<ToolCallPart>): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: "c1",
    toolName: "find",
    display: "stream",
    source: "llm",
    args: {},
    status: "done",
    ...more,
  };
}

function promptOf(messages: StoredMessage[], options: Partial<PromptOptions> = {}) {
  const conversation: Conversation = { messages, variables: {}, resources: {} };
  return toPrompt(conversation, { threads: ["main"], ...options });
}

const hello = message("user", text("Hello"));

test("system messages come first, even those added later, because some providers accept them nowhere else", () => {
  const prompt = promptOf([hello, message("system", text("Be brief."))], { system: "Be kind." });
  assert.deepEqual(
    prompt.map(({ role, content }) => [role, content]),
    [
      ["system", "Be kind."],
      ["system", "Be brief."],
      ["user", [{ type: "text", text: "Hello" }]],
    ],
  );
});

test("steps of one message stay separate, so that each result follows its call at once", () => {
  const answer = message(
    "assistant",
    text("Let me look."),
    toolCall({ result: { n: 1 } }),
    { type: "step-start" },
    text("Found."),
  );
  assert.deepEqual(
    promptOf([hello, answer, message("user", text("Thanks"))]).map(({ role }) => role),
    ["user", "assistant", "tool", "assistant", "user"],
  );
});

for (const [status, value] of [
  ["cancelled", "cancelled: the call was not completed."],
  ["running", "unknown: the call has no result yet."],
  ["pending", "unknown: the call has no result yet."],
] as const) {
  test(`a ${status} call has a result in the prompt too`, () => {
    const [, , tool] = promptOf([hello, message("assistant", toolCall({ status }))]);
    assert.deepEqual(tool, {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "c1", toolName: "find", output: { type: "error-text", value } },
      ],
    });
  });
}

test("a failed call reports its error to the model; broken arguments and names reach providers in a valid form", () => {
  const broken = toolCall({ status: "error", error: "Not JSON.", args: '{"q', toolName: "a.b" });
  assert.deepEqual(promptOf([hello, message("assistant", broken)]).slice(1), [
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c1", toolName: "a_b", input: { invalidArguments: '{"q' } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "a_b",
          output: { type: "error-text", value: "Not JSON." },
        },
      ],
    },
  ]);
});

test("a call whose id is longer than some provider accepts goes to every model under a short one of its own", () => {
  const ids = ["a".repeat(40), "b".repeat(41), "c".repeat(64)];
  const answer = message("assistant", ...ids.map((toolCallId) => toolCall({ toolCallId, result: 1 })));
  const [, calls, results] = promptOf([hello, answer, hello]).map(({ content }) =>
    typeof content === "string" ? [] : content.map((part) => "toolCallId" in part && part.toolCallId),
  );
  assert.deepEqual(calls, results);
  assert.equal(calls?.[0], ids[0]);
  assert.equal(new Set(calls).size, 3);
  for (const id of calls ?? []) assert.match(String(id), /^[A-Za-z0-9_-]{1,40}$/);
});

test("calls of tool-call blocks are not the model's and are omitted from the prompt", () => {
  const answer = message("assistant", toolCall({ source: "block", result: 1 }), text("Hi"));
  assert.deepEqual(promptOf([hello, answer, hello])[1], {
    role: "assistant",
    content: [{ type: "text", text: "Hi" }],
  });
});

test("reasoning goes back with its provider's metadata, unless no output followed it", () => {
  const providerMetadata = { maker: { signature: "s" } };
  const thought: StoredPart = { type: "reasoning", text: "Hm", status: "done", providerMetadata };
  const prompt = promptOf([
    hello,
    message("assistant", thought, text("Hi")),
    hello,
    message("assistant", thought),
    hello,
  ]);
  assert.deepEqual(
    prompt.map(({ role }) => role),
    ["user", "assistant", "user"],
  );
  assert.deepEqual(prompt[1]?.content, [
    { type: "reasoning", text: "Hm", providerOptions: providerMetadata },
    { type: "text", text: "Hi" },
  ]);
});

test("empty messages are dropped, and a prompt neither begins nor ends with the assistant", () => {
  const prompt = promptOf([message("assistant", text("Welcome!")), message("user", text(" "))]);
  assert.deepEqual(
    prompt.map(({ role, content }) => [role, content]),
    [
      ["user", [{ type: "text", text: "Begin." }]],
      ["assistant", [{ type: "text", text: "Welcome!" }]],
      ["user", [{ type: "text", text: "Continue." }]],
    ],
  );
});

test("a result beyond maxToolOutputTokens becomes head, note and tail in the prompt; the stored one stays whole", () => {
  const result = `${"a".repeat(50)}${"b".repeat(50)}`;
  const part = toolCall({ result });
  const [, , tool] = promptOf([hello, message("assistant", part)], { maxToolOutputTokens: 2 });
  assert.deepEqual(tool?.role === "tool" && tool.content[0], {
    type: "tool-result",
    toolCallId: "c1",
    toolName: "find",
    output: { type: "text", value: "aaaa\n[… 92 characters omitted …]\nbbbb" },
  });
  assert.equal(part.result, result);
});

test("a cut result never contains half a character", () => {
  const part = toolCall({ result: `a${"😀".repeat(20)}a` });
  const prompt = promptOf([hello, message("assistant", part)], { maxToolOutputTokens: 3 });
  const [output] = prompt.flatMap((message) => (message.role === "tool" ? message.content : []));
  assert.ok(output?.type === "tool-result" && output.output.type === "text");
  assert.ok(output.output.value.isWellFormed());
  assert.match(JSON.stringify(prompt), /characters omitted/);
});
