import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { record, StreamReader, type TestClient, untilServed } from "@muster/testing";

export { record, TestClient, textOf } from "@muster/testing";

export type Event = Record<string, unknown>;

export const say = (text: string) => ({ triggerName: "user-message", input: { USER_MESSAGE: text } });

export const triggerPath = (sessionId: string) => `/api/agent-sessions/${sessionId}/trigger`;

/** Resolves once the first words of the reply have arrived. `rest()` resolves with all events once the stream has ended. */
export async function startReply(
  client: TestClient,
  sessionId: string,
  words: number,
): Promise<{ rest(): Promise<Event[]> }> {
  const body = say("word ".repeat(words));
  const response = await untilServed(() => client.request("POST", triggerPath(sessionId), body));
  assert.equal(response.status, 200);
  const reader = new StreamReader(response);
  await reader.readUntil('"text-delta"');
  return { rest: () => reader.rest() };
}

/** The first pending tool call of a paused turn, and the body that answers it. */
export function answerTo(paused: Event[], result: unknown): Event {
  const request = paused.find((event) => event.type === "tool-request");
  assert.ok(Array.isArray(request?.toolCalls));
  const { toolCallId, toolName } = record(request.toolCalls[0]);
  return {
    triggerName: "user-message",
    executionId: paused[0]?.executionId,
    toolResults: [{ toolCallId, toolName, result }],
  };
}

/** Reads the session over and over, four at a time, until stopped; records each status, with its body unless it is 200. */
export function readAllTheTime(client: TestClient, sessionId: string) {
  const statuses: string[] = [];
  let isOver = false;
  const read = async () => {
    while (!isOver) {
      const response = await client.request("GET", `/api/agent-sessions/${sessionId}`);
      const body = await response.text();
      statuses.push(response.status === 200 ? "200" : `${response.status} ${body}`);
      await delay(10);
    }
  };
  const readers = Promise.all([read(), read(), read(), read()]);
  return {
    statuses,
    stop: async () => {
      isOver = true;
      await readers;
    },
  };
}
