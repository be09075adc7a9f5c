import assert from "node:assert/strict";
import { record, type TestClient } from "@muster/testing";

/** The request bodies and the streams of one turn of `examples/support-chat` that waits for a tool. */
export interface Transcript {
  requests: unknown[];
  /** The lines of each response. */
  streams: string[][];
}

/** The time of every message in the transcript. */
const createdAt = "2026-01-01T00:00:00.000Z";

/** Runs the turn and returns it with stable ids and times. */
export async function recordTranscript(client: TestClient, sessionId: string): Promise<Transcript> {
  const trigger = async (body: unknown) => {
    const response = await client.request("POST", `/api/agent-sessions/${sessionId}/trigger`, body);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return text.split("\n").filter((line) => line.startsWith("data: "));
  };
  const input = { USER_MESSAGE: "Please use get-order." };
  const first = { triggerName: "user-message", input };
  const asked = await trigger(first);
  const request = asked.map(eventIn).find((event) => event?.type === "tool-request");
  assert.ok(Array.isArray(request?.toolCalls));
  const { toolCallId, toolName } = record(request.toolCalls[0]);
  const second = { ...first, toolResults: [{ toolCallId, toolName, result: { status: "shipped" } }] };
  const answered = await trigger(second);
  const ids = stableIds();
  const stable = (text: string) => ids(text).replace(/"createdAt":"[^"]*"/g, `"createdAt":"${createdAt}"`);
  const streams = [asked, answered].map((lines) => lines.map(stable));
  return { requests: [first, second].map((body) => JSON.parse(stable(JSON.stringify(body)))), streams };
}

/** The event in a line; undefined for `[DONE]`. */
export function eventIn(line: string): Record<string, unknown> | undefined {
  const text = line.slice("data: ".length);
  return text === "[DONE]" ? undefined : record(JSON.parse(text));
}

/** Replaces each id by its prefix and the number of ids with that prefix so far. */
function stableIds(): (text: string) => string {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  return (text) =>
    text.replace(/\b([a-z]{2,5})_[0-9A-Za-z]{10,}\b/g, (id, prefix: string) => {
      const count = (counts.get(prefix) ?? 0) + (known.has(id) ? 0 : 1);
      counts.set(prefix, count);
      const name = known.get(id) ?? `${prefix}_${count}`;
      known.set(id, name);
      return name;
    });
}
