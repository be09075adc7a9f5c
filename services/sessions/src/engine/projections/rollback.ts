import type { Conversation } from "../conversation.ts";
import { settle } from "../settle.ts";
import { belongsTo } from "../transcript.ts";

/** Not ok: people see no message of that id. Nothing was changed. */
export type RollbackResult = { ok: true; conversation: Conversation } | { ok: false };

/**
 * Removes every message after the given one; null removes all. Variables and resources stay as they are.
 * Changes the conversation in place.
 */
export function rollback(conversation: Conversation, afterMessageId: string | null): RollbackResult {
  const keep = afterMessageId === null ? 0 : lengthUpTo(conversation, afterMessageId);
  if (keep === undefined) return { ok: false };
  conversation.messages.length = keep;
  settle(conversation);
  return { ok: true, conversation };
}

/** The message that people know by an id may be stored in several parts. */
function lengthUpTo({ messages }: Conversation, id: string): number | undefined {
  const last = messages.findLastIndex((message) => message.audience === "everyone" && belongsTo(message, id));
  const isKnown = messages.some((message) => message.id === id && message.partOf === undefined);
  return last >= 0 && isKnown ? last + 1 : undefined;
}
