import { LRUCache } from "lru-cache";
import type { StoredMessage } from "../engine/conversation/conversation.ts";
import { commonEnd, type Head } from "./head.ts";
import { heapWeight } from "./heap-weight.ts";
import { emptyOutline, extendOutline, type OutlineSoFar } from "./outline.ts";

/** All messages of a head. The list and its messages are shared and must not be changed. */
export interface Archived {
  messages: readonly StoredMessage[];
  /** Of these messages. */
  outline: OutlineSoFar;
}

export const nothingArchived: Archived = { messages: [], outline: emptyOutline };

interface Entry extends Archived {
  head: Head;
  /** Bytes of memory. */
  weight: number;
}

export type HistoryCache = ReturnType<typeof createHistoryCache>;

/**
 * The archived messages of recent sessions, up to this many bytes of memory. An entry is never wrong, whoever has
 * written the session since: it counts as far as its ranges and the document's are the same.
 */
export function createHistoryCache(maxBytes: number) {
  const cache = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ weight }) => weight + 1,
  });

  /** The messages that the cache has already are not visited again: a conversation can have many. */
  const entryOf = (sessionId: string, head: Head, messages: readonly StoredMessage[]): Entry => {
    const before = cache.peek(sessionId);
    const continues = before !== undefined && commonEnd(before.head, head) === before.messages.length;
    const known = continues ? before : { ...nothingArchived, weight: 0 };
    let { weight } = known;
    for (let index = known.messages.length; index < messages.length; index++) {
      const message = messages[index];
      if (message !== undefined) weight += heapWeight(message);
    }
    const outline = extendOutline(known.outline, messages, known.messages.length);
    return { head, messages, outline, weight };
  };

  return {
    /** The cached messages of the head, from its beginning on; with their outline if they are all of its messages. */
    read: (sessionId: string, head: Head): Pick<Archived, "messages"> & Partial<Archived> => {
      const found = cache.get(sessionId);
      if (found === undefined) return nothingArchived;
      const end = commonEnd(found.head, head);
      return end === found.messages.length ? found : { messages: found.messages.slice(0, end) };
    },

    /** `messages`: all of the head. */
    keep: (sessionId: string, head: Head, messages: readonly StoredMessage[]): Archived => {
      const entry = entryOf(sessionId, head, messages);
      cache.set(sessionId, entry);
      return entry;
    },
  };
}
