import { largeFrom, nextTurn } from "@muster/large-data";
import { type ReadThreads, ViewSearch } from "../engine/context/view-search.ts";
import type { Conversation, StoredMessage } from "../engine/conversation/conversation.ts";
import { shownId } from "../engine/conversation/messages.ts";
import { finalLength } from "../engine/conversation/settle.ts";
import type { ChunkPlace } from "../store/chunk-store.ts";
import { loadConversation, loadMessages } from "../store/load-state.ts";
import type { SessionKey } from "../store/moves.ts";
import type { ConversationFields, SessionDocument } from "../store/session-document.ts";
import { type Passage, readBackwards, readForwards } from "./archived-messages.ts";
import { chunksOf, countedBytesIn, isLong } from "./chunks-of.ts";
import { endOf, extendHead, type Head } from "./head.ts";
import type { Archived } from "./history-cache.ts";
import { loadArchived, withoutEarlier } from "./load-archived.ts";
import { OpenedConversation } from "./opened-conversation.ts";
import { emptyOutline, extendOutline, type Outline } from "./outline.ts";
import { type HistoryDependencies, newHead, TurnHistory } from "./turn-history.ts";

/** What is read of a conversation. */
export interface Reading {
  /** By the turn that follows. */
  turn: ReadThreads;
  /** By any turn. What none of them reads is not kept in memory. */
  turns: ReadThreads;
}

/** Consecutive messages of a session. */
export interface SessionPart extends Pick<Passage, "text" | "shownIds"> {
  /** No further part follows. */
  isLast: boolean;
}

export type Histories = ReturnType<typeof createHistories>;

/** Conversations whose finished messages are archived. */
export function createHistories(deps: HistoryDependencies) {
  const { cache, chunks, clock, newId, archiveLength, pause = nextTurn } = deps;

  /** With pauses, so that a reader that works on each passage as it arrives does not hold the main loop. */
  async function* paced(passages: AsyncIterable<Passage>): AsyncGenerator<Passage, void, undefined> {
    let sincePause = 0;
    for await (const passage of passages) {
      yield passage;
      sincePause += passage.text.length;
      if (sincePause < largeFrom) continue;
      sincePause = 0;
      await pause();
    }
  }

  const backwards = (key: SessionKey, head: Head, extent: { from: number; to: number }) =>
    paced(readBackwards(chunks, key, head, extent));
  const forwards = (key: SessionKey, head: Head, to: number) => paced(readForwards(chunks, key, head, to));

  /** The archived messages before a position. Parsed as they arrive. */
  const messagesBefore = async (key: SessionKey, head: Head, to: number): Promise<StoredMessage[]> => {
    const lists: StoredMessage[][] = [];
    for await (const { text } of backwards(key, head, { from: 0, to })) lists.push(await loadMessages(text));
    return lists.reverse().flat();
  };

  const load = async (
    session: SessionDocument,
    tail: readonly StoredMessage[],
    reading: Reading | undefined,
  ): Promise<Archived> => {
    const key = keyOf(session);
    const head = headOf(session);
    const end = endOf(head);
    const search = (threads: ReadThreads) => new ViewSearch(threads, session.execution?.id, end);
    const read = (extent: { from: number; to: number }) => backwards(key, head, extent);
    const cached = cache.read(key.sessionId, head);
    const sources = { end, tail, outline: storedOutline(session), cached, read };
    const archived = await loadArchived(sources, reading && search(reading.turn));
    const kept = reading === undefined ? archived : withoutUnread(archived, tail, search(reading.turns));
    if (kept !== cached) cache.keep(key.sessionId, head, kept);
    return kept;
  };

  /** The position at which the message begins that users know by this id; undefined if they see none. */
  const positionOf = async (session: SessionDocument, messageId: string): Promise<number | undefined> => {
    const key = keyOf(session);
    const head = headOf(session);
    const isWanted = (message: StoredMessage) =>
      message.audience === "everyone" && shownId(message) === messageId;
    for (const place of await chunks.containing(key, messageId)) {
      const within = namedPart(head, place);
      if (within === undefined) continue;
      for await (const passage of backwards(key, head, within)) {
        const index = (await loadMessages(passage.text)).findIndex(isWanted);
        if (index >= 0) return passage.first + index;
      }
    }
    const index = (await loadConversation(session)).messages.findIndex(isWanted);
    return index < 0 ? undefined : endOf(head) + index;
  };

  return {
    /**
     * The conversation of a session that the caller has locked, as far as its turn reads it. Without a reading: all of it.
     */
    open: async (session: SessionDocument, reading?: Reading): Promise<OpenedConversation> => {
      const key = keyOf(session);
      const head = headOf(session);
      const { messages: tail, ...memory } = await loadConversation(session);
      const archived = await load(session, tail, reading);
      const tailLength = (session.tail ?? session.conversation ?? "").length;
      const waiting = { messages: tail.slice(0, finalLength(tail)), tailLength };
      // The turn changes the list, but never what is archived.
      const conversation = { ...conversationFrom(archived, tail), ...memory };
      const history = new TurnHistory(deps, key, head, waiting, archived);
      return new OpenedConversation(conversation, history, {
        load: (to) => messagesBefore(key, head, to),
        hasMessage: async (id) => (await positionOf(session, id)) !== undefined,
        search: () =>
          reading && new ViewSearch(reading.turn, session.execution?.id, Number.POSITIVE_INFINITY),
      });
    },

    /** The messages before a position, from the oldest to the newest. Without a position: all. */
    partsOf: async function* (
      session: SessionDocument,
      before?: number,
    ): AsyncGenerator<SessionPart, void, undefined> {
      const head = headOf(session);
      const end = endOf(head);
      const to = Math.min(before ?? end, end);
      for await (const { text, shownIds } of forwards(keyOf(session), head, to)) {
        yield { text, isLast: false, ...(shownIds && { shownIds }) };
      }
      const count = before === undefined ? undefined : Math.max(before - end, 0);
      yield { text: await tailText(session, count), isLast: true };
    },

    /** The messages before a position, from the newest to the oldest. Without a position: all. */
    partsBefore: async function* (
      session: SessionDocument,
      before: number | undefined,
    ): AsyncGenerator<SessionPart, void, undefined> {
      const head = headOf(session);
      const end = endOf(head);
      if (before === undefined || before > end) {
        const tail = await tailText(session, before === undefined ? undefined : before - end);
        yield { text: tail, isLast: end === 0 };
      }
      const to = Math.min(before ?? end, end);
      for await (const { first, text, shownIds } of backwards(keyOf(session), head, { from: 0, to })) {
        yield { text, isLast: first === 0, ...(shownIds && { shownIds }) };
      }
    },

    positionOf,

    /** A message of the conversation belongs to the execution. */
    mentions: async (session: SessionDocument, executionId: string): Promise<boolean> => {
      const mark = JSON.stringify({ executionId }).slice(1, -1);
      if ((await tailText(session)).includes(mark)) return true;
      const key = keyOf(session);
      const head = headOf(session);
      for (const place of await chunks.mentioning(key, executionId)) {
        const within = namedPart(head, place);
        if (within === undefined) continue;
        if (place.executionIds !== undefined) return true;
        for await (const { text } of backwards(key, head, within)) if (text.includes(mark)) return true;
      }
      return false;
    },

    /** What lists show of a session; its document has it unless an earlier release stored it. */
    outlineOf: async (session: SessionDocument): Promise<Outline> => {
      const head = headOf(session);
      let outline = emptyOutline;
      for await (const { text } of forwards(keyOf(session), head, endOf(head))) {
        outline = extendOutline(outline, await loadMessages(text));
      }
      return extendOutline(outline, (await loadConversation(session)).messages);
    },

    /**
     * Prepares a new conversation of a session. `announce` is called before the first chunk, if any is needed: it must
     * request a sweep, which removes the chunks unless they are published.
     */
    prepare: async (
      key: SessionKey,
      { messages, ...memory }: Conversation,
      announce: () => Promise<void>,
    ): Promise<ConversationFields> => {
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
      const { title, messageCount } = extendOutline(emptyOutline, messages);
      return {
        head: [...head],
        tail: JSON.stringify(messages.slice(endOf(head))),
        memory: JSON.stringify(memory),
        title,
        messageCount,
      };
    },
  };
}

