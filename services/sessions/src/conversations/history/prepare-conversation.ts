import { type Conversation, finalLength } from "@muster/engine";
import type { SessionKey } from "../../store/moves.ts";
import type { ConversationFields } from "../../store/session-document.ts";
import { chunksOf, countedBytesIn, isLong } from "./chunks-of.ts";
import { endOf, extendHead } from "./head.ts";
import { emptyOutline, extendOutline } from "./outline.ts";
import { type HistoryDependencies, newHead } from "./turn-history.ts";

/**
 * Prepares a new conversation of a session. `announce` is called before the first chunk, if any is needed: it must
 * request a sweep, which removes the chunks unless they are published.
 */
export async function prepareConversation(
  { chunks, clock, newId, archiveLength }: HistoryDependencies,
  key: SessionKey,
  { messages, ...memory }: Conversation,
  announce: () => Promise<void>,
): Promise<ConversationFields> {
  let head = newHead(newId);
  const [{ gen } = { gen: "" }] = head;
  const finished = messages.slice(0, finalLength(messages));
  if (isLong(finished, archiveLength)) {
    await announce();
    for (const chunk of chunksOf(gen, 0, finished)) {
      await chunks.insert(key, chunk, new Date(clock.now()));
      head = extendHead(head, chunk.first + chunk.count, countedBytesIn(chunk));
    }
  }
  const { title, messageCount, summaryAt } = extendOutline(emptyOutline, messages);
  return {
    head: [...head],
    tail: JSON.stringify(messages.slice(endOf(head))),
    memory: JSON.stringify(memory),
    title,
    messageCount,
    summaryAt,
  };
}
