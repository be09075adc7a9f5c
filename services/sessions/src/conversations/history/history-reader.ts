import { type StoredMessage, shownId, summaryIdOf, summaryMessage } from "@muster/engine";
import type { ChunkPlace } from "../../store/chunk-store.ts";
import type { SessionDocument } from "../../store/session-document.ts";
import { loadConversation, loadMessages } from "../../store/state-text.ts";
import type { Passage, Passages } from "./archived-messages.ts";
import { emptyOutline, endOf, extendOutline, type Head, headOf, keyOf, type Outline } from "./head.ts";
import type { HistoryDependencies } from "./turn-history.ts";

/** The history that readers see begins with the running summary, so nothing is before it. */
const beforeAll = -1;

/** Consecutive messages of a session. */
export interface SessionPart extends Pick<Passage, "text" | "shownIds"> {
  /** No further part follows. */
  isLast: boolean;
}

interface Fold extends Required<Pick<Passage, "text" | "shownIds">> {
  from: number;
}

/** Reads of conversations, which no process needs the session's lease for. */
export function createHistoryReader(
  chunks: HistoryDependencies["chunks"],
  { backwards, forwards }: Passages,
) {
  const messageAt = async (
    session: SessionDocument,
    position: number,
  ): Promise<StoredMessage | undefined> => {
    const head = headOf(session);
    const end = endOf(head);
    if (position >= end) return (await loadMessages(session.tail ?? "[]"))[position - end];
    const extent = { from: position, to: position + 1 };
    for await (const { text } of backwards(keyOf(session), head, extent))
      return (await loadMessages(text))[0];
    return undefined;
  };

  /**
   * The summary that users see instead of the messages before `from`. Undefined: they see all of them. The workforce
   * interface always shows whole conversations.
   */
  const foldOf = async (session: SessionDocument): Promise<Fold | undefined> => {
    const { _id, summaryAt, workforce, createdAt } = session;
    if (typeof summaryAt !== "number" || workforce !== undefined) return undefined;
    const { summary } = (await messageAt(session, summaryAt)) ?? {};
    // A release that does not know of the position may have removed the summary.
    if (summary === undefined) return undefined;
    const shown = summaryMessage(summary, summaryIdOf(_id), createdAt);
    return { from: summary.through, text: JSON.stringify([shown]), shownIds: [shown.id] };
  };

  /** The position at which the message begins that users know by this id; undefined if they see none. */
  const positionOf = async (session: SessionDocument, messageId: string): Promise<number | undefined> => {
    const key = keyOf(session);
    const head = headOf(session);
    if (messageId === summaryIdOf(session._id) && (await foldOf(session)) !== undefined) return beforeAll;
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

  /** The archived parts of the conversation that have messages of the execution, or of an earlier release that may have some. */
  const placesOf = async function* (session: SessionDocument, executionId: string) {
    const head = headOf(session);
    for (const place of await chunks.mentioning(keyOf(session), executionId)) {
      const within = namedPart(head, place);
      if (within !== undefined) yield { ...within, isSure: place.executionIds !== undefined };
    }
  };

  /** JSON of lists of messages, which have all messages of the execution. */
  const textsOf = async function* (
    session: SessionDocument,
    executionId: string,
  ): AsyncGenerator<string, void, undefined> {
    const mark = markOf(executionId);
    const tail = await tailText(session);
    if (tail.includes(mark)) yield tail;
    for await (const place of placesOf(session, executionId)) {
      for await (const { text } of backwards(keyOf(session), headOf(session), place))
        if (text.includes(mark)) yield text;
    }
  };

  return {
    /** The messages that users see before a position, from the oldest to the newest. Without a position: all. */
    partsOf: async function* (
      session: SessionDocument,
      before?: number,
    ): AsyncGenerator<SessionPart, void, undefined> {
      const head = headOf(session);
      const end = endOf(head);
      const fold = before === beforeAll ? undefined : await foldOf(session);
      const { from = 0 } = fold ?? {};
      if (fold !== undefined) yield { ...fold, isLast: false };
      const extent = { from, to: Math.min(before ?? end, end) };
      for await (const { text, shownIds } of forwards(keyOf(session), head, extent)) {
        yield { text, isLast: false, ...(shownIds && { shownIds }) };
      }
      yield { text: await tailText(session, from, before), isLast: true };
    },

    /** The messages that users see before a position, from the newest to the oldest. Without a position: all. */
    partsBefore: async function* (
      session: SessionDocument,
      before: number | undefined,
    ): AsyncGenerator<SessionPart, void, undefined> {
      const head = headOf(session);
      const end = endOf(head);
      const fold = before === beforeAll ? undefined : await foldOf(session);
      const { from = 0 } = fold ?? {};
      const isFirst = (position: number) => fold === undefined && position === 0;
      if (before === undefined || before > end) {
        const text = await tailText(session, from, before);
        yield { text, isLast: isFirst(end) };
      }
      const extent = { from, to: Math.min(before ?? end, end) };
      for await (const { first, text, shownIds } of backwards(keyOf(session), head, extent)) {
        yield { text, isLast: isFirst(first), ...(shownIds && { shownIds }) };
      }
      if (fold !== undefined) yield { ...fold, isLast: true };
    },

    positionOf,

    textsOf,

    /** A message of the conversation belongs to the execution. */
    mentions: async (session: SessionDocument, executionId: string): Promise<boolean> => {
      const mark = markOf(executionId);
      if ((await tailText(session)).includes(mark)) return true;
      for await (const place of placesOf(session, executionId)) {
        if (place.isSure) return true;
        for await (const { text } of backwards(keyOf(session), headOf(session), place))
          if (text.includes(mark)) return true;
      }
      return false;
    },

    /** The outline that lists show of a session; its document has it unless an earlier release stored it. */
    outlineOf: async (session: SessionDocument): Promise<Outline> => {
      const head = headOf(session);
      let outline = emptyOutline;
      for await (const { text } of forwards(keyOf(session), head, { from: 0, to: endOf(head) })) {
        outline = extendOutline(outline, await loadMessages(text));
      }
      return extendOutline(outline, (await loadConversation(session)).messages);
    },
  };
}

/** How a message of the execution appears in JSON. */
function markOf(executionId: string): string {
  return JSON.stringify({ executionId }).slice(1, -1);
}

/** The positions of a chunk that belong to the conversation; undefined: none. */
function namedPart(head: Head, { gen, first, count }: ChunkPlace): { from: number; to: number } | undefined {
  const range = head.find((named) => named.gen === gen && first < named.to && first + count > named.from);
  return range && { from: Math.max(first, range.from), to: Math.min(first + count, range.to) };
}

/** JSON of the messages in the document, as far as they are at these positions. */
async function tailText(session: SessionDocument, from = 0, before?: number): Promise<string> {
  const end = endOf(headOf(session));
  if (from <= end && before === undefined && !session.conversation) return session.tail ?? "[]";
  const { messages } = await loadConversation(session);
  const to = before === undefined ? messages.length : Math.max(0, before - end);
  return JSON.stringify(messages.slice(Math.max(0, from - end), to));
}
