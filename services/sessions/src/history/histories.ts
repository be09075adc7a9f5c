import type { Conversation, StoredMessage } from "../engine/conversation/conversation.ts";
import { finalLength } from "../engine/conversation/settle.ts";
import { loadConversation, loadMessages } from "../store/load-state.ts";
import type { SessionKey } from "../store/moves.ts";
import type { ConversationFields, SessionDocument } from "../store/session-document.ts";
import { readBackwards } from "./archived-messages.ts";
import { chunksOf, isLong } from "./chunks-of.ts";
import { endOf, extendHead, type Head } from "./head.ts";
import { type HistoryDependencies, newHead, TurnHistory } from "./turn-history.ts";

export interface OpenedConversation {
  conversation: Conversation;
  history: TurnHistory;
}

export type Histories = ReturnType<typeof createHistories>;

/** Conversations whose finished messages are archived. */
export function createHistories(deps: HistoryDependencies) {
  const { cache, chunks, clock, newId, archiveLength } = deps;

  /** JSON of the archived messages from a position on, in order. */
  const texts = async (key: SessionKey, head: Head, from: number): Promise<string[]> => {
    const found: string[] = [];
    for await (const { text } of readBackwards(chunks, key, head, { from, to: endOf(head) })) {
      found.push(text);
    }
    return found.reverse();
  };

  const archived = async (key: SessionKey, head: Head): Promise<readonly StoredMessage[]> => {
    const known = cache.read(key.sessionId, head);
    if (known.length === endOf(head)) return known;
    const all = [...known];
    for (const text of await texts(key, head, known.length)) all.push(...(await loadMessages(text)));
    cache.keep(key.sessionId, head, all);
    return all;
  };

  return {
    /** The whole conversation of a session that the caller has locked. */
    open: async (session: SessionDocument): Promise<OpenedConversation> => {
      const key = keyOf(session);
      const head = headOf(session);
      const before = await archived(key, head);
      const { messages: tail, ...memory } = await loadConversation(session);
      const tailLength = (session.tail ?? session.conversation ?? "").length;
      const waiting = { messages: tail.slice(0, finalLength(tail)), tailLength };
      return {
        // The turn changes the list, but never what is archived.
        conversation: { messages: [...before, ...tail], ...memory },
        history: new TurnHistory(deps, key, head, waiting),
      };
    },

    /** JSON of the archived messages of a session, in order. */
    archivedTexts: (session: SessionDocument): Promise<string[]> => texts(keyOf(session), headOf(session), 0),

    /** Prepares a new conversation of a session. If it is not published, its chunks are swept with the session's. */
    prepare: async (key: SessionKey, { messages, ...memory }: Conversation): Promise<ConversationFields> => {
      let head = newHead(newId);
      const [{ gen } = { gen: "" }] = head;
      const finished = messages.slice(0, finalLength(messages));
      if (isLong(finished, archiveLength)) {
        for (const chunk of chunksOf(gen, 0, finished)) {
          await chunks.insert(key, chunk, new Date(clock.now()));
          head = extendHead(head, chunk.first + chunk.count, Buffer.byteLength(chunk.messages));
        }
      }
      return {
        head: [...head],
        tail: JSON.stringify(messages.slice(endOf(head))),
        memory: JSON.stringify(memory),
      };
    },
  };
}

function keyOf({ _id, projectId }: SessionDocument): SessionKey {
  return { sessionId: _id, projectId };
}

/** Documents of earlier releases have none. */
function headOf({ head }: Partial<Pick<SessionDocument, "head">>): Head {
  return head ?? [];
}
