import { isTemporary } from "./errors.ts";

/** Time and chance, which tests replace. */
export interface Clock {
  /** Milliseconds that never jump. */
  now(): number;
  /** Milliseconds since 1970. */
  date(): number;
  /** Rejects with the signal's reason. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  date: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener("abort", stop);
        resolve();
      }, ms);
      signal?.addEventListener("abort", stop, { once: true });
      if (signal?.aborted) stop();
    }),
};

const backoffMs = { first: 250, most: 10_000 };

/** A response that stays open so long is progress, also without an event. */
const lastingMs = 1_000;

/** Decides how long a failed attempt is repeated: with growing pauses, and only for a while without progress. */
export class Patience {
  readonly #clock: Clock;
  readonly #retryForMs: number;
  readonly #signal: AbortSignal | undefined;
  #failures = 0;
  #sinceMs: number;
  #openedMs: number | undefined;

  constructor(clock: Clock, retryForMs: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.#retryForMs = retryForMs;
    this.#signal = signal;
    this.#sinceMs = clock.now();
  }

  /** The response to an attempt has begun, and may break. */
  opened(): void {
    this.#openedMs = this.#clock.now();
  }

  progress(): void {
    this.#failures = 0;
  }

  /** Resolves when it is time for another attempt. Throws the error if it does not pass by itself, or lasts too long. */
  async failed(error: unknown): Promise<void> {
    this.#signal?.throwIfAborted();
    if (!isTemporary(error)) throw error;
    const now = this.#clock.now();
    if (this.#openedMs !== undefined && now - this.#openedMs >= lastingMs) this.progress();
    this.#openedMs = undefined;
    if (this.#failures === 0) this.#sinceMs = now;
    this.#failures += 1;
    const longest = Math.min(backoffMs.first * 2 ** (this.#failures - 1), backoffMs.most);
    const jittered = longest * (0.5 + this.#clock.random() / 2);
    const pauseMs = Math.max(error.retryAfterMs ?? 0, jittered);
    if (now + pauseMs - this.#sinceMs > this.#retryForMs) throw error;
    await this.#clock.sleep(pauseMs, this.#signal);
  }
}
