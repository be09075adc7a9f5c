import type { StoredMessage } from "@muster/engine";
import { LRUCache } from "lru-cache";
import { commonEnd, type Head } from "./head.ts";
import { heapWeight } from "./heap-weight.ts";
import { emptyOutline, extendOutline, type OutlineSoFar } from "./outline.ts";

/** The last messages of a head. The list and its messages are shared and must not be changed. */
export interface Archived {
  /** The position of the first one. */
  first: number;
  messages: readonly StoredMessage[];
  /** The outline of the messages before these. Its title can be that of one of these. */
  before: OutlineSoFar;
  /** The outline of all messages of the head. */
  outline: OutlineSoFar;
}

export const nothingArchived: Archived = {
  first: 0,
  messages: [],
  before: emptyOutline,
  outline: emptyOutline,
};

interface Entry extends Archived {
  head: Head;
  /** Bytes of memory. */
  weight: number;
}

export type HistoryCache = ReturnType<typeof createHistoryCache>;

/**
 * The archived messages of recent sessions, up to this many bytes of memory. An entry is never wrong, whichever process
 * has written the session since: it counts as far as its ranges and the document's are the same.
 */
export function createHistoryCache(maxBytes: number) {
  const cache = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ weight }) => weight + 1,
  });

  /** The messages that the cache has already are not visited again: a conversation can have many. */
  const weightOf = (sessionId: string, head: Head, { first, messages }: Archived): number => {
    const before = cache.peek(sessionId);
    const continues = before?.first === first && commonEnd(before.head, head) === endOf(before);
    let weight = continues ? before.weight : 0;
    for (let index = continues ? before.messages.length : 0; index < messages.length; index++) {
      const message = messages[index];
      if (message !== undefined) weight += heapWeight(message);
    }
    return weight;
  };

  return {
    /** Consecutive messages that the head has in common with the cached ones. Undefined: none. */
    read: (sessionId: string, head: Head): Archived | undefined => {
      const found = cache.get(sessionId);
      if (found === undefined) return undefined;
      const end = commonEnd(found.head, head);
      if (end === endOf(found)) return found;
      if (end <= found.first) return undefined;
      const { first, before } = found;
      const messages = found.messages.slice(0, end - first);
      return { first, messages, before, outline: extendOutline(before, messages) };
    },

    /** `archived`: up to the end of the head. */
    keep: (sessionId: string, head: Head, archived: Archived): void => {
      const { first, messages, before, outline } = archived;
      const weight = weightOf(sessionId, head, archived);
      cache.set(sessionId, { head, first, messages, before, outline, weight });
    },
  };
}

function endOf({ first, messages }: Archived): number {
  return first + messages.length;
}
