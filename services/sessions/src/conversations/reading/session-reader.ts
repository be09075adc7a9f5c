import { availableParallelism } from "node:os";
import { createThreadPool, isLarge, largeFrom, nextTurn } from "@muster/large-data";
import { type FairQueue, QueueFullError } from "@muster/service";
import { shipped } from "@muster/service/shipped";
import { unavailable } from "../../store/refusals/unavailable.ts";
import type { CompletionRequest } from "./complete-entries.ts";
import * as tasks from "./reader-tasks.ts";
import type { ShowRequest } from "./show-session.ts";

/**
 * Reads of sessions on this instance, each until a part of the session is shown or a batch of its log is whole: one keeps the
 * messages in memory that it works on. The others wait, and projects take turns.
 */
export const readLimits = { running: 12, runningPerOwner: 6, waiting: 1_000, waitingPerOwner: 500 };

/** Runs a part of a read once it is its turn. A reader that takes its time between two parts keeps no other one waiting. */
export type InTurn = <T>(read: () => Promise<T>) => Promise<T>;

/** The turns of a project, until `signal` ends a read. They throw UNAVAILABLE if too many reads wait. */
export function readsOf(reads: FairQueue, projectId: string, signal: AbortSignal): InTurn {
  return async (read) => {
    try {
      return await reads.run(projectId, read, { signal });
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw unavailable("Too many sessions are being read. Try again.", error);
    }
  };
}

/**
 * Shows messages to their readers. Many or large ones are parsed and written on another thread: they would block the
 * main loop. `readLimits` bounds how many wait.
 */
export type SessionReader = ReturnType<typeof createSessionReader>;

export function createSessionReader() {
  const maxThreads = Math.min(4, Math.max(1, availableParallelism() - 1));
  const module = shipped("./reader-tasks.ts", import.meta.url);
  const threads = createThreadPool<typeof tasks>(module, { maxThreads, maxWaiting: readLimits.running });
  return {
    show: async (request: ShowRequest) => {
      const length = request.texts.reduce((sum, text) => sum + text.length, 0);
      if (length < largeFrom) return tasks.showSession(request);
      // Its text was decoded just now, and copying it to the thread is another pass.
      await nextTurn();
      return threads.run("showSession", request);
    },
    /** Completes entries of a log. */
    complete: async (request: CompletionRequest) => {
      if (!isLarge(request.text)) return tasks.completeEntries(request);
      await nextTurn();
      return threads.run("completeEntries", request);
    },
    close: () => threads.close(),
  };
}
