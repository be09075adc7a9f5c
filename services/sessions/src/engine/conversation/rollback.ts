import type { Conversation, StoredMessage } from "./conversation.ts";
import { shownId } from "./messages.ts";
import { settle } from "./settle.ts";

/**
 * Removes every message after the given one; null removes all. Variables and resources stay unchanged. Changes the
 * conversation in place and returns it. Returns undefined, and changes nothing, if users see no message with that id.
 */
export function rollback(
  conversation: Conversation,
  afterMessageId: string | null,
): Conversation | undefined {
  const keep = afterMessageId === null ? 0 : lengthUpTo(conversation, afterMessageId);
  if (keep === undefined) return undefined;
  conversation.messages.length = keep;
  return settle(conversation);
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
