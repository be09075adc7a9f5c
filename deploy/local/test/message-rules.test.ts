import assert from "node:assert/strict";
import { startScriptedProvider } from "@muster/models/testing";
import { record } from "@muster/testing";
import { test } from "vitest";
import { startTestServer } from "./support/server.ts";

const agent = {
  settings: { slug: "rules", name: "Rules", format: "interactive" },
  protocol: `
agent: { model: openai/gpt-4o-mini, agentic: true, tools: [look-up] }
triggers: { say: { input: { TEXT: { type: string } } } }
tools: { look-up: { description: Looks it up., parameters: { q: { type: string } } } }
handlers:
  say:
    Ask: { block: add-message, role: user, prompt: ask, input: [TEXT] }
    Answer: { block: next-message }
`,
  prompts: [{ name: "ask", content: "{{TEXT}}" }],
};

test("a turn is one assistant message, which is streaming with running calls while it waits for tools", async (t) => {
  const calls = ["a", "b"].map((id) => ({ id: `call_${id}`, name: "look-up", arguments: { q: id } }));
  const provider = await startScriptedProvider(t, {
    format: "openai",
    steps: [{ parts: [{ text: "Let me see." }, { toolCalls: calls }] }, { parts: [{ text: "Found one." }] }],
  });
  const { client } = await startTestServer(t, { OPENAI_API_KEY: "test", OPENAI_BASE_URL: provider.baseUrl });
  await client.json(201, "POST", "/api/agents", agent);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", {
    agentSlug: "rules",
  });
  const say = { triggerName: "say", input: { TEXT: "Look it up." } };
  const read = async () => {
    const { messages } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
    return Array.isArray(messages) ? messages.map(record) : [];
  };
  const partsOf = ({ parts }: Record<string, unknown>) =>
    Array.isArray(parts) ? parts.map(({ type, status }) => [type, status].filter(Boolean).join(" ")) : [];

  await client.trigger(sessionId, say);
  const waiting = await read();
  assert.deepEqual(
    waiting.map(({ role, status }) => [role, status]),
    [
      ["user", "done"],
      ["assistant", "streaming"],
    ],
  );
  assert.deepEqual(partsOf(waiting[1] ?? {}), ["text done", "tool-call running", "tool-call running"]);

  await client.trigger(sessionId, { ...say, toolResults: [{ toolCallId: "call_a", result: 1 }] });
  const ended = await read();
  assert.deepEqual(
    ended.map(({ id, status }) => [id, status]),
    waiting.map(({ id }) => [id, "done"]),
  );
  assert.deepEqual(partsOf(ended[1] ?? {}), [
    "text done",
    "tool-call done",
    "tool-call cancelled",
    "step-start",
    "text done",
  ]);
});
