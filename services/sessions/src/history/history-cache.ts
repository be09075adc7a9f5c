import { LRUCache } from "lru-cache";
import type { StoredMessage } from "../engine/conversation/conversation.ts";
import { commonEnd, type Head } from "./head.ts";
import { heapWeight } from "./heap-weight.ts";

interface Entry {
  head: Head;
  messages: readonly StoredMessage[];
  /** Bytes of memory. */
  weight: number;
}

export type HistoryCache = ReturnType<typeof createHistoryCache>;

/**
 * The archived messages of recent sessions, up to this many bytes of memory. An entry is never wrong, whoever has
 * written the session since: it counts as far as its ranges and the document's are the same. Its messages are shared
 * and must not be changed.
 */
export function createHistoryCache(maxBytes: number) {
  const cache = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ weight }) => weight + 1,
  });

  /** The messages that the cache has already are not visited again: a conversation can have many. */
  const weightOf = (sessionId: string, head: Head, messages: readonly StoredMessage[]): number => {
    const before = cache.peek(sessionId);
    const continues =
      before !== undefined && commonEnd(before.head, head) === before.messages.length ? before : undefined;
    let weight = continues?.weight ?? 0;
    for (let index = continues?.messages.length ?? 0; index < messages.length; index++) {
      const message = messages[index];
      if (message !== undefined) weight += heapWeight(message);
    }
    return weight;
  };

  return {
    /** The cached messages of the head, from its beginning on. */
    read: (sessionId: string, head: Head): readonly StoredMessage[] => {
      const found = cache.get(sessionId);
      return found === undefined ? [] : found.messages.slice(0, commonEnd(found.head, head));
    },

    /** `messages`: all of the head. */
    keep: (sessionId: string, head: Head, messages: readonly StoredMessage[]): void => {
      cache.set(sessionId, { head, messages, weight: weightOf(sessionId, head, messages) });
    },
  };
}
