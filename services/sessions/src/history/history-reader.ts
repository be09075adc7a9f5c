import type { StoredMessage } from "../engine/conversation/conversation.ts";
import { shownId } from "../engine/conversation/messages.ts";
import type { ChunkPlace } from "../store/chunk-store.ts";
import { loadConversation, loadMessages } from "../store/load-state.ts";
import type { SessionDocument } from "../store/session-document.ts";
import type { Passage } from "./archived-messages.ts";
import { endOf, type Head } from "./head.ts";
import { emptyOutline, extendOutline, type Outline } from "./outline.ts";
import type { Passages } from "./passages.ts";
import { headOf, keyOf } from "./session-head.ts";
import type { HistoryDependencies } from "./turn-history.ts";

/** Consecutive messages of a session. */
export interface SessionPart extends Pick<Passage, "text" | "shownIds"> {
  /** No further part follows. */
  isLast: boolean;
}

/** Reads of conversations, by whoever may: none of them needs the session's lease. */
export function createHistoryReader(
  chunks: HistoryDependencies["chunks"],
  { backwards, forwards }: Passages,
) {
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
  };
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
