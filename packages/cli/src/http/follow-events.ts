import { setTimeout as sleep } from "node:timers/promises";
import { CliError, exitCodes } from "../exit.ts";
import type { NumberedEvent } from "./read-events.ts";

/** Attempts without any progress until the failure is the command's: after a minute, in which a server can be updated. */
const maxAttempts = 10;
const pauseMs = { first: 1_000, most: 10_000 };

/** A server that fails or cannot be reached gets another chance after a pause. */
export class Attempts {
  readonly #signal: AbortSignal;
  #failures = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  progress(): void {
    this.#failures = 0;
  }

  /** Returns when it is time for another attempt; throws if there is none. */
  async failed(error: unknown): Promise<void> {
    this.#signal.throwIfAborted();
    this.#failures += 1;
    if (!mayPass(error) || this.#failures >= maxAttempts) throw error;
    const ms = Math.min(pauseMs.first * 2 ** (this.#failures - 1), pauseMs.most);
    await sleep(ms, undefined, { signal: this.#signal });
  }
}

function mayPass(error: unknown): boolean {
  if (!(error instanceof CliError)) return false;
  return error.exitCode === exitCodes.server || error.status === 429;
}

/** Yields the events after a number to their end, over cut connections and restarts of the server. */
export async function* followEvents(
  open: (after: number) => AsyncIterable<NumberedEvent>,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<NumberedEvent> {
  const attempts = new Attempts(signal);
  let last = after;
  for (;;) {
    let isWhole = true;
    try {
      for await (const next of open(last)) {
        // Without a number, it is the server's own: it ends this response early.
        if (next.number === undefined) {
          isWhole = false;
          continue;
        }
        last = next.number;
        attempts.progress();
        yield next;
      }
      if (isWhole) return;
    } catch (error) {
      await attempts.failed(error);
    }
  }
}
