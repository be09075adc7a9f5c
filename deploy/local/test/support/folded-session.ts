import assert from "node:assert/strict";
import type { UiMessage, UiMessagePart } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import type { TestClient } from "@muster/testing";
import type { StreamEvent } from "@muster/wire/events";
import { checkEvent } from "@muster/wire/events/check";

/** A client that shows a session from its events alone, and compares that with the session after each turn. */
export class FoldedSession {
  readonly fold = new EventFold();
  readonly #client: TestClient;
  readonly id: string;

  constructor(client: TestClient, id: string) {
    this.#client = client;
    this.id = id;
  }

  /** Reads the stream of a turn to its end, or to its tool request. */
  async trigger(body: object): Promise<StreamEvent[]> {
    return this.take(await this.#client.trigger(this.id, body));
  }

  /** All events of a stream. */
  async take(events: readonly object[]): Promise<StreamEvent[]> {
    const checked = events.map(asEvent);
    for (const event of checked) this.fold.take(event);
    await this.compare();
    return checked;
  }

  /** Both formats. A summary may appear instead of older messages, which the client of the events has too. */
  async compare(): Promise<void> {
    const expected = comparable(this.fold.messages("stored"));
    for (const query of ["", "?format=ui"]) {
      const { messages } = await this.#client.json(200, "GET", `/api/agent-sessions/${this.id}${query}`);
      assert.ok(isMessages(messages));
      const shown = comparable(messages.filter(({ summary }) => summary !== true));
      const isWhole = messages[0]?.summary !== true;
      assert.deepEqual(shown, isWhole ? expected : expected.slice(-shown.length), query);
    }
  }

  /** The parts of the last message of the assistant, as a client shows them live. */
  parts(): UiMessagePart[] {
    return this.fold.messages().findLast(({ role }) => role === "assistant")?.parts ?? [];
  }
}

function asEvent(event: object): StreamEvent {
  assert.ok(isEvent(event));
  return event;
}

function isEvent(event: object): event is StreamEvent {
  checkEvent(event);
  return true;
}

function isMessages(value: unknown): value is UiMessage[] {
  return Array.isArray(value) && value.every((item) => Array.isArray(item?.parts));
}

/** Without the fields of the full format, and without the times of the turn's messages, which the stream does not contain. */
function comparable(messages: readonly UiMessage[]): UiMessage[] {
  return messages
    .filter(({ parts }) => parts.length > 0)
    .map(({ content: _content, visible: _visible, ...message }) => ({
      ...message,
      createdAt: message.role === "user" ? message.createdAt : "",
      parts: message.parts.map(withoutVisible),
    }));
}

function withoutVisible({ visible: _visible, ...part }: UiMessagePart): UiMessagePart {
  return part.type === "worker" ? { ...part, parts: part.parts.map(withoutVisible) } : part;
}
