import { type StoredMessage, shownId } from "@muster/engine";
import type { NewChunk } from "../../store/chunk-store.ts";
import { messageText } from "../../store/state-text.ts";

/** In characters. A longer message has a chunk of its own. */
const maxChunkLength = 64 * 1024;

/**
 * The messages from position `first` on as chunks, made one by one so that the caller can yield to other work between
 * them.
 */
export function* chunksOf(
  gen: string,
  first: number,
  messages: readonly StoredMessage[],
): Generator<NewChunk, void, undefined> {
  let start = 0;
  let length = 0;
  let texts: string[] = [];
  for (const [index, message] of messages.entries()) {
    const text = messageText(message);
    if (texts.length > 0 && length + text.length > maxChunkLength) {
      yield chunk(gen, first + start, messages.slice(start, index), texts);
      [start, length, texts] = [index, 0, []];
    }
    texts.push(text);
    length += text.length;
  }
  if (texts.length > 0) yield chunk(gen, first + start, messages.slice(start), texts);
}

function chunk(
  gen: string,
  first: number,
  messages: readonly StoredMessage[],
  texts: readonly string[],
): NewChunk {
  const shown = messages.filter(({ audience }) => audience === "everyone").map(shownId);
  return {
    gen,
    first,
    count: messages.length,
    shownIds: [...new Set(shown)],
    executionIds: [...new Set(messages.flatMap(({ executionId }) => executionId ?? []))],
    messages: `[${texts.join(",")}]`,
  };
}

/** The count that a range has for the messages of a chunk. Its brackets and commas are one more than its messages. */
export function countedBytesIn({ messages }: NewChunk): number {
  return Buffer.byteLength(messages) - 1;
}

/** True if the JSON of the messages has at least this many characters. */
export function isLong(messages: readonly StoredMessage[], length: number): boolean {
  let left = length;
  for (const message of messages) {
    left -= messageText(message).length;
    if (left <= 0) return true;
  }
  return left <= 0;
}
