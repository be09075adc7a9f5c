import { type Conversation, finalLength, type StoredMessage, summaryIdOf } from "@muster/engine";
import { nextTurn, type Pause } from "@muster/large-data";
import type { Clock, Logger, NewId } from "@muster/service";
import type { ChunkStore } from "../../store/chunk-store.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { ConversationFields } from "../../store/session-document.ts";
import { loadMessages, messagesText } from "../../store/state-text.ts";
import { readForwards } from "./archived-messages.ts";
import { chunksOf, countedBytesIn, isLong } from "./chunks-of.ts";
import {
  bytesOf,
  cutHead,
  emptyOutline,
  endOf,
  extendHead,
  extendOutline,
  type Head,
  newHead,
  type Outline,
  type OutlineSoFar,
} from "./head.ts";
import { type Archived, type HistoryCache, nothingArchived } from "./history-cache.ts";
import { sweepAfter } from "./sweep.ts";

export interface HistoryDependencies {
  chunks: Pick<ChunkStore, "before" | "from" | "containing" | "mentioning" | "insert">;
  cache: HistoryCache;
  clock: Clock;
  log: Logger;
  newId: NewId;
  /** Between slices of work. */
  pause?: Pause;
  /** Finished messages leave the document when their JSON has this many characters. */
  archiveLength: number;
}

/** A conversation at the time of a write. */
interface Snapshot {
  fields: ConversationFields;
  head: Head;
  /** Those that are loaded: of the head, and later ones. */
  messages: readonly StoredMessage[];
  /** The archived messages of the head. */
  archived: Omit<Archived, "messages">;
  waiting: Waiting;
}

/** Stored messages that can be archived. */
interface Waiting {
  /** Finished messages in the document, from the end of the head on. */
  messages: readonly StoredMessage[];
  /** Characters of the whole tail. */
  tailLength: number;
}

const none: Waiting = { messages: [], tailLength: 0 };

/**
 * How the conversation of one turn is divided between its document and the archive. Messages leave the document in two
 * steps: chunks are inserted while the model is working, then the turn's next write removes the messages from `tail`
 * and names the chunks in `head`. Only messages that are finished *and stored* are inserted, so every holder inserts
 * the same message at a position of a generation. Without the second step, after a crash or under a lost lease, no
 * reader sees the chunks.
 */
export class TurnHistory {
  readonly #deps: HistoryDependencies;
  readonly #key: SessionKey;
  /** The head of the next write, except for the messages being archived. */
  #head: Head;
  #waiting: Waiting;
  #inserted: { to: number; bytes: number } | undefined;
  #archiving: Promise<void> | undefined;
  #sweeps = false;
  /** Those of the document's head, which a rollback counts. Without any after it. */
  #archived: Archived;
  /** The outline of the messages before the first one that is loaded. */
  #before: OutlineSoFar;
  /** The outline of the messages before `end`, which this turn no longer changes. */
  #outlined: { end: number; outline: OutlineSoFar };

  /**
   * `head` and `waiting`: from the document. One without a head was stored by an earlier release. `archived`: of the
   * head.
   */
  constructor(
    deps: HistoryDependencies,
    key: SessionKey,
    head: Head,
    waiting: Waiting,
    archived: Archived = nothingArchived,
  ) {
    this.#deps = deps;
    this.#key = key;
    this.#head = head.length > 0 ? head : newHead(deps.newId);
    this.#waiting = waiting;
    this.#archived = archived;
    this.#before = archived.before;
    this.#outlined = { end: archived.first + archived.messages.length, outline: archived.outline };
  }

