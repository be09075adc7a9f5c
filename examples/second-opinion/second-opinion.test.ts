import assert from "node:assert/strict";
import { join } from "node:path";
import { EventFold } from "@muster/client/fold";
import { readAgentFolder } from "@muster/language/folder";
import { startTestServer } from "@muster/local/testing/server";
import type { TestClient } from "@muster/testing";
import type { StreamEvent } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";
import { test } from "vitest";

const folder = import.meta.dirname;

async function push(client: TestClient, path: string): Promise<string> {
  const read = await readAgentFolder(path);
  assert.ok(read.ok, JSON.stringify(read));
  const report = await client.json(200, "POST", "/api/agents/validate", read.definition);
  assert.deepEqual({ errors: report.errors, warnings: report.warnings }, { errors: [], warnings: [] });
  return client.field("agentId", 201, "POST", "/api/agents", read.definition);
}

test("an optimist and a sceptic argue at the same time, and a client that follows the events has what the session shows", async (t) => {
  const { client } = await startTestServer(t, { DEMO_WORD_DELAY_MS: "5" });
  for (const worker of ["optimist", "sceptic"]) await push(client, join(folder, "workers", worker));
  const agentId = await push(client, folder);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const input = { USER_MESSAGE: "Use ask-optimist and ask-sceptic: should I learn to sail?" };
  const events = await client.trigger(sessionId, { triggerName: "user-message", input });

  const types = events.map(({ type }) => type);
  assert.ok(types.lastIndexOf("worker-start") < types.indexOf("worker-result"), "both run at the same time");
  const fold = new EventFold();
  for (const event of events) {
    assert.ok(isEvent(event));
    fold.take(event);
  }
  const cards = fold
    .messages()
    .flatMap(({ parts }) => parts.flatMap((part) => (part.type === "worker" ? part : [])));
  assert.deepEqual(
    cards.map(({ workerSlug, description, status }) => [workerSlug, description, status]),
    [
      ["ask-optimist", "The optimist", "done"],
      ["ask-sceptic", "The sceptic", "done"],
    ],
  );
  const { messages } = await client.json(200, "GET", `/api/agent-sessions/${sessionId}?format=ui`);
  assert.ok(Array.isArray(messages));
  assert.deepEqual(messages.at(-1)?.parts, fold.messages("stored").at(-1)?.parts);
});

function isEvent(event: object): event is StreamEvent {
  checkEvent(event);
  return true;
}
