import { largeFrom, nextTurn, type Pause } from "@muster/large-data";
import { type ChunkStore, maxChunks, positionId, type ReadChunk } from "../../store/chunk-store.ts";
import type { SessionKey } from "../../store/moves.ts";
import type { ArchivedRange } from "../../store/session-document.ts";
import { loadMessages } from "../../store/state-text.ts";
import type { Head } from "./head.ts";

/** Consecutive messages: a chunk, or a part of one. */
export interface Passage {
  /** The position of the first one. */
  first: number;
  /** JSON. */
  text: string;
  /** The ids by which users know them. Absent for a part of a chunk. */
  shownIds?: readonly string[];
}

/**
 * The archived messages from position `from` up to `to`, from the last passage to the first. A passage is one chunk, so
 * that nothing blocks the event loop for long. Most readers need only the last ones, so the store is asked for one
 * chunk first, and for twice as many each time.
 */
export async function* readBackwards(
  chunks: Pick<ChunkStore, "before">,
  key: SessionKey,
  head: Head,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Passage, void, undefined> {
  const batch = { size: 1 };
  for (const range of head.toReversed()) {
    const wanted = { ...range, to: Math.min(range.to, to) };
    if (wanted.to > Math.max(range.from, from)) yield* readRange(chunks, key, wanted, from, batch);
  }
}

/** The archived messages from position `from` up to `to`, from the first passage to the last. */
export async function* readForwards(
  chunks: Pick<ChunkStore, "from" | "before">,
  key: SessionKey,
  head: Head,
  { from, to }: { from: number; to: number },
): AsyncGenerator<Passage, void, undefined> {
  for (const whole of head) {
    const range = { ...whole, to: Math.min(whole.to, to) };
    let next = Math.max(range.from, from);
    if (next >= range.to) continue;
    let id =
      next === range.from
        ? positionId(key.sessionId, range.gen, next)
        : await beforeChunk(chunks, key, range, next);
    while (next < range.to) {
      const batch = await chunks.from(key, range, id);
      for (const chunk of batch) {
        const end = Math.min(chunk.first + chunk.count, range.to);
        if (chunk.first > next || end <= next) continue;
        yield await passageOf(chunk, next, end);
        next = end;
      }
      const last = batch.at(-1);
      // The chunks of a dead writer may end here, while the chunk that continues began earlier.
      const isGap = last === undefined || last.first > next;
      if (next < range.to) id = isGap ? await beforeChunk(chunks, key, range, next) : last._id;
    }
  }
}

/** The chunk with the message at a position follows this id. */
async function beforeChunk(
  chunks: Pick<ChunkStore, "before">,
  key: SessionKey,
  range: ArchivedRange,
  position: number,
): Promise<string> {
  let id = positionId(key.sessionId, range.gen, position + 1);
  for (;;) {
    const [chunk] = await chunks.before(key, range, id, 1);
    if (chunk === undefined) throw missing(key, position);
    if (reaches(chunk, position + 1)) return positionId(key.sessionId, range.gen, chunk.first);
    id = chunk._id;
  }
}

function missing({ sessionId }: SessionKey, position: number): Error {
  return new Error(`Archived messages of the session ${sessionId} are missing at position ${position}.`);
}

async function* readRange(
  chunks: Pick<ChunkStore, "before">,
  key: SessionKey,
  range: ArchivedRange,
  from: number,
  next: { size: number },
): AsyncGenerator<Passage, void, undefined> {
  const lowest = Math.max(range.from, from);
  let end = range.to;
  let id = positionId(key.sessionId, range.gen, end);
  while (end > lowest) {
    const batch = await chunks.before(key, range, id, next.size);
    next.size = Math.min(next.size * 2, maxChunks);
    for (const chunk of batch) {
      if (!reaches(chunk, end)) continue;
      yield await passageOf(chunk, lowest, end);
      end = chunk.first;
      if (end <= lowest) return;
    }
    const last = batch.at(-1);
    if (last === undefined) throw missing(key, end - 1);
    id = last._id;
  }
}

/** A writer that died can have left a shorter chunk of the same messages. */
function reaches({ first, count }: ReadChunk, end: number): boolean {
  return first < end && first + count >= end;
}

async function passageOf(chunk: ReadChunk, lowest: number, end: number): Promise<Passage> {
  const { first, count, messages: text, shownIds } = chunk;
  if (first >= lowest && first + count === end) return { first, text, shownIds };
  const messages = await loadMessages(text);
  const from = Math.max(first, lowest);
  return { first: from, text: JSON.stringify(messages.slice(from - first, end - first)) };
}

export type Passages = ReturnType<typeof createPassages>;

/** Reads archived messages in both directions. */
export function createPassages({
  chunks,
  pause = nextTurn,
}: {
  chunks: Pick<ChunkStore, "from" | "before">;
  pause?: Pause;
}) {
  /** The passages with pauses, so that a reader that works on each as it arrives does not block the main loop. */
  async function* paced(passages: AsyncIterable<Passage>): AsyncGenerator<Passage, void, undefined> {
    let sincePause = 0;
    for await (const passage of passages) {
      yield passage;
      sincePause += passage.text.length;
      if (sincePause < largeFrom) continue;
      sincePause = 0;
      await pause();
    }
  }

  return {
    backwards: (key: SessionKey, head: Head, extent: { from: number; to: number }) =>
      paced(readBackwards(chunks, key, head, extent)),
    forwards: (key: SessionKey, head: Head, extent: { from: number; to: number }) =>
      paced(readForwards(chunks, key, head, extent)),
  };
}
