import { availableParallelism } from "node:os";
import { createThreadPool, largeFrom, nextTurn, TooManyTasksError } from "@muster/large-data";
import { unavailable } from "../refusals/unavailable.ts";
import { type Shown, type ShowRequest, show } from "./show-session.ts";

/** Messages of up to 11 MiB each. */
const maxWaiting = 32;

/** Shows messages to their readers. Many or large ones are parsed and written on another thread: they would hold the main loop. */
export interface SessionReader {
  /** Throws UNAVAILABLE if too many large sessions are being read. */
  show(request: ShowRequest): Promise<Shown>;
  close(): Promise<void>;
}

export function createSessionReader(): SessionReader {
  const maxThreads = Math.min(4, Math.max(1, availableParallelism() - 1));
  const module = new URL("show-session.ts", import.meta.url);
  const threads = createThreadPool<Pick<typeof import("./show-session.ts"), "show">>(module, {
    maxThreads,
    maxWaiting,
  });
  return {
    show: async (request) => {
      if (lengthOf(request) < largeFrom) return show(request);
      try {
        // Its text was decoded just now, and copying it to the thread is another pass.
        await nextTurn();
        return await threads.run("show", request);
      } catch (error) {
        if (!(error instanceof TooManyTasksError)) throw error;
        throw unavailable("Too many large sessions are being read. Try again.", error);
      }
    },
    close: () => threads.close(),
  };
}

function lengthOf({ texts }: ShowRequest): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}
