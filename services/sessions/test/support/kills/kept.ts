import assert from "node:assert/strict";
import type { UiMessage, UiMessagePart } from "@muster/client";
import { foldEvents } from "@muster/client/fold";
import type { StreamEvent } from "@muster/wire/events";

/**
 * Asserts that a session contains all that its streams called stored: whole messages, or more of those that they began.
 */
export function assertKept(
  before: readonly UiMessage[],
  streams: readonly (readonly StreamEvent[])[],
  after: readonly UiMessage[],
): void {
  const acknowledged = streams.flatMap((events, index) =>
    index < streams.length - 1 ? events : events.slice(0, lastStored(events)),
  );
  const expected = foldEvents(acknowledged, { messages: before, view: "stored" });
  for (const message of expected) {
    // The answer is not shown until it has a part; all others have one.
    if (message.parts.length === 0 && message.id === answerOf(streams)) continue;
    const found = after.find(({ id }) => id === message.id);
    assert.ok(found, `Lost: ${JSON.stringify(message)}`);
    for (const [index, part] of message.parts.entries()) assertContinues(part, found.parts[index]);
  }
}

function answerOf(streams: readonly (readonly StreamEvent[])[]): string | undefined {
  const start = streams.at(-1)?.[0];
  return start?.type === "start" ? start.messageId : undefined;
}

/** How many events of a stream are known to be stored. */
function lastStored(events: readonly StreamEvent[]): number {
  return events.reduce((last, event) => (event.type === "persisted" ? event.sequence : last), 0);
}

function assertContinues(part: UiMessagePart, found: UiMessagePart | undefined): void {
  assert.equal(found?.type, part.type);
  if (part.type === "text" || part.type === "reasoning") {
    assert.ok(found?.type === part.type && found.text.startsWith(part.text), `Lost: ${part.text}`);
  }
  if (part.type === "tool-call") {
    assert.ok(found?.type === part.type);
    assert.deepEqual([found.toolCallId, found.toolName], [part.toolCallId, part.toolName]);
    if (part.status === "done" || part.status === "error") assert.equal(found.status, part.status);
  }
}
