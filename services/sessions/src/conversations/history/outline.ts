import { mainThread, type StoredMessage, shownId, showsAnything } from "@muster/engine";

/** The facts that lists and readers need of a conversation before they read it. */
export interface Outline {
  /** The beginning of the first text that a user wrote; null without one. */
  title: string | null;
  /** The number of messages that users have seen. */
  messageCount: number;
  /** The position of the running summary of the main thread. Null: there is none. */
  summaryAt: number | null;
}

/** The outline of the first messages of a conversation, to be extended by the next ones. */
export interface OutlineSoFar extends Outline {
  /** The last message, which several stored ones can form. */
  lastId: string | undefined;
  isLastCounted: boolean;
  /** The position of the next message. */
  end: number;
}

export const emptyOutline: OutlineSoFar = {
  title: null,
  messageCount: 0,
  summaryAt: null,
  lastId: undefined,
  isLastCounted: false,
  end: 0,
};

/** Adds the messages from `from` up to `to`. */
export function extendOutline(
  outline: OutlineSoFar,
  messages: readonly StoredMessage[],
  from = 0,
  to = messages.length,
): OutlineSoFar {
  let { title, messageCount, summaryAt, lastId, isLastCounted } = outline;
  for (let index = from; index < to; index++) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.summary !== undefined && message.thread === mainThread)
      summaryAt = outline.end + index - from;
    if (message.audience === "model" || message.role === "system") continue;
    const id = shownId(message);
    if (id !== lastId) [lastId, isLastCounted] = [id, false];
    if (!isLastCounted && showsAnything(message)) {
      isLastCounted = true;
      messageCount++;
    }
    if (title === null && message.role === "user") title = titleOf(message);
  }
  const end = outline.end + Math.max(0, Math.min(to, messages.length) - from);
  return { title, messageCount, summaryAt, lastId, isLastCounted, end };
}

const maxTitleLength = 80;
/** A title can be cut from a longer text, because white space is shortened. */
const maxSourceLength = 1_000;

function titleOf({ uiText, parts }: StoredMessage): string | null {
  const texts = parts.flatMap((part) => (part.type === "text" ? part.text.slice(0, maxSourceLength) : []));
  const text = (uiText ?? texts.join(" ")).slice(0, maxSourceLength).replace(/\s+/g, " ").trim();
  if (text === "") return null;
  if (text.length <= maxTitleLength) return text.toWellFormed();
  return `${text.slice(0, maxTitleLength - 1).trimEnd()}…`.toWellFormed();
}
