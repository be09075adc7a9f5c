import assert from "node:assert/strict";
import { readExample } from "@muster/local/testing/example";
import { StreamReader, type TestClient } from "@muster/testing";

/** Creates the agent whose sessions the turns belong to. Returns its id. */
export async function createAgent(client: TestClient): Promise<string> {
  return client.field("agentId", 201, "POST", "/api/agents", await readExample("support-chat"));
}

export function openSession(client: TestClient, agentId: string): Promise<string> {
  return client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
}

/** Starts a turn. The response is there as soon as its stream begins. */
export async function startTurn(
  client: TestClient,
  sessionId: string,
  message: string,
): Promise<StreamReader> {
  const body = { triggerName: "user-message", input: { USER_MESSAGE: message } };
  const response = await client.request("POST", `/api/agent-sessions/${sessionId}/trigger`, body);
  if (response.status !== 200) assert.fail(`${response.status}: ${await response.text()}`);
  return new StreamReader(response);
}
