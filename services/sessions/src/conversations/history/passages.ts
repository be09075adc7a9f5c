import { largeFrom, nextTurn } from "@muster/large-data";
import type { SessionKey } from "../../store/moves.ts";
import { type Passage, readBackwards, readForwards } from "./archived-messages.ts";
import type { Head } from "./head.ts";
import type { HistoryDependencies } from "./turn-history.ts";

export type Passages = ReturnType<typeof createPassages>;

/** Reads archived messages in both directions. */
export function createPassages({ chunks, pause = nextTurn }: Pick<HistoryDependencies, "chunks" | "pause">) {
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
