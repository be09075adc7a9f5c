import assert from "node:assert/strict";
import { startScriptedProvider } from "@muster/models/testing";
import { test } from "vitest";
import { startTestServer } from "./support/server.ts";

const displays = ["hidden", "name", "title", "description", "stream"];

const agent = {
  settings: { slug: "outcomes", name: "Outcomes", format: "interactive" },
  protocol: `
agent: { model: openai/gpt-4o-mini, agentic: true, tools: [${displays.map((name) => `by-${name}`)}, by-failure] }
resources: { NOTE: { type: string } }
triggers: { say: { input: { TEXT: { type: string } } } }
tools:
${displays.map((name) => `  by-${name}: { description: Looks it up., display: ${name}, parameters: { q: { type: string } } }`).join("\n")}
  by-failure: { description: Looks it up., display: name, parameters: { q: { type: string } } }
handlers:
  say:
    Before: { block: set-resource, resource: NOTE, value: TEXT, display: name }
    Ask: { block: add-message, role: user, prompt: ask, input: [TEXT] }
    Answer: { block: next-message }
    Between: { block: set-resource, resource: NOTE, value: TEXT, display: title }
    Again: { block: next-message, display: name }
    More: { block: next-message }
`,
  prompts: [{ name: "ask", content: "{{TEXT}}" }],
};

test("a restored session shows the same outcomes in the same places, and its model learns which results were not kept", async (t) => {
  const calls = [...displays, "failure"].map((name) => ({
    ...{ id: `call_${name}`, name: `by-${name}` },
    arguments: { q: name },
  }));
  const rest = ["Found.", "Private.", "More.", "Welcome back.", "Private.", "More."];
  const provider = await startScriptedProvider(t, {
    format: "openai",
    steps: [
      { parts: [{ text: "Let me see." }, { toolCalls: calls }] },
      ...rest.map((text) => ({ parts: [{ text }] })),
    ],
  });
  const { client } = await startTestServer(t, { OPENAI_API_KEY: "test", OPENAI_BASE_URL: provider.baseUrl });
  await client.json(201, "POST", "/api/agents", agent);
  const { sessionId } = await client.json(201, "POST", "/api/agent-sessions", { agentSlug: "outcomes" });
  const say = { triggerName: "say", input: { TEXT: "Look it up." } };
  await client.trigger(String(sessionId), say);
  const toolResults = calls.map(({ id, name }) => ({
    toolCallId: id,
    toolName: name,
    ...(name === "by-failure" ? { error: "No luck." } : { result: { found: name } }),
  }));
  await client.trigger(String(sessionId), { ...say, toolResults });
  const path = `/api/agent-sessions/${sessionId}`;
  const { messages } = await client.json(200, "GET", path);
  assert.match(JSON.stringify(messages), /"type":"operation".*Let me see.*"type":"operation".*More\./);
  await client.json(200, "DELETE", path);
  await client.json(200, "POST", `${path}/restore`, { messages });
  assert.deepEqual((await client.json(200, "GET", path)).messages, messages);

  await client.trigger(String(sessionId), say);
  const lost = "The call succeeded. Its result was not kept.";
  const { messages: sent } = provider.requests[4]?.body ?? {};
  const told = Array.isArray(sent) ? sent.filter(({ role }) => role === "tool") : [];
  assert.deepEqual(
    told.map(({ tool_call_id, content }) => [tool_call_id, content]),
    [
      ...["name", "title", "description"].map((display) => [`call_${display}`, lost]),
      ["call_stream", '{"found":"by-stream"}'],
      ["call_failure", '{"error":"The tool failed."}'],
    ],
  );
});

test("parts of a restored message keep the order that the caller sent", async (t) => {
  const { client } = await startTestServer(t);
  await client.json(201, "POST", "/api/agents", agent);
  const { sessionId } = await client.json(201, "POST", "/api/agent-sessions", { agentSlug: "outcomes" });
  const path = `/api/agent-sessions/${sessionId}`;
  const operation = (operationId: string) => ({
    ...{ type: "operation", operationId, name: "Store it", operationType: "set-resource", status: "done" },
  });
  const say = (text: string) => ({ type: "text", text, status: "done" });
  const next = { type: "step-start" };
  const message = {
    ...{ id: "msg_kept", role: "assistant", status: "done", createdAt: "2030-01-31T12:00:00.000Z" },
    parts: [next, operation("a"), say("One."), next, operation("b"), say("Two."), operation("c"), next],
  };
  await client.json(200, "DELETE", path);
  await client.json(200, "POST", `${path}/restore`, { messages: [message] });
  assert.deepEqual((await client.json(200, "GET", `${path}?format=ui`)).messages, [message]);
});
