import type { StoredMessage } from "../conversation/conversation.ts";
import { shownId } from "../conversation/messages.ts";
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