/** The archived messages that are loaded, and those of the document. */
function conversationFrom(
  { first, messages }: Archived,
  tail: readonly StoredMessage[],
): Pick<Conversation, "messages" | "loadedFrom"> {
  return { messages: messages.concat(tail), ...(first > 0 && { loadedFrom: first }) };
}

/** Of the archived messages, those that the search wants. */
function withoutUnread(archived: Archived, tail: readonly StoredMessage[], search: ViewSearch): Archived {
  const { first, messages } = archived;
  const start =
    search.visitAll({ messages: tail, loadedFrom: first + messages.length }) ??
    search.visitAll({ messages, loadedFrom: first });
  return start === undefined ? archived : withoutEarlier(archived, start);
}

/** Undefined: an earlier release stored the session. */
function storedOutline({ title, messageCount }: SessionDocument): Outline | undefined {
  return title === undefined || messageCount === undefined ? undefined : { title, messageCount };
}

/** The positions of a chunk that belong to the conversation; undefined: none. */
function namedPart(head: Head, { gen, first, count }: ChunkPlace): { from: number; to: number } | undefined {
  const range = head.find((named) => named.gen === gen && first < named.to && first + count > named.from);
  return range && { from: Math.max(first, range.from), to: Math.min(first + count, range.to) };
}

/** JSON of the messages in the document, or of the first ones. */
async function tailText(session: SessionDocument, count?: number): Promise<string> {
  if (count === undefined && !session.conversation) return session.tail ?? "[]";
  const { messages } = await loadConversation(session);
  return JSON.stringify(messages.slice(0, count));
}

function keyOf({ _id, projectId }: SessionDocument): SessionKey {
  return { sessionId: _id, projectId };
}

/** What an earlier release wrote counts; it does not know `head`. */
function headOf({ head, conversation }: Partial<Pick<SessionDocument, "head" | "conversation">>): Head {
  return conversation ? [] : (head ?? []);
}
