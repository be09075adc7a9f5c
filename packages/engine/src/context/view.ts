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
