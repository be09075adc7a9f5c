import type { StoredMessage, StoredPart } from "../conversation/conversation.ts";
import { type Turn, timestamp } from "./turn.ts";

/** Who reads what is about to be written. Independent turns have a thread of their own. */
export interface Readership {
  audience: StoredMessage["audience"];
  thread: string;
}

/** People see it, whatever the thread; on a named one it says so and stays out of the main chat. */
export function seenOn(thread: string): Readership {
  return { audience: "everyone", thread };
}

/**
 * The message that output goes into: the last one when it is this turn's and has these readers, else a new one.
 * All output is appended at the end, so that the order of the messages is the order in which things happened.
 */
export function outputMessage(turn: Turn, { audience, thread }: Readership): StoredMessage {
  const last = turn.conversation.messages.at(-1);
  if (last?.role === "assistant" && last.status === "streaming") {
    if (last.audience === audience && last.thread === thread) return last;
  }
  const message: StoredMessage = {
    ...identity(turn, audience),
    role: "assistant",
    status: "streaming",
    createdAt: timestamp(turn),
    executionId: turn.frame.executionId,
    thread,
    audience,
    parts: [],
  };
  turn.conversation.messages.push(message);
  return message;
}

function identity(turn: Turn, audience: Readership["audience"]): { id: string; partOf?: string } {
  const { messageId } = turn.frame;
  if (audience === "model") return { id: turn.environment.newId("msg") };
  if (visibleMessages(turn).length === 0) return { id: messageId };
  return { id: turn.environment.newId("msg"), partOf: messageId };
}

/** The stored messages that make up the assistant message people see now. */
export function visibleMessages(turn: Turn): StoredMessage[] {
  const { messageId } = turn.frame;
  return turn.conversation.messages.filter((message) => shownId(message) === messageId);
}

/** The id by which people know a stored message. The first of several may have stayed empty, and be gone. */
export function shownId({ id, partOf }: StoredMessage): string {
  return partOf ?? id;
}

/** Written by a model, other than by the handler's own operations and tool calls. */
export function isModelOutput(part: StoredPart): boolean {
  switch (part.type) {
    case "text":
    case "reasoning":
    case "object":
    case "file":
    case "source":
    case "todo":
      return true;
    case "tool-call":
      return part.source === "llm";
    case "operation":
    case "step-start":
      return false;
    default:
      return part satisfies never;
  }
}

/** The parts of the latest step. */
export function lastStep(message: StoredMessage | undefined): StoredPart[] {
  if (message === undefined) return [];
  const start = message.parts.findLastIndex((part) => part.type === "step-start");
  return message.parts.slice(start + 1);
}

export function callIdsOf({ parts }: StoredMessage): string[] {
  return parts.flatMap((part) => (part.type === "tool-call" ? part.toolCallId : []));
}
