import type { Conversation, StoredMessage } from "./conversation.ts";
import { mainThread, settle, shownId } from "./messages.ts";

/**
 * Removes every message after the given one; null removes all. Variables and resources stay unchanged. Changes the
 * conversation in place and returns the position up to which it has kept the messages. Returns undefined, and changes nothing,
 * if users see no message with that id among those that are loaded.
 *
 * `finalLength`: that many of the loaded messages at the beginning are final.
 *
 * A summary of messages that are all kept is appended, wherever it was, so that it need not be written again.
 */
export function rollback(
  conversation: Conversation,
  afterMessageId: string | null,
  finalLength = 0,
): number | undefined {
  if (afterMessageId === null) return removeAll(conversation);
  const keep = lengthUpTo(conversation, afterMessageId);
  return keep === undefined ? undefined : keepMessages(conversation, keep, finalLength);
}

/** The same for every message that is not part of the running summary, which stays. Undefined: not all of it is loaded. */
export function rollbackToSummary(conversation: Conversation, finalLength = 0): number | undefined {
  const { messages, loadedFrom = 0 } = conversation;
  const last = messages.findLast(({ summary, thread }) => summary !== undefined && thread === mainThread);
  if (last?.summary === undefined || last.summary.through < loadedFrom) return undefined;
  return keepMessages(conversation, last.summary.through - loadedFrom, finalLength);
}

/** So many of the loaded ones. */
function keepMessages(conversation: Conversation, keep: number, finalLength: number): number {
  const { messages, loadedFrom = 0 } = conversation;
  const summaries = summariesOf(messages.slice(keep), loadedFrom + keep);
  messages.length = keep;
  const kept = settle(conversation, finalLength).messages.length;
  messages.push(...summaries);
  return loadedFrom + kept;
}

function removeAll(conversation: Conversation): number {
  conversation.messages.length = 0;
  delete conversation.loadedFrom;
  return 0;
}

/** The latest one of each thread that covers no position from `end` on. The turns that wrote them are gone. */
function summariesOf(removed: readonly StoredMessage[], end: number): StoredMessage[] {
  const latest = new Map<string, StoredMessage>();
  for (const { executionId: _, ...message } of removed) {
    if (message.summary !== undefined && message.summary.through <= end) latest.set(message.thread, message);
  }
  return [...latest.values()];
}

/** A message that users know by one id may be stored in several parts. */
function lengthUpTo({ messages }: Conversation, id: string): number | undefined {
  const last = messages.findLastIndex(
    (message) => message.audience === "everyone" && shownId(message) === id,
  );
  const kept = messages[last];
  if (kept === undefined) return undefined;
  let length = last + 1;
  while (isPartOfTurn(messages[length], kept)) length += 1;
  return length;
}

/** An assistant message represents its turn, including later messages of the turn that only models read. */
function isPartOfTurn(next: StoredMessage | undefined, { role, executionId }: StoredMessage): boolean {
  if (next?.audience !== "model" || role !== "assistant" || executionId === undefined) return false;
  return next.executionId === executionId;
}
