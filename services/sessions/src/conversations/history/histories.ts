import {
  type Conversation,
  finalLength,
  type ReadThreads,
  type StoredMessage,
  ViewSearch,
} from "@muster/engine";
import { loadConversation, loadMessages } from "../../store/load-state.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { ConversationFields, SessionDocument } from "../../store/session-document.ts";
import { endOf, type Head } from "./head.ts";
import type { Archived } from "./history-cache.ts";
import { createHistoryReader } from "./history-reader.ts";
import { loadArchived, withoutEarlier } from "./load-archived.ts";
import { OpenedConversation } from "./opened-conversation.ts";
import type { Outline } from "./outline.ts";
import { createPassages } from "./passages.ts";
import { prepareConversation } from "./prepare-conversation.ts";
import { headOf, keyOf } from "./session-head.ts";
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
