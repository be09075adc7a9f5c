import type { StoredMessage, ViewSearch } from "@muster/engine";
import { LRUCache } from "lru-cache";
import { keptText, loadMessages } from "../../store/state-text.ts";
import type { Passage } from "./archived-messages.ts";
import {
  commonEnd,
  emptyOutline,
  extendOutline,
  type Head,
  type Outline,
  type OutlineSoFar,
} from "./head.ts";

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

/** The sources of a session's archived messages. */
interface Sources {
  /** The end of the archived messages. */
  end: number;
  /** Those that follow them. */
  tail: readonly StoredMessage[];
  /** The outline of all messages. Undefined: an earlier release stored the session. */
  outline: Outline | undefined;
  /** Undefined: none. */
  cached: Archived | undefined;
  /** From the last one to the first. */
  read(extent: { from: number; to: number }): AsyncIterable<Passage>;
}

/**
 * The archived messages, from the last one back to where the search ends. Without a search: all. Cached messages are
 * not read, and stay together with the loaded ones: a rollback may need them.
 */
export async function loadArchived(sources: Sources, search?: ViewSearch): Promise<Archived> {
  const { end, tail, outline, cached, read } = sources;
  // The outline of the messages before follows from the outline of all.
  const loading = new Loading(end, outline === undefined ? undefined : search);
  loading.visit(tail, end);
  const cachedEnd = cached === undefined ? 0 : cached.first + cached.messages.length;
  const newer = await loading.readTo(cachedEnd, read);
  // The outline in the document is certain for all of them. The cached messages cannot say whether they count a message
  // that continues after them.
  const archived = (messages: readonly StoredMessage[]) =>
    archivedFrom(
      loading.first,
      messages,
      outlineBefore(loading.first, outline ?? emptyOutline, messages.concat(tail)),
    );
  if (cached === undefined || loading.first > cachedEnd) return archived(newer);
  loading.visit(cached.messages, cached.first);
  loading.first = cached.first;
  const older = await loading.readTo(0, read);
  if (older.length > 0) return archived(older.concat(cached.messages, newer));
  const messages = newer.length === 0 ? cached.messages : cached.messages.concat(newer);
  // A rollback may have removed the part of a divided message that counted for all of it.
  if (cached.before.lastId !== undefined && !cached.before.isLastCounted) return archived(messages);
  if (newer.length === 0) return cached;
  return { ...cached, messages, outline: extendOutline(cached.outline, newer) };
}

/** Without the messages before a position. The list that is given stays. */
export function withoutEarlier(archived: Archived, position: number): Archived {
  const { first, messages, before, outline } = archived;
  const count = Math.min(position - first, messages.length);
  if (count <= 0) return archived;
  return {
    first: first + count,
    messages: messages.slice(count),
    before: extendOutline(before, messages, 0, count),
    outline,
  };
}

function archivedFrom(first: number, messages: readonly StoredMessage[], before: OutlineSoFar): Archived {
  return { first, messages, before, outline: extendOutline(before, messages) };
}

/**
 * The outline of the messages before `first`. `following`: those from there on, all of which `all` shows too. A message that users
 * see as one and that lies on both sides counts for the latter.
 */
function outlineBefore(first: number, all: Outline, following: readonly StoredMessage[]): OutlineSoFar {
  if (first === 0) return emptyOutline;
  const { messageCount } = extendOutline(emptyOutline, following);
  const next = following.find(({ audience, role }) => audience !== "model" && role !== "system");
  return {
    title: all.title,
    messageCount: Math.max(0, all.messageCount - messageCount),
    summaryAt: all.summaryAt !== null && all.summaryAt < first ? all.summaryAt : null,
    lastId: next?.partOf,
    isLastCounted: false,
    end: first,
  };
}

/** Goes backwards through messages until the search ends. */
class Loading {
  /** The messages from here on are loaded. */
  first: number;
  readonly #search: ViewSearch | undefined;
  #isDone = false;

  constructor(end: number, search: ViewSearch | undefined) {
    this.first = end;
    this.#search = search;
  }

  /** `first`: the position of the first message. Returns the position from which on they are wanted. */
  visit(messages: readonly StoredMessage[], first: number): number {
    for (let index = messages.length - 1; index >= 0 && !this.#isDone; index--) {
      const message = messages[index];
      if (message === undefined || !this.#search?.visit(message, first + index)) continue;
      this.#isDone = true;
      return first + index;
    }
    return first;
  }

  /** Parses and weighs the messages as they arrive. */
  async readTo(from: number, read: Sources["read"]): Promise<StoredMessage[]> {
    if (this.#isDone || this.first <= from) return [];
    const lists: StoredMessage[][] = [];
    for await (const passage of read({ from, to: this.first })) {
      const all = await loadMessages(passage.text);
      this.first = this.visit(all, passage.first);
      const messages = all.slice(this.first - passage.first);
      for (const message of messages) heapWeight(message);
      lists.push(messages);
      if (this.#isDone) break;
    }
    return lists.reverse().flat();
  }
}

/**
 * The memory that a parsed message takes, in bytes, as measured with V8's heap: per value between 1 and 2 times as
 * much. The length of its JSON does not show it:
 */
const weightOf = { string: 24, array: 40, object: 56, slot: 8, member: 90, memo: 48 } as const;

/** Objects with more members are stored as hash tables, with their keys. */
const maxSharedMembers = 16;

const known = new WeakMap<StoredMessage, number>();

/** Messages that are in memory never change, so that each is weighed once. */
function heapWeight(message: StoredMessage): number {
  let weight = known.get(message);
  if (weight === undefined) {
    weight = weightOf.memo + weigh(message);
    known.set(message, weight);
  }
  return weight;
}

function weigh(value: unknown): number {
  if (typeof value === "string") return weightOf.string + value.length * (isOneByte(value) ? 1 : 2);
  if (typeof value !== "object" || value === null) return weightOf.slot;
  const text = keptText(value);
  let weight = text === undefined ? 0 : weigh(text);
  if (Array.isArray(value)) {
    for (const item of value) weight += weightOf.slot + weigh(item);
    return weight + weightOf.array;
  }
  let members = 0;
  // `in`, not Object.values: a list of all members takes longer than weighing them.
  for (const key in value) {
    members += 1;
    weight += weigh(Reflect.get(value, key));
  }
  return weight + weightOf.object + members * (members > maxSharedMembers ? weightOf.member : weightOf.slot);
}

/** V8 stores a text with one byte for each character as long as all of them are Latin-1. */
function isOneByte(text: string): boolean {
  return !/[\u0100-\uffff]/.test(text);
}
