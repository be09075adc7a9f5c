import type { Conversation } from "../conversation.ts";
import { settle } from "../settle.ts";
import { shownId } from "../transcript.ts";

/**
 * Removes every message after the given one; null removes all. Variables and resources stay as they are.
 * Changes the conversation in place and returns it, or returns undefined, with nothing changed, when people
 * see no message of that id.
 */
export function rollback(
  conversation: Conversation,
  afterMessageId: string | null,
): Conversation | undefined {
  const keep = afterMessageId === null ? 0 : lengthUpTo(conversation, afterMessageId);
  if (keep === undefined) return undefined;
  conversation.messages.length = keep;
  settle(conversation);
  return conversation;
}

/** The message that people know by an id may be stored in several parts. */
function lengthUpTo({ messages }: Conversation, id: string): number | undefined {
  const last = messages.findLastIndex(
    (message) => message.audience === "everyone" && shownId(message) === id,
  );
  return last >= 0 ? last + 1 : undefined;
}