  /** The id by which users know the running summary. */
  get summaryId(): string {
    return summaryIdOf(this.#key.sessionId);
  }

  /** The messages before this position never change. */
  get archivedEnd(): number {
    return endOf(this.#head);
  }

  /** The size of the messages before that position. */
  get archivedBytes(): number {
    return bytesOf(this.#head);
  }

  /** Must be called if a rollback has left only the messages before this position. Those that it removes are loaded, or all are removed. */
  async rewind(end: number): Promise<void> {
    // Also for chunks that were inserted and never published: later ones have another generation.
    if (end < endOf(this.#head) || this.#isWorthAChunk(this.#waiting)) this.#sweeps = true;
    const loadedFrom = end === 0 ? 0 : this.#archived.first;
    const { title } = this.#before;
    this.#before =
      loadedFrom === 0
        ? emptyOutline
        : {
            ...this.#before,
            title: title && (await findTitle(this.#deps.chunks, this.#key, this.#head, loadedFrom)),
          };
    this.#head = await cutHead(this.#head, end, this.#deps.newId("gen"), this.#archived);
    this.#archived = nothingArchived;
    this.#waiting = none;
    this.#outlined = { end: loadedFrom, outline: this.#before };
  }

  /** Must be called when the earlier messages were loaded too. */
  completed(earlier: readonly StoredMessage[]): void {
    const { messages, outline } = this.#archived;
    this.#archived = { first: 0, messages: earlier.concat(messages), before: emptyOutline, outline };
    this.#before = emptyOutline;
    this.#outlined = { end: 0, outline: emptyOutline };
  }

  /** The size of the stored messages that `archive` takes out of the document. */
  waitingBytes(): number {
    if (!this.#isWorthAChunk(this.#waiting)) return 0;
    return Buffer.byteLength(messagesText(this.#waiting.messages));
  }

  /** Begins to archive what has been stored, if it is worth a chunk. */
  archive(): void {
    if (this.#archiving !== undefined || !this.#isWorthAChunk(this.#waiting)) return;
    this.#archiving = this.#insert(this.#waiting.messages)
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, "messages could not be archived"))
      .finally(() => {
        this.#archiving = undefined;
      });
  }

  /** Resolves when nothing is being archived. */
  async idle(): Promise<void> {
    await this.#archiving;
  }

  /** The changes to write. */
  snapshot({ messages, loadedFrom = 0, ...memory }: Conversation): Snapshot {
    const { to, bytes } = this.#inserted ?? { to: 0, bytes: 0 };
    const head = extendHead(this.#head, to, bytes);
    const archivedCount = endOf(head) - loadedFrom;
    const remaining = messages.slice(archivedCount);
    const tail = messagesText(remaining);
    const outlines = this.#outlines(messages, loadedFrom, endOf(head));
    return {
      fields: {
        head: [...head],
        tail,
        memory: JSON.stringify(memory),
        ...outlines.all,
        ...(this.#sweeps && { sweepAt: sweepAfter(this.#deps.clock.now()) }),
      },
      head,
      messages,
      archived: { first: loadedFrom, before: this.#before, outline: outlines.archived },
      waiting: { messages: remaining.slice(0, finalLength(remaining)), tailLength: tail.length },
    };
  }

  /** Must be called when the snapshot has been written. */
  written({ head, messages, archived, waiting }: Snapshot): void {
    const end = endOf(head);
    if (end > endOf(this.#head)) {
      const ofHead = messages.slice(0, end - archived.first);
      this.#deps.cache.keep(this.#key.sessionId, head, { ...archived, messages: ofHead });
    }
    this.#head = head;
    this.#waiting = waiting;
    this.#inserted = undefined;
    this.#sweeps = false;
  }

  /** Reads the archived messages once in a turn. */
  #outlines(
    messages: readonly StoredMessage[],
    loadedFrom: number,
    archivedEnd: number,
  ): { archived: OutlineSoFar; all: Outline } {
    const { end, outline } = this.#outlined;
    const archived = extendOutline(outline, messages, end - loadedFrom, archivedEnd - loadedFrom);
    this.#outlined = { end: archivedEnd, outline: archived };
    const { title, messageCount, summaryAt } = extendOutline(archived, messages, archivedEnd - loadedFrom);
    return { archived, all: { title, messageCount, summaryAt } };
  }

  #isWorthAChunk({ messages, tailLength }: Waiting): boolean {
    const { archiveLength } = this.#deps;
    return tailLength >= archiveLength && isLong(messages, archiveLength);
  }

  /** Yields to other work before each chunk, the turn's model call in particular. */
  async #insert(messages: readonly StoredMessage[]): Promise<void> {
    const { chunks, clock } = this.#deps;
    const { gen = "", to = 0 } = this.#head.at(-1) ?? {};
    let bytes = 0;
    await nextTurn();
    for (const chunk of chunksOf(gen, to, messages)) {
      await chunks.insert(this.#key, chunk, new Date(clock.now()));
      bytes += countedBytesIn(chunk);
      this.#inserted = { to: chunk.first + chunk.count, bytes };
      await nextTurn();
    }
  }
}

/** The title of the archived messages before a position. Usually, it is in the first chunk. */
async function findTitle(
  chunks: Pick<ChunkStore, "from" | "before">,
  key: SessionKey,
  head: Head,
  to: number,
): Promise<string | null> {
  const oneByOne: typeof chunks = { ...chunks, from: (key, range, id) => chunks.from(key, range, id, 1) };
  for await (const { text } of readForwards(oneByOne, key, head, { from: 0, to })) {
    const { title } = extendOutline(emptyOutline, await loadMessages(text));
    if (title !== null) return title;
  }
  return null;
}
