import { availableParallelism } from "node:os";
import { createThreadPool, largeFrom, nextTurn, TooManyTasksError } from "@muster/large-data";
import { unavailable } from "../refusals/unavailable.ts";
import type { CompletionRequest } from "./complete-entries.ts";
import * as tasks from "./reader-tasks.ts";
import type { Shown, ShowRequest } from "./show-session.ts";

/**
 * Reads of sessions on this instance, each until a part of the session is shown: one keeps the messages in memory that it works on.
 * The others wait, and projects take turns.
 */
export const readLimits = { running: 12, runningPerOwner: 6, waiting: 1_000, waitingPerOwner: 500 };

/** Batches of logs that may wait for a thread. */
const maxWaiting = 32;

/**
 * Messages of so many characters may wait for a thread to complete logs from them, or be in work. More would take longer than
 * readers wait, and hold up everybody. A task without others may be larger.
 */
const maxLengthAtOnce = 24 * 1024 * 1024;

/** Shows messages to their readers. Many or large ones are parsed and written on another thread: they would hold the main loop. */
export interface SessionReader {
  /** `readLimits` bounds how many wait. */
  show(request: ShowRequest): Promise<Shown>;
  /**
   * Completes entries of a log. Throws UNAVAILABLE if too many large sessions are being read. `isBegun`: the reader has received a
   * part already, so that it waits rather than lose the rest.
   */
  complete(request: CompletionRequest, isBegun?: boolean): Promise<string[]>;
  close(): Promise<void>;
}

export function createSessionReader(): SessionReader {
  const maxThreads = Math.min(4, Math.max(1, availableParallelism() - 1));
  const module = new URL("reader-tasks.ts", import.meta.url);
  const threads = createThreadPool<typeof tasks>(module, {
    maxThreads,
    maxWaiting: readLimits.running + maxWaiting,
  });
  let lengthAtOnce = 0;
  const onThread = async <T>(length: number, isBegun: boolean, run: () => Promise<T>): Promise<T> => {
    if (!isBegun && lengthAtOnce > 0 && lengthAtOnce + length > maxLengthAtOnce) throw tooMany();
    lengthAtOnce += length;
    try {
      await nextTurn();
      return await run();
    } catch (error) {
      if (!(error instanceof TooManyTasksError)) throw error;
      throw tooMany(error);
    } finally {
      lengthAtOnce -= length;
    }
  };
  return {
    show: async (request) => {
      const length = request.texts.reduce((sum, text) => sum + text.length, 0);
      if (length < largeFrom) return tasks.show(request);
      // Its text was decoded just now, and copying it to the thread is another pass.
      await nextTurn();
      return threads.run("show", request);
    },
    complete: async (request, isBegun = false) => {
      const { length } = request.text;
      if (length < largeFrom) return tasks.completeEntries(request);
      return onThread(length, isBegun, () => threads.run("completeEntries", request));
    },
    close: () => threads.close(),
  };
}

function tooMany(cause?: unknown) {
  return unavailable("Too many large sessions are being read. Try again.", cause);
}
