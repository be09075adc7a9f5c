import assert from "node:assert/strict";
import { record } from "@muster/testing";
import { test } from "vitest";
import { startTestServer } from "./support/server.ts";

const agent = {
  settings: { slug: "life", name: "Life", format: "interactive" },
  protocol: `
input: { SHOP: { type: string } }
agent: { model: demo/echo }
variables: { MOOD: { type: string, default: calm } }
resources: { NOTE: { type: string, description: The latest words. } }
triggers: { say: { input: { TEXT: { type: string } } } }
handlers:
  say:
    Ask: { block: add-message, role: user, prompt: ask, input: [SHOP, TEXT] }
    Keep: { block: set-resource, resource: NOTE, value: TEXT }
    Answer: { block: next-message }
`,
  prompts: [{ name: "ask", content: "{{TEXT}} asks a customer of {{SHOP}}." }],
};

const isTime = (text: unknown) => new Date(String(text)).toISOString() === text;

test("a session over HTTP is created by agentId, triggered, cleared twice and restored once, with its fields each time", async (t) => {
  const { client } = await startTestServer(t);
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", agent);
  await client.json(404, "POST", "/api/agent-sessions", { agentId: "life", input: { SHOP: "Lantern" } });
  const input = { SHOP: "Lantern" };
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId, input });
  const path = `/api/agent-sessions/${sessionId}`;
  const events = await client.trigger(sessionId, { triggerName: "say", input: { TEXT: "Where?" } });
  assert.deepEqual([events[0]?.type, events.at(-1)?.type], ["start", "finish"]);
  assert.deepEqual([typeof events[0]?.messageId, events.at(-1)?.finishReason], ["string", "stop"]);
  const update = events.find(({ type }) => type === "resource-update");
  assert.deepEqual([update?.name, update?.value], ["NOTE", "Where?"]);
  const answer = events.map(({ delta = "" }) => String(delta)).join("");
  assert.match(answer, /Where\? asks a customer of Lantern\./);

  const active = await client.json(200, "GET", path);
  assert.deepEqual([active.id, active.agentId, active.status], [sessionId, agentId, "active"]);
  const state = { input, variables: { MOOD: "calm" }, resources: { NOTE: "Where?" } };
  assert.deepEqual({ input: active.input, variables: active.variables, resources: active.resources }, state);
  assert.ok(isTime(active.createdAt) && isTime(active.updatedAt));
  const { messages } = await client.json(200, "GET", `${path}?format=ui`);
  assert.ok(Array.isArray(messages) && messages.length === 2);
  for (const [index, message] of messages.map(record).entries()) {
    assert.deepEqual([message.role, message.status], [index === 0 ? "user" : "assistant", "done"]);
    assert.ok(typeof message.id === "string" && isTime(message.createdAt));
    const parts = Array.isArray(message.parts) ? message.parts.map(record) : [];
    assert.ok(parts.some(({ type, status }) => type === "text" && status === "done"));
  }

  for (let times = 0; times < 2; times++)
    assert.deepEqual(await client.json(200, "DELETE", path), { sessionId, cleared: true });
  const expired = { sessionId, agentId, status: "expired", createdAt: active.createdAt };
  assert.deepEqual(await client.json(200, "GET", path), expired);
  for (const restored of [true, false]) {
    const reply = await client.json(200, "POST", `${path}/restore`, { messages, input: { SHOP: "Candle" } });
    assert.deepEqual(reply, { sessionId, restored });
  }
  assert.deepEqual((await client.json(200, "GET", `${path}?format=ui`)).messages, messages);
  const again = await client.trigger(sessionId, { triggerName: "say", input: { TEXT: "When?" } });
  assert.match(again.map(({ delta = "" }) => String(delta)).join(""), /When\? asks a customer of Candle\./);
});
