import { statSync, watch } from "node:fs";
import { failure } from "../exit.ts";

/** Editors write a file in several steps, and several files at the same time. */
const settleMs = 100;

/** Reports changes in a folder. Changes between two calls of `next` are not lost. */
export class FolderWatch {
  readonly #close: () => void;
  #changed = Promise.withResolvers<void>();

  /** Throws INVALID_FOLDER if the folder cannot be watched. */
  constructor(folder: string) {
    try {
      // A recursive watch does not report a missing folder.
      statSync(folder);
      const watcher = watch(folder, { recursive: true }, () => this.#changed.resolve());
      watcher.on("error", (error) => this.#changed.reject(unwatchable(error)));
      this.#close = () => watcher.close();
    } catch (error) {
      throw unwatchable(error);
    }
    // Without a listener, an error before the first call of `next` would end the process.
    this.#changed.promise.catch(() => undefined);
  }

  /** Returns after the next change, or when the signal aborts. */
  async next(signal: AbortSignal): Promise<void> {
    await Promise.race([this.#changed.promise, aborted(signal)]);
    if (signal.aborted) return;
    await Promise.race([new Promise((resolve) => setTimeout(resolve, settleMs)), aborted(signal)]);
    this.#changed = Promise.withResolvers();
    this.#changed.promise.catch(() => undefined);
  }

  close(): void {
    this.#close();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

function unwatchable(error: unknown) {
  const reason = error instanceof Error ? error.message : String(error);
  return failure("INVALID_FOLDER", `Cannot watch the folder: ${reason}`);
}
