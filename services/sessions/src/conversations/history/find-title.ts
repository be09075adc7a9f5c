import type { ChunkStore } from "../../store/chunk-store.ts";
import { loadMessages } from "../../store/load-state.ts";
import type { SessionKey } from "../../store/moves.ts";
import { readForwards } from "./archived-messages.ts";
import type { Head } from "./head.ts";
import { emptyOutline, extendOutline } from "./outline.ts";

/** The title of the archived messages before a position. Usually, it is in the first chunk. */
export async function findTitle(
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
