import type { StoredMessage } from "@muster/engine";
import { largeFrom, nextTurn, type Pause } from "@muster/large-data";
import type { ArchivedRange } from "../../store/session-document.ts";

/** The archived part of a conversation as ranges of generations; see `ArchivedRange`. */
export type Head = readonly ArchivedRange[];

export function endOf(head: Head): number {
  return head.at(-1)?.to ?? 0;
}

export function bytesOf(head: Head): number {
  return head.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** The head of no messages. The next ones are archived in this generation. */
export function emptyHead(gen: string): Head {
  return [{ gen, from: 0, to: 0, bytes: 0 }];
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
