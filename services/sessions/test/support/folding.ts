import assert from "node:assert/strict";
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { UiMessage, UiMessagePart } from "@muster/client";
import { EventFold } from "@muster/client/fold";
import { type TriggerRequestSchema, View } from "@muster/proto/sessions";
import { isEventType, type StreamEvent } from "@muster/wire/events";
import type { Instance, World } from "./harness.ts";
import { readAll, readSession } from "./harness.ts";

type Request = Omit<MessageInitShape<typeof TriggerRequestSchema>, "sessionId" | "$typeName">;

/** A client that shows a session from its events alone. */
export class FoldingClient {
  readonly fold: EventFold;
  readonly events: StreamEvent[] = [];
  readonly #world: World;
  readonly #instances: readonly Instance[];
  readonly sessionId: string;

  /** Triggers run on the first instance; every instance is asked for the session. */
  constructor(
    world: World,
    instances: readonly Instance[],
    sessionId: string,
    messages: readonly UiMessage[] = [],
  ) {
    this.fold = new EventFold({ messages });
    this.#world = world;
    this.#instances = instances;
    this.sessionId = sessionId;
  }

  get #client(): Instance["client"] {
    const [first] = this.#instances;
    assert.ok(first);
    return first.client;
  }

  /** Reads the stream to its end, then compares what it has shown with the session. */
  async trigger(text: string, request: Request = {}): Promise<StreamEvent[]> {
    const inputJson = JSON.stringify({ TEXT: text });
    const call = { triggerName: "say", inputJson, ...request, sessionId: this.sessionId };
    const events = (await readAll(this.#client.trigger(call, this.#world.as()))).map(asStreamEvent);
    this.take(events);
    await this.compare();
    return events;
  }

  take(events: readonly StreamEvent[]): void {
    for (const event of events) this.fold.take(event);
    this.events.push(...events);
  }

  /** Both formats, as every instance returns them. */
  async compare(): Promise<void> {
    const expected = comparable(this.fold.messages("stored"));
    for (const { client } of this.#instances) {
      for (const view of [View.UI, View.FULL]) {
        const { session, messages } = await this.read(client, view);
        assert.deepEqual(comparable(messages), expected);
        if (view === View.FULL) {
          const resources = JSON.parse(session?.resourcesJson ?? "{}");
          for (const [name, value] of Object.entries(this.fold.resources))
            assert.deepEqual(resources[name], value);
        }
      }
    }
  }

  /** A session restored from the messages that it has shown shows them again. */
  async compareRestored(): Promise<void> {
    const { messages } = await this.read(this.#client, View.UI);
    const { sessionId } = this;
    await this.#client.clearSession({ sessionId }, this.#world.as());
    const request = { sessionId, messagesJson: JSON.stringify(messages) };
    await this.#client.restoreSession(request, this.#world.as());
    for (const { client } of this.#instances) {
      const again = await this.read(client, View.UI);
      assert.deepEqual(comparable(again.messages), comparable(messages).map(asRestored));
    }
  }

  async read(client: Instance["client"], view: View) {
    const { session, messages } = await readSession(
      client,
      { sessionId: this.sessionId, view },
      this.#world.as(),
    );
    return { session, messages: messages.map(asUiMessage) };
  }
}

export function asStreamEvent(event: { type: string }): StreamEvent {
  assert.ok(isStreamEvent(event));
  return event;
}

/** `readAll` has checked every event against its schema. */
function isStreamEvent(event: { type: string }): event is StreamEvent {
  return isEventType(event.type);
}

export function asUiMessage(message: object): UiMessage {
  assert.ok(isUiMessage(message));
  return message;
}

function isUiMessage(message: object): message is UiMessage {
  return "parts" in message && Array.isArray(message.parts) && "role" in message;
}

/** Without the fields of the full format, and without the times of the turn's messages, which the stream does not contain. */
export function comparable(messages: readonly UiMessage[]): UiMessage[] {
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

/** Nothing is in progress in a restored message; parts that have ended keep their outcome. */
function asRestored(message: UiMessage): UiMessage {
  const parts = message.parts.map(asRestoredPart);
  return { ...message, parts, status: "done" };
}

function asRestoredPart(part: UiMessagePart): UiMessagePart {
  if ((part.type === "tool-call" || part.type === "operation") && part.status === "running")
    return { ...part, status: "cancelled" };
  if (part.type === "worker") {
    const status = part.status === "running" ? "cancelled" : part.status;
    return { ...part, status, parts: part.parts.map(asRestoredPart) };
  }
  return part.type === "todo" ? { ...part, status: "done" } : part;
}
