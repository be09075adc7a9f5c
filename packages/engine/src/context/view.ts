import { type Block, threadUseOf } from "@muster/language";
import type { Loaded, StoredMessage, ThreadSummary } from "../conversation/conversation.ts";
import { type Reading, tokensOf } from "./estimate.ts";

/** A message that a model may read, with its size and its position in the whole conversation. */
export interface Sized {
  at: number;
  message: StoredMessage;
  /** Estimated. */
  tokens: number;
}

/** The latest summary of a thread, which ends the search: the cost depends on what follows it. */
export function summaryOf({ messages }: Pick<Loaded, "messages">, thread: string): ThreadSummary | undefined {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.summary !== undefined && message.thread === thread) return message.summary;
  }
  return undefined;
}

/** The messages of the threads that are not part of the summary. */
export function messagesAfter(
  { messages, loadedFrom = 0 }: Loaded,
  threads: readonly string[],
  summary: ThreadSummary | undefined,
): StoredMessage[] {
  const read: StoredMessage[] = [];
  for (let index = startOf(summary, loadedFrom); index < messages.length; index++) {
    const message = messages[index];
    if (message !== undefined && message.summary === undefined && threads.includes(message.thread))
      read.push(message);
  }
  return read;
}

/** The same with sizes. */
export function sizedAfter(
  { messages, loadedFrom = 0 }: Loaded,
  threads: readonly string[],
  summary: ThreadSummary | undefined,
  reading: Reading,
): Sized[] {
  const sized: Sized[] = [];
  for (let index = startOf(summary, loadedFrom); index < messages.length; index++) {
    const message = messages[index];
    if (message === undefined || message.summary !== undefined || !threads.includes(message.thread)) continue;
    sized.push({ at: loadedFrom + index, message, tokens: tokensOf(message, reading) });
  }
  return sized;
}

/** The index of the first message that is not part of the summary. */
function startOf(summary: ThreadSummary | undefined, loadedFrom: number): number {
  return Math.max(0, (summary?.through ?? 0) - loadedFrom);
}

export function sumOf(sized: ReadonlyArray<Pick<Sized, "tokens">>): number {
  return sized.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The threads whose models a turn may call. `all`: a block reads whole threads. */
export type ReadThreads = readonly string[] | "all";

/** The threads that the blocks of a turn read of its conversation. */
export function threadsReadBy(blocks: readonly Block[]): ReadThreads {
  if (blocks.some(({ kind }) => threadUseOf(kind) === "reads")) return "all";
  const calling = blocks.filter(({ kind }) => threadUseOf(kind) === "answers");
  return [...new Set(calling.map(({ thread }) => thread))];
}

/**
 * Finds out how far back a turn reads a conversation: to the first message that is not part of the latest summary of
 * its threads, of its own messages, and of the last message before them that users see. Is fed from the last message to
 * the first, so the search ends where the reading does.
 */
export class ViewSearch {
  /** Threads whose latest summary was not found yet. Undefined: everything is read. */
  readonly #missing: Set<string> | undefined;
  readonly #executionId: string | undefined;
  #start: number;
  #hasEarlier = false;

  /** `end`: the result is at most this. `executionId`: the turn that has not ended. */
  constructor(threads: ReadThreads, executionId: string | undefined, end: number) {
    this.#missing = threads === "all" ? undefined : new Set(threads);
    this.#executionId = executionId;
    this.#start = end;
  }

  /** True if the turn reads nothing before the position `at` of this message. */
  visit(message: StoredMessage, at: number): boolean {
    const { thread, summary, executionId, audience } = message;
    if (summary !== undefined && this.#missing?.delete(thread))
      this.#start = Math.min(this.#start, summary.through);
    if (audience === "everyone" && (executionId === undefined || executionId !== this.#executionId))
      this.#hasEarlier = true;
    return this.#missing?.size === 0 && at <= this.#start && this.#hasEarlier;
  }

  /** The position from which on the turn reads. Undefined: it may read earlier messages than these. */
  visitAll({ messages, loadedFrom = 0 }: Readonly<Loaded>): number | undefined {
    for (let index = messages.length - 1; index >= 0; index--) {
      const message = messages[index];
      if (message !== undefined && this.visit(message, loadedFrom + index)) return loadedFrom + index;
    }
    return undefined;
  }
}
