import type { Block } from "@muster/language";
import type { Loaded, StoredMessage } from "../conversation/conversation.ts";

/** The threads whose models a turn may call. `all`: a block reads whole threads. */
export type ReadThreads = readonly string[] | "all";

/** The threads that the blocks of a turn read of its conversation. */
export function threadsReadBy(blocks: readonly Block[]): ReadThreads {
  if (blocks.some(({ kind }) => kind === "serialize-thread")) return "all";
  return [...new Set(blocks.filter(({ kind }) => kind === "next-message").map(({ thread }) => thread))];
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
