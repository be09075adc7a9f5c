import type { EventOf, StreamEvent } from "@muster/wire/events";
import type { Encoding, RelayedEvent } from "../../streams/frames.ts";
import { isKnownEnd, MainConversation } from "../main-conversation.ts";

interface UiOptions {
  sessionId: string;
  /** The client knows `reset-step`. */
  resets: boolean;
  /** The calls of the step that the client's message ends with. */
  known?: ReadonlySet<string>;
}

/** The events of one response as chunks of the AI SDK's UI message stream, version 1. */
export function createUiEncoding(options: UiOptions): Encoding {
  const chunks = new UiChunks(options);
  return {
    frames: (events) => {
      let text = "";
      for (const event of events) text += chunks.of(event);
      return text;
    },
    added: (events) =>
      events
        .filter(isKnownEnd)
        .map((event) => chunks.of({ type: event.type, json: JSON.stringify(event) }))
        .join(""),
    done: "data: [DONE]\n\n",
    headers: { "x-vercel-ai-ui-message-stream": "v1", "x-session-id": options.sessionId },
  };
}

const relayed = new Set(["text-delta", "reasoning-delta", "tool-input-delta"]);

/**
 * Clients put everything that a turn writes into one message, as steps. A step begins with its first content, because the
 * outcomes that a request brings belong to the step that made the calls.
 *
 * A call is said to be the platform's until the turn asks the caller for its result: clients would make it otherwise.
 * Workers are such calls.
 */
class UiChunks {
  readonly #resets: boolean;
  readonly #known: ReadonlySet<string>;
  readonly #conversation = new MainConversation();
  #isInStep = false;
  /** The ends of the texts and reasonings that have begun, by id. */
  readonly #open = new Map<string, "text-end" | "reasoning-end">();
  /** The calls without an outcome. */
  readonly #calls = new Set<string>();

  constructor({ resets, known = new Set() }: Omit<UiOptions, "sessionId">) {
    this.#resets = resets;
    this.#known = known;
  }

  of({ type, json }: Pick<RelayedEvent, "type" | "json">): string {
    // Nearly all events: they are chunks already. No text contains these keys, because its quotes are escaped.
    if (relayed.has(type)) {
      const isInner = json.includes(',"workerId":') || json.includes(',"thread":');
      return isInner || !this.#conversation.isWriting ? "" : `data: ${json}\n\n`;
    }
    const event: StreamEvent = JSON.parse(json);
    return this.#conversation.contains(event) ? this.#translated(event) : "";
  }

  #translated(event: StreamEvent): string {
    switch (event.type) {
      case "start":
        return chunk({ type: "start", messageId: event.messageId });
      case "text-start":
        this.#open.set(event.id, "text-end");
        return this.#content({ type: event.type, id: event.id });
      case "reasoning-start":
        this.#open.set(event.id, "reasoning-end");
        return this.#content({ type: event.type, id: event.id });
      case "text-end":
      case "reasoning-end":
        return this.#open.delete(event.id) ? chunk({ type: event.type, id: event.id }) : "";
      case "tool-input-start":
        return this.#called({ ...event, type: "tool-input-start" });
      case "tool-input-available":
        return this.#called(event);
      case "tool-output-available":
        return this.#fulfilled(event.toolCallId, event.output);
      case "tool-output-error":
        return this.#failed(event.toolCallId, event.error);
      case "worker-input-start":
        return this.#called({ type: "tool-input-start", ...cardOf(event) });
      case "worker-input-delta":
        return chunk({ type: "tool-input-delta", toolCallId: event.workerId, inputTextDelta: event.delta });
      case "worker-start":
        return this.#called({ type: "tool-input-available", ...cardOf(event), input: event.input ?? {} });
      case "worker-result":
        if (event.error === undefined) return this.#fulfilled(event.workerId, event.output ?? null);
        return this.#failed(event.workerId, event.error);
      case "tool-request":
        return this.#requested(event);
      case "approval-request":
        return this.#asked(event);
      case "file-available":
        return this.#content({ type: "file", url: event.url, mediaType: event.mediaType });
      case "source":
        return this.#content({ ...event, type: `source-${event.sourceType}`, sourceId: event.id });
      case "todo-update":
        return this.#content({ type: "data-todo", id: "todo", data: event.todos });
      case "resource-update":
        return this.#content({ type: "data-resource", id: event.name, data: event.value });
      case "block-end":
        return (event.status === undefined ? this.#settled() : "") + this.#written(event);
      case "step-start":
        return this.#settled() + this.#stepEnd();
      case "step-discard":
        return this.#discarded();
      case "finish":
        return this.#finished(event);
      case "error":
        return this.#ends() + chunk({ type: "error", errorText: event.message });
      default:
        return "";
    }
  }

