import type { Conversation, Loaded, StoredMessage, StoredPart, ToolCallPart } from "./conversation.ts";
import { asidePrefix } from "./messages.ts";

/**
 * Closes everything that a turn left open: messages and texts become `done`, unresolved tool calls `cancelled`,
 * unfinished objects `error`. Removes independent turns and empty assistant messages, which are not read again. Changes
 * the conversation in place and returns it. `from`: an index before which all messages are final; there can be many.
 */
export function settle(conversation: Conversation, from = 0): Conversation {
  const { messages } = conversation;
  let length = Math.min(from, messages.length);
  for (let index = length; index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.status === "streaming") settleMessage(message);
    if (isWorthKeeping(message)) messages[length++] = message;
  }
  messages.length = length;
  return conversation;
}

/**
 * The length of the part of a conversation that turns no longer change, move or remove; only a rollback does. `from`:
 * the length of a part for which this is known.
 */
export function finalLength(messages: readonly StoredMessage[], from = 0): number {
  let length = from;
  while (isFinal(messages[length])) length += 1;
  return length;
}

/** The position at which that part ends. `from`: one before which everything is known to be final. */
export function finalEnd({ messages, loadedFrom = 0 }: Loaded, from = 0): number {
  return loadedFrom + finalLength(messages, Math.max(0, from - loadedFrom));
}

function isFinal(message: StoredMessage | undefined): boolean {
  return message?.status === "done" && isWorthKeeping(message);
}

/** Closes one message and everything in it. */
export function settleMessage(message: StoredMessage): void {
  message.status = "done";
  for (const part of message.parts) settlePart(part);
  while (message.parts.at(-1)?.type === "step-start") message.parts.pop();
}

function isWorthKeeping(message: StoredMessage): boolean {
  if (message.thread.startsWith(asidePrefix)) return false;
  return message.role !== "assistant" || message.parts.length > 0;
}

function settlePart(part: StoredPart): void {
  switch (part.type) {
    case "text":
    case "reasoning":
      if (part.status === "streaming") cutShort(part, "done");
      return;
    case "object":
      if (part.status === "streaming") cutShort(part, "error");
      return;
    case "tool-call":
      if (part.status === "pending" || part.status === "running") part.status = "cancelled";
      settleWorker(part);
      return;
    case "operation":
      if (part.status === "running") part.status = "cancelled";
      return;
    case "todo":
      part.status = "done";
      return;
    case "file":
    case "source":
    case "step-start":
      return;
    default:
      part satisfies never;
  }
}

/** The part of an ended worker that remains: the output that users see later. */
export function settleWorker({ worker, display }: ToolCallPart): void {
  if (worker === undefined) return;
  const shown = display === "stream" ? worker.messages.filter(({ audience }) => audience === "everyone") : [];
  for (const message of shown) {
    settleMessage(message);
    message.parts = message.parts.filter(isEverShown);
    for (const part of message.parts)
      if (part.type === "tool-call" && part.display !== "stream") delete part.result;
  }
  worker.messages = shown.filter(({ parts }) => parts.length > 0);
}

function isEverShown(part: StoredPart): boolean {
  return !("display" in part) || part.display !== "hidden";
}

/**
 * Providers refuse their own metadata (item ids, signatures) on a part that they never completed; without it they
 * accept the part as plain text.
 */
export function cutShort<Status>(part: { status: Status; providerMetadata?: unknown }, status: Status): void {
  part.status = status;
  delete part.providerMetadata;
}
