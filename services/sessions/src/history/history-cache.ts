import { LRUCache } from "lru-cache";
import type { StoredMessage } from "../engine/conversation/conversation.ts";
import { bytesOf, commonEnd, type Head } from "./head.ts";

interface Entry {
  head: Head;
  messages: readonly StoredMessage[];
}

export type HistoryCache = ReturnType<typeof createHistoryCache>;

/**
 * The archived messages of recent sessions. An entry is never wrong, whoever has written the session since: it counts
 * as far as its ranges and the document's are the same. Its messages are shared and must not be changed.
 */
export function createHistoryCache(maxBytes: number) {
  const cache = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ head }) => bytesOf(head) + 1,
  });

  return {
    /** The cached messages of the head, from its beginning on. */
    read: (sessionId: string, head: Head): readonly StoredMessage[] => {
      const found = cache.get(sessionId);
      return found === undefined ? [] : found.messages.slice(0, commonEnd(found.head, head));
    },

    /** `messages`: all of the head. */
    keep: (sessionId: string, head: Head, messages: readonly StoredMessage[]): void => {
      cache.set(sessionId, { head, messages });
    },
  };
}
