import {
  type Conversation,
  finalLength,
  type ReadThreads,
  rollback,
  rollbackToSummary,
  type StoredMessage,
  ViewSearch,
} from "@muster/engine";
import type { SessionKey } from "../../store/moves.ts";
import type { ConversationFields, SessionDocument } from "../../store/session-document.ts";
import { loadConversation, loadMessages } from "../../store/state-text.ts";
import { createPassages } from "./archived-messages.ts";
import { chunksOf, countedBytesIn, isLong } from "./chunks-of.ts";
import {
  emptyOutline,
  endOf,
  extendHead,
  extendOutline,
  type Head,
  headOf,
  keyOf,
  newHead,
  type Outline,
} from "./head.ts";
import { type Archived, loadArchived, withoutEarlier } from "./history-cache.ts";
import { createHistoryReader } from "./history-reader.ts";
import { type HistoryDependencies, TurnHistory } from "./turn-history.ts";

/** The part of a conversation that is read. */
export interface Reading {
  /** By the turn that follows. */
  turn: ReadThreads;
  /** By any turn. Messages that none of them reads are not kept in memory. */
  turns: ReadThreads;
}

export type Histories = ReturnType<typeof createHistories>;

/** Conversations whose finished messages are archived. */
export function createHistories(deps: HistoryDependencies) {
  const { cache, chunks } = deps;
  const passages = createPassages(deps);
  const { backwards } = passages;
  const reader = createHistoryReader(chunks, passages);

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
        hasMessage: async (id) => (await reader.positionOf(session, id)) !== undefined,
        search: () =>
          reading && new ViewSearch(reading.turn, session.execution?.id, Number.POSITIVE_INFINITY),
      });
    },

    prepare: (
      key: SessionKey,
      conversation: Conversation,
      announce: () => Promise<void>,
    ): Promise<ConversationFields> => prepareConversation(deps, key, conversation, announce),

    ...reader,
  };
}

/** The archived messages that are loaded, and those of the document. */
function conversationFrom(
  { first, messages }: Archived,
  tail: readonly StoredMessage[],
): Pick<Conversation, "messages" | "loadedFrom"> {
  return { messages: messages.concat(tail), ...(first > 0 && { loadedFrom: first }) };
}

/** The archived messages that the search wants. */
function withoutUnread(archived: Archived, tail: readonly StoredMessage[], search: ViewSearch): Archived {
  const { first, messages } = archived;
  const start =
    search.visitAll({ messages: tail, loadedFrom: first + messages.length }) ??
    search.visitAll({ messages, loadedFrom: first });
  return start === undefined ? archived : withoutEarlier(archived, start);
}

/** Undefined: an earlier release stored the session. */
function storedOutline({ title, messageCount, summaryAt = null }: SessionDocument): Outline | undefined {
  return title === undefined || messageCount === undefined ? undefined : { title, messageCount, summaryAt };
}

/** How a conversation gets the messages that its turn did not seem to need. */
interface EarlierMessages {
  /** The archived ones before a position. */
  load(to: number): Promise<StoredMessage[]>;
  /** Users see a message with this id. */
  hasMessage(id: string): Promise<boolean>;
  /** Finds out what the turn reads. Undefined: everything. */
  search(): ViewSearch | undefined;
}

/** The conversation of a turn, as far as it is read. */
export class OpenedConversation {
  readonly conversation: Conversation;
  readonly history: TurnHistory;
  readonly #earlier: EarlierMessages;

  constructor(conversation: Conversation, history: TurnHistory, earlier: EarlierMessages) {
    this.conversation = conversation;
    this.history = history;
    this.#earlier = earlier;
  }

  /** That many of the loaded messages at the beginning never change. */
  get finalLength(): number {
    return this.history.archivedEnd - this.#loadedFrom;
  }

  get #loadedFrom(): number {
    return this.conversation.loadedFrom ?? 0;
  }

  /**
   * Removes every message after the given one; null removes all. False, and nothing is changed, if users see no message with
   * that id. Loads the earlier messages if it is one of them, or if models read some of them now.
   */
  async rollBack(afterMessageId: string | null): Promise<boolean> {
    const { conversation, history } = this;
    const roll = () =>
      afterMessageId === history.summaryId
        ? rollbackToSummary(conversation, this.finalLength)
        : rollback(conversation, afterMessageId, this.finalLength);
    let kept = roll();
    if (kept === undefined && afterMessageId !== null && (await this.#isEarlier(afterMessageId))) {
      await this.#complete();
      kept = roll();
    }
    if (kept === undefined) return false;
    await history.rewind(kept);
    if (this.#earlier.search()?.visitAll(conversation) === undefined) await this.#complete();
    return true;
  }

  async #isEarlier(messageId: string): Promise<boolean> {
    return this.#loadedFrom > 0 && (await this.#earlier.hasMessage(messageId));
  }

  async #complete(): Promise<void> {
    const { conversation } = this;
    if (this.#loadedFrom === 0) return;
    const earlier = await this.#earlier.load(this.#loadedFrom);
    conversation.messages = earlier.concat(conversation.messages);
    delete conversation.loadedFrom;
    this.history.completed(earlier);
  }
}

/**
 * Prepares a new conversation of a session. `announce` is called before the first chunk, if any is needed: it must
 * request a sweep, which removes the chunks unless they are published.
 */
async function prepareConversation(
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
