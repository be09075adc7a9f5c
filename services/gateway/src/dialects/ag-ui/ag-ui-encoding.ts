import type { EventOf, StreamEvent } from "@muster/wire/events";
import type { Encoding, RelayedEvent } from "../../streams/frames.ts";
import { isKnownEnd, MainConversation } from "../main-conversation.ts";

/** The type of the event with the messages before a turn, which a returning reader gets first. */
export const snapshotType = "messages-snapshot";

interface RunOptions {
  sessionId: string;
  threadId: string;
  runId: string;
  /** The calls that the client has. */
  known: ReadonlySet<string>;
  /** The calls whose results the client has sent. */
  answered: ReadonlySet<string>;
}

/** The events of one response as those of a run of AG-UI 1.0. */
export function createAgUiEncoding(options: RunOptions): Encoding {
  const translated = new RunEvents(options);
  return {
    frames: (events) => {
      let text = "";
      for (const event of events) text += translated.of(event);
      return text;
    },
    added: (events) =>
      events
        .filter(isKnownEnd)
        .map((event) => translated.of({ type: event.type, json: JSON.stringify(event) }))
        .join(""),
    done: "",
    headers: { "x-session-id": options.sessionId },
  };
}

/** The last member of a delta. */
const deltaKeys: Readonly<Record<string, string>> = {
  "text-delta": '"delta":',
  "reasoning-delta": '"delta":',
  "tool-input-delta": '"inputTextDelta":',
  "worker-input-delta": '"delta":',
};

const decisionSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, message: { type: "string" }, args: { type: "object" } },
  required: ["approved"],
};

/** Each text and each reasoning is a message. Calls belong to the last message of their step; workers are calls. */
class RunEvents {
  readonly #run: { threadId: string; runId: string };
  readonly #known: Set<string>;
  readonly #answered: ReadonlySet<string>;
  readonly #conversation = new MainConversation();
  #hasStarted = false;
  #messageId = "";
  /** The message that the calls of the step belong to. */
  #parentId: string | undefined;
  /** The open parts, by the beginning of the JSON of their deltas. */
  readonly #open = new Map<string, OpenPart>();
  /** The ids of the messages and calls of the step. */
  #written: string[] = [];
  #pending: string[] = [];
  #interrupts: object[] = [];

  constructor({ threadId, runId, known, answered }: RunOptions) {
    this.#run = { threadId, runId };
    this.#known = new Set(known);
    this.#answered = answered;
  }

  of({ type, json }: Pick<RelayedEvent, "type" | "json">): string {
    const key = deltaKeys[type];
    if (key !== undefined) return this.#delta(json, key);
    if (type === snapshotType)
      return `${this.#started()}data: {"type":"MESSAGES_SNAPSHOT","messages":${json}}\n\n`;
    const event: StreamEvent = JSON.parse(json);
    return this.#conversation.contains(event) ? this.#translated(event) : "";
  }

