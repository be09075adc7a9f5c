import { mainThread, type StoredMessage, shownId, showsAnything } from "@muster/engine";
import { largeFrom, nextTurn, type Pause } from "@muster/large-data";
import type { NewId } from "@muster/service";
import type { SessionKey } from "../../store/moves.ts";
import type { ArchivedRange, SessionDocument } from "../../store/session-document.ts";

/** The archived part of a conversation as ranges of generations; see `ArchivedRange`. */
export type Head = readonly ArchivedRange[];

export function endOf(head: Head): number {
  return head.at(-1)?.to ?? 0;
}

export function bytesOf(head: Head): number {
  return head.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The head of no messages. The next ones are archived in a new generation. */
export function newHead(newId: NewId): Head {
  return [{ gen: newId("gen"), from: 0, to: 0, bytes: 0 }];
}

/**
 * Keeps the positions before `at`; later ones get another generation, because they may have been used before.
 * `messages`: those of the head from position `first` on, which is not after `at`.
 */
export async function cutHead(
  head: Head,
  at: number,
  gen: string,
  { messages, first }: { messages: readonly StoredMessage[]; first: number },
  pause: Pause = nextTurn,
): Promise<Head> {
  const kept: ArchivedRange[] = [];
  for (const range of head.filter(({ from, to }) => from < Math.min(at, to))) {
    const { to, bytes } = range;
    const removed = messages.slice(Math.max(at, range.from) - first, Math.max(at, to) - first);
    const removedBytes = await countedBytes(removed, pause);
    kept.push({ ...range, to: Math.min(at, to), bytes: Math.max(0, bytes - removedBytes) });
  }
  const end = endOf(kept);
  return [...kept, { gen, from: end, to: end, bytes: 0 }];
}

async function countedBytes(messages: readonly StoredMessage[], pause: Pause): Promise<number> {
  let sum = 0;
  let sincePause = 0;
  for (const message of messages) {
    const bytes = Buffer.byteLength(JSON.stringify(message)) + 1;
    sum += bytes;
    sincePause += bytes;
    if (sincePause < largeFrom) continue;
    sincePause = 0;
    await pause();
  }
  return sum;
}

/** Appends to the last generation. */
export function extendHead(head: Head, to: number, bytes: number): Head {
  const last = head.at(-1);
  if (last === undefined || to <= last.to) return head;
  return [...head.slice(0, -1), { ...last, to, bytes: last.bytes + bytes }];
}

/** The end of the positions that have the same messages in both. */
export function commonEnd(one: Head, other: Head): number {
  let end = 0;
  for (const [index, { gen, from, to }] of one.entries()) {
    const twin = other[index];
    if (twin?.gen !== gen || twin.from !== from) return end;
    end = Math.min(to, twin.to);
    if (to !== twin.to) return end;
  }
  return end;
}

export function keyOf({ _id, projectId }: SessionDocument): SessionKey {
  return { sessionId: _id, projectId };
}

/** The messages of an earlier release count; it does not know `head`. */
export function headOf({
  head,
  conversation,
}: Partial<Pick<SessionDocument, "head" | "conversation">>): Head {
  return conversation ? [] : (head ?? []);
}

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