  /** A chunk that begins a part of the message. */
  #content(fields: object): string {
    if (this.#isInStep) return chunk(fields);
    this.#isInStep = true;
    return chunk({ type: "start-step" }) + chunk(fields);
  }

  #called(call: { type: string; toolCallId: string; input?: unknown }): string {
    this.#calls.add(call.toolCallId);
    return this.#content({ ...call, providerExecuted: true });
  }

  #fulfilled(toolCallId: string, output: unknown): string {
    this.#calls.delete(toolCallId);
    return chunk({ type: "tool-output-available", toolCallId, output });
  }

  #failed(toolCallId: string, errorText: string): string {
    this.#calls.delete(toolCallId);
    return chunk({ type: "tool-output-error", toolCallId, errorText });
  }

  /** The calls that are left have succeeded, and users do not see with which results. */
  #settled(): string {
    return [...this.#calls].map((toolCallId) => this.#fulfilled(toolCallId, null)).join("");
  }

  #requested({ toolCalls }: EventOf<"tool-request">): string {
    for (const { toolCallId } of toolCalls) this.#calls.delete(toolCallId);
    const calls = toolCalls.map(({ toolCallId, toolName, args }) => {
      const call = {
        type: "tool-input-available",
        toolCallId,
        toolName,
        input: args,
        providerExecuted: false,
      };
      // One that was decided about stays where it is.
      return this.#known.has(toolCallId) ? chunk(call) : this.#content(call);
    });
    return this.#settled() + calls.join("");
  }

  /** Users see calls that they decide about, also if the display of the tool hides them. */
  #asked({ approvals }: EventOf<"approval-request">): string {
    for (const { toolCallId } of approvals) this.#calls.delete(toolCallId);
    const calls = approvals.map(({ approvalId, toolCallId, toolName, args, title }) => {
      const call = {
        type: "tool-input-available",
        toolCallId,
        toolName,
        input: args,
        providerExecuted: true,
      };
      const request = { type: "tool-approval-request", approvalId, toolCallId, reason: title };
      return this.#content(call) + chunk(request);
    });
    return this.#settled() + calls.join("");
  }

  /** The assistant's message that a block has added. */
  #written({ message }: EventOf<"block-end">): string {
    if (message?.role !== "assistant") return "";
    const texts = message.parts.map((part, index) => {
      if (part.type === "file")
        return this.#content({ type: "file", url: part.url, mediaType: part.mediaType });
      const id = `${message.id}-${index}`;
      return (
        this.#content({ type: "text-start", id }) +
        chunk({ type: "text-delta", id, delta: part.text }) +
        chunk({ type: "text-end", id })
      );
    });
    return texts.join("");
  }

  /** Without `reset-step`, the attempt stays in the message, and its metadata says so. */
  #discarded(): string {
    if (!this.#isInStep) return "";
    this.#calls.clear();
    if (!this.#resets) {
      return this.#stepEnd() + chunk({ type: "message-metadata", messageMetadata: { retracted: true } });
    }
    this.#open.clear();
    return chunk({ type: "reset-step" });
  }

  #finished({ finishReason, approvals, openCalls }: EventOf<"finish">): string {
    const waits = finishReason === "tool-calls" || approvals !== undefined || openCalls !== undefined;
    const cut = waits ? [] : [...this.#calls].map((id) => this.#failed(id, "The call was cancelled."));
    const reason = finishReason === "client-tool-calls" ? "tool-calls" : finishReason;
    return cut.join("") + this.#stepEnd() + chunk({ type: "finish", finishReason: reason });
  }

  #stepEnd(): string {
    if (!this.#isInStep) return "";
    this.#isInStep = false;
    return this.#ends() + chunk({ type: "finish-step" });
  }

  #ends(): string {
    const ends = [...this.#open].map(([id, type]) => chunk({ type, id }));
    this.#open.clear();
    return ends.join("");
  }
}

type Worker = Pick<EventOf<"worker-start">, "workerId" | "workerSlug" | "description">;

function cardOf({ workerId, workerSlug, description: title }: Worker) {
  return { toolCallId: workerId, toolName: workerSlug, ...(title !== undefined && { title }) };
}

function chunk(fields: object): string {
  return `data: ${JSON.stringify(fields)}\n\n`;
}
