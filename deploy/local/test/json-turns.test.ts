import assert from "node:assert/strict";
import { record } from "@muster/testing";
import { test } from "vitest";
import { readExample } from "./support/example.ts";
import { startTestServer } from "./support/server.ts";

test("a backend runs a turn as one JSON request, and finds its session by metadata with title and usage", async (t) => {
  const { url, key, client } = await startTestServer(t);
  await client.json(201, "POST", "/api/agents", await readExample("support-chat"));
  const metadata = { customer: "c-1042" };
  const created = await client.json(201, "POST", "/api/agent-sessions", {
    agentSlug: "support-chat",
    metadata,
  });
  const sessionId = String(created.sessionId);
  const response = await fetch(`${url}/api/agent-sessions/${sessionId}/trigger`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({
      triggerName: "user-message",
      input: { USER_MESSAGE: "Where is order 1042?" },
      stream: false,
    }),
  });
  const turn = record(await response.json());
  assert.equal(response.status, 200, JSON.stringify(turn));
  const shown = await client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
  const messages = Array.isArray(shown.messages) ? shown.messages : [];
  assert.deepEqual([turn.sessionId, turn.finishReason, turn.toolCalls], [sessionId, "stop", []]);
  assert.deepEqual(turn.message, messages.at(-1));
  assert.match(String(turn.text), /Where is order 1042\?/);
  const list = await client.json(200, "GET", "/api/agent-sessions?metadata.customer=c-1042&status=active");
  const [listed] = Array.isArray(list.sessions) ? list.sessions.map(record) : [];
  assert.deepEqual(
    [listed?.sessionId, listed?.title, listed?.messageCount],
    [sessionId, "Where is order 1042?", messages.length],
  );
  const whole = await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
  assert.deepEqual([whole.metadata, record(whole.usage).tokens], [metadata, record(turn.usage).tokens]);
});
