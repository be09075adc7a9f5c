import type { Block } from "@muster/language";
import type { StoredMessage } from "../conversation/conversation.ts";
import { shownId } from "../conversation/messages.ts";
import { labelOf } from "../shown/display.ts";
import { messagesOfTurn, type Turn, timestamp } from "./turn.ts";

/** The readers of the next output. Independent turns have their own thread. */
export interface Readership {
  audience: StoredMessage["audience"];
  thread: string;
}

/** Visible to users on every thread; on a named one it carries the thread and stays out of the main chat. */
export function seenOn(thread: string): Readership {
  return { audience: "everyone", thread };
}

/**
 * The message for output: the last one if it is this turn's and has these readers, otherwise a new one. All output
 * is appended at the end, so that the messages are in chronological order.
 */
export function outputMessage(turn: Turn, { audience, thread }: Readership): StoredMessage {
  const last = turn.conversation.messages.at(-1);
  if (last?.role === "assistant" && last.status === "streaming") {
    if (last.audience === audience && last.thread === thread) return last;
  }
  const message: StoredMessage = {
    ...identity(turn, { audience, thread }, last),
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

function identity(
  turn: Turn,
  { audience, thread }: Readership,
  last: StoredMessage | undefined,
): { id: string; partOf?: string } {
  const { messageId, executionId } = turn.frame;
  if (audience === "model") {
    const id = turn.environment.newId("msg");
    const isSealed = last?.role === "assistant" && last.status === "done" && last.executionId === executionId;
    if (!isSealed || last.audience !== audience || last.thread !== thread) return { id };
    return { id, partOf: shownId(last) };
  }
  if (visibleMessages(turn).length === 0) return { id: messageId };
  return { id: turn.environment.newId("msg"), partOf: messageId };
}

/** The stored messages of the turn's current assistant message, as users see it. */
export function visibleMessages(turn: Turn): StoredMessage[] {
  const { messageId } = turn.frame;
  return messagesOfTurn(turn).filter((message) => shownId(message) === messageId);
}

/** Adds the part that users see instead of the block's text. */
export function addOperation(
  turn: Turn,
  block: Block,
  operationId: string,
  status: "running" | "done",
): void {
  outputMessage(turn, seenOn(block.thread)).parts.push({
    type: "operation",
    operationId,
    name: labelOf(block) ?? block.name,
    operationType: block.kind,
    status,
    display: block.display,
  });
}