  /** Nearly all events. Everything before the text is the same in all deltas of a part, so that no JSON is parsed. */
  #delta(json: string, key: string): string {
    const at = json.indexOf(key);
    const part = this.#open.get(json.slice(0, at));
    if (part === undefined) return "";
    part.isEmpty = false;
    return `${part.prefix}"delta":${json.slice(at + key.length)}\n\n`;
  }

  #translated(event: StreamEvent): string {
    switch (event.type) {
      case "start":
        this.#messageId = event.messageId;
        return this.#started();
      case "text-start":
        return this.#textStart(event.id);
      case "reasoning-start":
        return this.#reasoningStart(event.id);
      case "text-end":
        return this.#end(keyOf("text-delta", "id", event.id));
      case "reasoning-end":
        return this.#end(keyOf("reasoning-delta", "id", event.id));
      case "tool-input-start":
        return this.#call(event.toolCallId, event.toolName);
      case "tool-input-available":
        return this.#called(event.toolCallId, event.toolName, event.input);
      case "tool-output-available":
        return this.#result(event.toolCallId, event.output);
      case "tool-output-error":
        return this.#result(event.toolCallId, event.error);
      case "worker-input-start":
        return this.#call(
          event.workerId,
          event.workerSlug,
          keyOf("worker-input-delta", "workerId", event.workerId),
        );
      case "worker-start":
        return this.#called(event.workerId, event.workerSlug, event.input ?? {});
      case "worker-result":
        return this.#result(event.workerId, event.error ?? event.output ?? null);
      case "tool-request":
        this.#pending = event.toolCalls.map(({ toolCallId }) => toolCallId);
        return this.#all(event.toolCalls);
      case "approval-request":
        this.#interrupts = event.approvals.map(interruptOf);
        return this.#all(event.approvals);
      case "resource-update":
        return frame({
          type: "STATE_DELTA",
          delta: [{ op: "add", path: pointer(event.name), value: event.value }],
        });
      case "file-available":
      case "source":
      case "todo-update":
        return frame({ type: "CUSTOM", name: event.type, value: event });
      case "block-end":
        return this.#added(event);
      case "step-start":
        this.#parentId = undefined;
        this.#written = [];
        return "";
      case "step-discard":
        return this.#discarded();
      case "finish":
        return this.#finished();
      case "error":
        return frame({ type: "RUN_ERROR", message: event.message, code: event.code ?? event.errorType });
      default:
        return "";
    }
  }

  #started(): string {
    if (this.#hasStarted) return "";
    this.#hasStarted = true;
    return frame({ type: "RUN_STARTED", ...this.#run });
  }

  #textStart(id: string): string {
    const messageId = `${this.#messageId}-${id}`;
    this.#parentId = messageId;
    const end = frame({ type: "TEXT_MESSAGE_END", messageId });
    this.#begin(keyOf("text-delta", "id", id), { type: "TEXT_MESSAGE_CONTENT", messageId }, end);
    return frame({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
  }

  #reasoningStart(id: string): string {
    const messageId = `${this.#messageId}-${id}`;
    const end =
      frame({ type: "REASONING_MESSAGE_END", messageId }) + frame({ type: "REASONING_END", messageId });
    this.#begin(keyOf("reasoning-delta", "id", id), { type: "REASONING_MESSAGE_CONTENT", messageId }, end);
    const start = { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" };
    return frame({ type: "REASONING_START", messageId }) + frame(start);
  }

  #call(
    toolCallId: string,
    toolCallName: string,
    key = keyOf("tool-input-delta", "toolCallId", toolCallId),
  ): string {
    if (this.#known.has(toolCallId)) return "";
    this.#known.add(toolCallId);
    this.#parentId ??= `${this.#messageId}-${toolCallId}`;
    this.#begin(key, { type: "TOOL_CALL_ARGS", toolCallId }, frame({ type: "TOOL_CALL_END", toolCallId }));
    return frame({ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: this.#parentId });
  }

  /** With the arguments, unless they were streamed. */
  #called(toolCallId: string, toolName: string, input: unknown): string {
    const start = this.#call(toolCallId, toolName);
    const [key, part] = [...this.#open].find(([, { id }]) => id === toolCallId) ?? [];
    if (key === undefined || part === undefined) return start;
    const args = { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(input) };
    return start + (part.isEmpty ? frame(args) : "") + this.#end(key);
  }

  #all(calls: ReadonlyArray<{ toolCallId: string; toolName: string; args: unknown }>): string {
    return calls.map(({ toolCallId, toolName, args }) => this.#called(toolCallId, toolName, args)).join("");
  }

  #result(toolCallId: string, output: unknown): string {
    if (this.#answered.has(toolCallId)) return "";
    const content = typeof output === "string" ? output : JSON.stringify(output);
    return frame({
      type: "TOOL_CALL_RESULT",
      messageId: `${toolCallId}-result`,
      toolCallId,
      content,
      role: "tool",
    });
  }

  /** The assistant's message that a block has added. */
  #added({ message }: EventOf<"block-end">): string {
    if (message?.role !== "assistant") return "";
    const texts = message.parts.map((part, index) => {
      if (part.type === "file") return frame({ type: "CUSTOM", name: "file-available", value: part });
      const messageId = `${message.id}-${index}`;
      return (
        frame({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" }) +
        frame({ type: "TEXT_MESSAGE_CONTENT", messageId, delta: part.text }) +
        frame({ type: "TEXT_MESSAGE_END", messageId })
      );
    });
    return texts.join("");
  }

  /** The protocol cannot take anything back. */
  #discarded(): string {
    const ids = this.#written;
    if (ids.length === 0) return "";
    this.#written = [];
    this.#parentId = undefined;
    return this.#ends() + frame({ type: "CUSTOM", name: "step-discard", value: { ids } });
  }

  #finished(): string {
    const success = {
      type: "success",
      ...(this.#pending.length > 0 && { pendingToolCallIds: this.#pending }),
    };
    const outcome =
      this.#interrupts.length > 0 ? { type: "interrupt", interrupts: this.#interrupts } : success;
    return this.#ends() + frame({ type: "RUN_FINISHED", ...this.#run, outcome });
  }

  #begin(key: string, content: { type: string; messageId?: string; toolCallId?: string }, end: string): void {
    const id = content.messageId ?? content.toolCallId ?? "";
    const prefix = `data: ${JSON.stringify(content).slice(0, -1)},`;
    this.#open.set(key, { id, prefix, end, isEmpty: true });
    this.#written.push(id);
  }

  #end(key: string): string {
    const end = this.#open.get(key)?.end ?? "";
    this.#open.delete(key);
    return end;
  }

  #ends(): string {
    return [...this.#open.keys()].map((key) => this.#end(key)).join("");
  }
}

interface OpenPart {
  id: string;
  /** The beginning of the frame of a delta. */
  prefix: string;
  /** The frames that end it. */
  end: string;
  isEmpty: boolean;
}

/** The JSON of a delta up to its text. */
function keyOf(type: string, idField: string, id: string): string {
  return `{"type":"${type}","${idField}":${JSON.stringify(id)},`;
}

function interruptOf({ approvalId, toolCallId, toolName, title, expiresAt }: Approval) {
  return {
    ...{ id: approvalId, reason: "tool_call", message: title ?? `Allow ${toolName}?`, toolCallId },
    ...{ responseSchema: decisionSchema, expiresAt },
  };
}

type Approval = EventOf<"approval-request">["approvals"][number];

function pointer(name: string): string {
  return `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
